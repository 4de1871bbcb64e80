import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { parseOperatorKeys } from "@gold-partner/approvals";
import {
  type EnvoyProcess,
  readSidecarConfig,
  startEnvoy,
  syncTrust,
  type TrustSync,
  writeTrustOnce,
} from "@gold-partner/sidecar";
import { ensureAuthorities, fetchEnvoy } from "@gold-partner/dev";
import { findFreePort } from "@gold-partner/dev/postgres";
import { until } from "../../testing/until.ts";
import type { Deployment } from "./deployment.ts";
import { Wire } from "./wire.ts";

/** The same interval as in `sidecar keep`. */
const POLL_MS = 1000;
const DRAIN_SECONDS = 2;
const FLOOD_PER_SECOND = "100000";
/** The time of six health checks. After this time, Envoy knows which processes are ready. */
export const SETTLE_MS = 1500;

interface FrontOptions {
  /** The clock of the trust sync. Envoy has the machine's clock. */
  readonly now?: () => number;
  /** `default`: the sidecar's default flood limit. Otherwise it is so high that no load reaches it. */
  readonly flood?: "default";
  /** Put HAProxy in front of this Envoy, on this port. */
  readonly haproxyPort?: number;
}

/**
 * The real Envoy in front of a deployment's processes, with its trust sync. A new Envoy can start on the same
 * port before the old one ends.
 */
export class EnvoyFront {
  readonly #deployment: Deployment;
  readonly #trustSync: TrustSync;
  readonly #settings: Record<string, string>;
  /** The name of this front's folder and of its Envoys. */
  readonly #name: string;
  readonly #generations: EnvoyProcess[] = [];
  #haproxy: ChildProcess | undefined;

  private constructor(
    deployment: Deployment,
    trustSync: TrustSync,
    settings: Record<string, string>,
    name: string,
  ) {
    this.#settings = settings;
    this.#name = name;
    this.#deployment = deployment;
    this.#trustSync = trustSync;
  }

  static async open(
    deployment: Deployment,
    { now = Date.now, flood, haproxyPort }: FrontOptions = {},
  ): Promise<EnvoyFront> {
    fetchEnvoy();
    const name = haproxyPort === undefined ? "envoy" : "fronted";
    const { state, operator, operators } = deployment;
    const { cert, key } = await ensureAuthorities(state, operator);
    await mkdir(state.path(name, "certificate"), { recursive: true, mode: 0o700 });
    await writeFile(state.path(name, "certificate", "tls.crt"), cert);
    await state.writePrivate(state.path(name, "certificate", "tls.key"), key);
    const keeping = {
      databaseUrl: deployment.trustUrl,
      operatorKeys: await parseOperatorKeys(await readFile(operators.keysFile!, "utf8")),
      folder: state.path(name, "trust"),
      pollMs: POLL_MS,
      now,
      write: (line: string) => appendFileSync(state.path("log", "trust_sync.log"), `${line}\n`),
    };
    await writeTrustOnce(keeping);
    const front = new EnvoyFront(
      deployment,
      syncTrust(keeping),
      {
        ...(flood === "default" ? {} : { FLOOD_PER_SECOND }),
        ...(haproxyPort === undefined ? {} : await behindHaproxy(state.path("haproxy"), haproxyPort)),
      },
      name,
    );
    deployment.onStop(() => front.#stop());
    await front.start();
    if (haproxyPort !== undefined) front.#haproxy = await startHaproxy(state.path("haproxy"), haproxyPort);
    return front;
  }

  /** The process of the Envoy that was started last. */
  get pid(): number {
    return this.#generations.at(-1)!.pid;
  }

  get haproxyPid(): number | undefined {
    return this.#haproxy?.pid;
  }

  /**
   * Starts one more Envoy on the same port, and returns the previous Envoy, which still runs. A new
   * connection may reach either Envoy until the caller stops the previous one.
   */
  async start(): Promise<EnvoyProcess | undefined> {
    const before = this.#generations.at(-1);
    const { state, baseUrl, port, servers } = this.#deployment;
    const name = this.#nameOf(this.#generations.length);
    const config = readSidecarConfig({
      GOLD_ENV: "sandbox",
      PUBLIC_BASE_URL: baseUrl,
      SIDECAR_LISTEN: `127.0.0.1:${port}`,
      UPSTREAMS: servers.map(({ socket, operations }) => `unix:${socket}|unix:${operations}`).join(),
      CONFIG_DIRECTORY: state.path(this.#name, name),
      TRUST_DIRECTORY: state.path(this.#name, "trust"),
      SERVER_CERTIFICATE_DIRECTORY: state.path(this.#name, "certificate"),
      ...this.#settings,
      ADMIN_LISTEN: `unix:${state.socket(`${name}.sock`)}`,
      ACCESS_LOG: this.#accessLog(name),
    });
    const logFile = state.path("log", `${name}.log`);
    this.#generations.push(
      await startEnvoy({ config, logFile, concurrency: 1, drainSeconds: DRAIN_SECONDS }),
    );
    return before;
  }

  /**
   * Reads the access logs of all Envoys. Returns one line for each request that failed, with its time, the
   * request, and Envoy's reason.
   */
  async findTroubles(): Promise<string[]> {
    const texts = await Promise.all(
      this.#generations.map((_, n) => readFile(this.#accessLog(this.#nameOf(n)), "utf8").catch(() => "")),
    );
    return texts.flatMap((text, n) =>
      text.split("\n").filter(Boolean).map((line) => JSON.parse(line) as LogLine).filter(isTrouble)
        .map(({ time, method, path, status, flags, details }) =>
          `${this.#nameOf(n)}: ${time} ${method} ${path} ${status} ${flags} ${details}`
        )
    );
  }

  #nameOf(index: number): string {
    return `${this.#name}_${index + 1}`;
  }

  #accessLog(name: string): string {
    return this.#deployment.state.path("log", `${name}_access.log`);
  }

  async #stop(): Promise<void> {
    this.#haproxy?.kill("SIGTERM");
    await Promise.all(this.#generations.map((envoy) => envoy.stop()));
    await this.#trustSync.stop();
  }
}

/** HAProxy must not limit the load, which comes from one address. */
const behindHaproxy = async (folder: string, port: number): Promise<Record<string, string>> => ({
  FRONT_LISTEN: `127.0.0.1:${port}`,
  FRONT_DIRECTORY: folder,
  FRONT_METRICS_LISTEN: `127.0.0.1:${await findFreePort()}`,
  SIDECAR_LISTEN: `127.0.0.1:${await findFreePort()}`,
  CONNECTIONS_PER_ADDRESS: "1024",
});

async function startHaproxy(folder: string, port: number): Promise<ChildProcess> {
  let fault = "";
  const haproxy = spawn("haproxy", ["-db", "-f", join(folder, "haproxy.cfg")], {
    stdio: ["ignore", "ignore", "inherit"],
    // Debian installs HAProxy in /usr/sbin, which only root has on its PATH.
    env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` },
  });
  haproxy.on("error", ({ message }) => fault = `${message}: .ci/host_tools installs HAProxy.`);
  await until(async () => {
    if (fault || haproxy.exitCode !== null) throw new Error(`HAProxy did not start: ${fault}`);
    return await Wire.open(port).then((wire) => (wire.close(), true), () => false);
  });
  return haproxy;
}

interface LogLine {
  readonly kind: string;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly flags: string | null;
  readonly details: string | null;
}

const isTrouble = ({ kind, status, flags }: LogLine): boolean =>
  kind === "request" && (status === 0 || status >= 500 || (flags ?? "-") !== "-");
