import { randomBytes } from "node:crypto";
import { chmodSync, copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDatabase, type State, urlsAt } from "@gold-partner/dev";
import { until } from "../../testing/until.ts";
import type { ProofDatabase } from "../deployment.ts";
import { Etcd } from "./etcd.ts";
import { PatroniNode, type Status } from "./patroni_node.ts";
import { makeFolder } from "./processes.ts";

const SETTINGS = fileURLToPath(new URL("../../deploy/patroni/patroni.yaml", import.meta.url));
const NAMES = ["n1", "n2", "n3"];
const LOG_TAIL = 3000;

/** Three nodes with the settings of deploy/patroni, and their etcd. */
export class PatroniCluster {
  readonly #folder: string;
  readonly #password = randomBytes(16).toString("hex");
  readonly #nodes: PatroniNode[] = [];
  #etcd: Etcd | undefined;
  #leader: PatroniNode | undefined;
  #synchronous: PatroniNode | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(): Promise<PatroniCluster> {
    const cluster = new PatroniCluster(makeFolder());
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async #start(): Promise<void> {
    // The account of the nodes may be unable to read the repository.
    const settings = join(this.#folder, "patroni.yaml");
    copyFileSync(SETTINGS, settings);
    chmodSync(settings, 0o644);
    this.#etcd = await Etcd.start(this.#folder);
    const shared = {
      folder: this.#folder,
      settings,
      etcd: this.#etcd.address,
      password: this.#password,
    };
    for (const name of NAMES) this.#nodes.push(await PatroniNode.start(name, shared));
    await this.untilWhole();
  }

  /** The primary, as of the last untilWhole(). */
  get leader(): PatroniNode {
    return this.#leader!;
  }

  /** The standby that confirms commits, as of the last untilWhole(). */
  get synchronousStandby(): PatroniNode {
    return this.#synchronous!;
  }

  get standbys(): PatroniNode[] {
    return this.#nodes.filter((node) => node !== this.#leader);
  }

  /** Waits until one node is the primary and both others stream from it, one of them synchronously. */
  async untilWhole(): Promise<void> {
    let seen: (Status | undefined)[] = [];
    await until(
      async () => {
        seen = await Promise.all(this.#nodes.map((node) => node.ask()));
        return this.#readRoles(seen);
      },
      () => [seen, this.#nodes.map(({ name }) => this.#logOf(name))],
    );
  }

  #readRoles(statuses: readonly (Status | undefined)[]): boolean {
    const leaders = this.#nodes.filter((_, n) => statuses[n]?.role === "primary");
    const replication = statuses.find((status) => status?.role === "primary")?.replication ?? [];
    const streaming = replication.filter(({ state }) => state === "streaming");
    const names = streaming.filter(({ sync_state }) => sync_state === "sync").map((row) => row.application_name);
    if (leaders.length !== 1 || streaming.length !== this.#nodes.length - 1 || names.length !== 1) return false;
    this.#leader = leaders[0]!;
    this.#synchronous = this.#nodes.find(({ name }) => name === names[0])!;
    return statuses.every((status) => status?.state === "running" || status?.state === "streaming");
  }

  #logOf(name: string): string {
    return readFileSync(join(this.#folder, `${name}.log`), "utf8").slice(-LOG_TAIL);
  }

  /** Creates the database and its logins. */
  async createDatabase(state: State): Promise<ProofDatabase> {
    const ofLeader = () => this.leader;
    const superuserUrl = (database = "postgres") =>
      `postgres://postgres:${this.#password}@127.0.0.1:${ofLeader().port}/${database}`;
    await createDatabase(state, { superuserUrl });
    return {
      postgres: {
        get port() {
          return ofLeader().port;
        },
        get pid() {
          return ofLeader().pid;
        },
        superuserUrl,
        stop: () => this.stop(),
      },
      urls: await urlsAt(state, ...this.#nodes.map(({ port }) => port)),
    };
  }

  async stop(): Promise<void> {
    for (const node of this.#nodes) await node.killHost();
    await this.#etcd?.stop();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
