import { request } from "node:http";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../../testing/until.ts";
import type { ROLES } from "@gold-partner/server";
import { awaitReady, type Child, ROOT, startChild, type State } from "@gold-partner/dev";

/** What a process does: serve requests, deliver webhooks, or both. */
export type Role = (typeof ROLES)[number];

const MAIN = "packages/server/src/main.ts";
const PROBE_MS = 300;
const LOG_TAIL = 2000;

/** One process of the service. */
export class ServerProcess {
  readonly name: string;
  readonly socket: string;
  readonly operations: string;
  readonly #environment: Record<string, string>;
  readonly #args: readonly string[];
  readonly #log: string;
  readonly #root: string;
  #child: Child | undefined;

  /** `root` is the tree that the process runs from: this one, or a checkout of another version. */
  constructor(
    state: State,
    name: string,
    environment: Record<string, string>,
    role: Role = "all",
    root = ROOT,
  ) {
    this.name = name;
    this.#root = root;
    this.socket = state.socket(`${name}.sock`);
    this.operations = state.socket(`${name}_operations.sock`);
    this.#log = state.path("log", `${name}.log`);
    this.#args = ["--role", role];
    this.#environment = {
      ...environment,
      LISTEN: `unix:${this.socket}`,
      OPERATIONS_LISTEN: `unix:${this.operations}`,
    };
  }

  get pid(): number {
    return this.#child!.pid;
  }

  runsAs(pid: number): boolean {
    return this.#child?.pid === pid;
  }

  /** Returns true if the process answers. It must answer even while its database is unavailable. */
  async isAlive(): Promise<boolean> {
    return (await this.#operation("/live"))?.status === 200;
  }

  async isReady(): Promise<boolean> {
    return (await this.#operation("/ready"))?.status === 200;
  }

  /** Number of orders, quotes and nonces that wait in the batchers. */
  countWaiting(): Promise<number> {
    return this.readGauge("gold_bookings_waiting");
  }

  /** True while a booking that was sent to the database has no outcome. */
  async hasOpenBooking(): Promise<boolean> {
    return await this.readGauge("gold_commits_waiting_seconds") > 0;
  }

  /** Number of webhooks in flight. */
  countInFlight(): Promise<number> {
    return this.readGauge("gold_webhook_in_flight");
  }

  /** Number of webhooks delivered since the process started. */
  countDelivered(): Promise<number> {
    return this.readGauge('gold_webhook_attempts_total{outcome="delivered"}');
  }

  async start(): Promise<void> {
    this.#child = startChild(join(this.#root, MAIN), this.#environment, this.#log, this.#args, this.#root);
    await awaitReady(this.operations, this.#child, this.#log);
  }

  async kill(): Promise<void> {
    process.kill(this.pid, "SIGKILL");
    await this.#child!.exited;
    this.#child = undefined;
  }

  /** Starts the process if it was killed, and waits until it accepts writes. */
  async heal(): Promise<void> {
    if (!this.#child) await this.start();
    await until(
      // Wait for both. A process is ready as soon as it can read, even if it still refuses writes.
      async () => await this.isReady() && await this.readGauge("gold_writes_possible") === 1,
      async () => (await readFile(this.#log, "utf8")).slice(-LOG_TAIL),
    );
  }

  async stop(): Promise<void> {
    await this.#child?.stop();
  }

  /** NaN if the process does not answer. */
  async readGauge(name: string): Promise<number> {
    const metrics = await this.#operation("/metrics");
    return Number(new RegExp(`^${name} ([0-9.e-]+)$`, "m").exec(metrics?.text ?? "")?.[1]);
  }

  #operation(path: string): Promise<{ status: number; text: string } | undefined> {
    return new Promise((resolve) => {
      const outgoing = request({ socketPath: this.operations, path }, (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (part) => text += part)
          .on("end", () => resolve({ status: reply.statusCode!, text }));
      });
      // Resolve without an answer after this time: a process that SIGSTOP paused does not answer, although
      // the kernel accepts the connection.
      const silence = setTimeout(() => {
        resolve(undefined);
        outgoing.destroy();
      }, PROBE_MS);
      outgoing.on("error", () => resolve(undefined)).on("close", () => clearTimeout(silence)).end();
    });
  }
}
