import { appendFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
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
import type { Deployment } from "./deployment.ts";

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
}

/**
 * The real Envoy in front of a deployment's processes, with its trust sync. A new Envoy can start on the same
 * port before the old one ends.
 */
export class EnvoyFront {
  readonly #deployment: Deployment;
  readonly #trustSync: TrustSync;
  readonly #settings: Record<string, string>;
  readonly #generations: EnvoyProcess[] = [];

  private constructor(deployment: Deployment, trustSync: TrustSync, settings: Record<string, string>) {
    this.#settings = settings;
    this.#deployment = deployment;
    this.#trustSync = trustSync;
  }

  static async open(
    deployment: Deployment,
    { now = Date.now, flood }: FrontOptions = {},
  ): Promise<EnvoyFront> {
    fetchEnvoy();
    const { state, operator, operators } = deployment;
    const { cert, key } = await ensureAuthorities(state, operator);
    await mkdir(state.path("envoy", "certificate"), { recursive: true, mode: 0o700 });
    await writeFile(state.path("envoy", "certificate", "tls.crt"), cert);
    await state.writePrivate(state.path("envoy", "certificate", "tls.key"), key);
    const keeping = {
      databaseUrl: deployment.trustUrl,
      operatorKeys: await parseOperatorKeys(await readFile(operators.keysFile!, "utf8")),
      folder: state.path("envoy", "trust"),
      pollMs: POLL_MS,
      now,
      write: (line: string) => appendFileSync(state.path("log", "trust_sync.log"), `${line}\n`),
    };
    await writeTrustOnce(keeping);
    const front = new EnvoyFront(
      deployment,
      syncTrust(keeping),
      flood === "default" ? {} : { FLOOD_PER_SECOND },
    );
    deployment.onStop(() => front.#stop());
    await front.start();
    return front;
  }

  /** The process of the Envoy that was started last. */
  get pid(): number {
    return this.#generations.at(-1)!.pid;
  }

  /**
   * Starts one more Envoy on the same port, and returns the previous Envoy, which still runs. A new
   * connection may reach either Envoy until the caller stops the previous one.
   */
  async start(): Promise<EnvoyProcess | undefined> {
    const before = this.#generations.at(-1);
    const { state, baseUrl, port, servers } = this.#deployment;
    const name = nameOf(this.#generations.length + 1);
    const config = readSidecarConfig({
      GOLD_ENV: "sandbox",
      PUBLIC_BASE_URL: baseUrl,
      SIDECAR_LISTEN: `127.0.0.1:${port}`,
      UPSTREAMS: servers.map(({ socket, operations }) => `unix:${socket}|unix:${operations}`).join(),
      CONFIG_DIRECTORY: state.path("envoy", name),
      TRUST_DIRECTORY: state.path("envoy", "trust"),
      SERVER_CERTIFICATE_DIRECTORY: state.path("envoy", "certificate"),
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
      this.#generations.map((_, n) => readFile(this.#accessLog(nameOf(n + 1)), "utf8").catch(() => "")),
    );
    return texts.flatMap((text, n) =>
      text.split("\n").filter(Boolean).map((line) => JSON.parse(line) as LogLine).filter(isTrouble)
        .map(({ time, method, path, status, flags, details }) =>
          `${nameOf(n + 1)}: ${time} ${method} ${path} ${status} ${flags} ${details}`
        )
    );
  }

  #accessLog(name: string): string {
    return this.#deployment.state.path("log", `${name}_access.log`);
  }

  async #stop(): Promise<void> {
    await Promise.all(this.#generations.map((envoy) => envoy.stop()));
    await this.#trustSync.stop();
  }
}

const nameOf = (generation: number): string => `envoy_${generation}`;

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
