import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { askAdmin } from "./admin.ts";
import { BOOTSTRAP_FILE } from "./bootstrap/bootstrap.ts";
import { PARTNERS_LISTENER } from "./bootstrap/listener.ts";
import { writeConfigFiles } from "./config_folder.ts";
import { drainEnvoy, readRemainder } from "./drain/drain_envoy.ts";
import type { SidecarConfig } from "./settings.ts";

export interface EnvoyOptions {
  readonly config: SidecarConfig;
  /** Receives Envoy's own log, and the access log if ACCESS_LOG is /dev/stdout. */
  readonly logFile: string;
  readonly concurrency?: number;
  /** How long Envoy asks partners to disconnect before it stops accepting connections. */
  readonly drainSeconds?: number;
  /**
   * Called as soon as the process exists, before Envoy is ready. A watchdog can recognize the process by the
   * configuration directory in its command line.
   */
  readonly onLaunch?: (pid: number) => void;
}

export interface EnvoyProcess {
  readonly pid: number;
  /** Resolves with the exit code, or the name of the signal that ended Envoy. */
  readonly exited: Promise<number | string>;
  /** The listening ports, in the configuration's order. Port 0 is replaced by the real port. */
  readonly ports: readonly number[];
  /**
   * Asks every partner to disconnect, then stops accepting connections. Resolves when all partners have
   * disconnected, at the latest LINGER_SECONDS after the drain time.
   */
  drain(): Promise<void>;
  /** Ends Envoy. Drains it first if a partner is connected. */
  stop(): Promise<void>;
}

/** The Envoy binary that `npm run tools -- envoy` installs. */
export const ENVOY_PART: string = fileURLToPath(
  new URL("../../../.tools/envoy/envoy/_bin/envoy", import.meta.url),
);
const START_MS = 60_000;
const STOP_MS = 5000;
/** Extra time for requests that are in flight when Envoy stops accepting connections. */
const LINGER_SECONDS = 3;
const POLL_MS = 50;
const LOG_FLUSH_MS = 1000;
const LOG_TAIL_CHARACTERS = 2000;

/** Writes the configuration and starts the real Envoy with it. Resolves once Envoy is ready. */
export async function startEnvoy(
  { config, logFile, concurrency = 2, drainSeconds = 5, onLaunch = () => {} }: EnvoyOptions,
): Promise<EnvoyProcess> {
  await writeConfigFiles(config);
  const child = spawnEnvoy(config, logFile, [
    ...["--concurrency", `${concurrency}`],
    ...["--drain-time-s", `${drainSeconds}`, "--drain-strategy", "immediate"],
  ]);
  if (child.pid !== undefined) onLaunch(child.pid);
  const exited = once(child, "exit").then(([code, signal]): number | string => code ?? signal);
  const ask = (method: "GET" | "POST", path: string) => askAdmin(config.adminListen, method, path);
  const ports = await untilLive(exited, ask, logFile).then(() => listenerPorts(ask)).catch((error) => {
    child.kill("SIGKILL");
    throw error;
  });
  const drain = async (): Promise<void> => {
    await drainEnvoy({ admin: config.adminListen, seconds: drainSeconds + LINGER_SECONDS });
  };
  return {
    pid: child.pid!,
    exited,
    ports,
    drain,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const isUsed = await readRemainder(config.adminListen).then(
        ({ connections }) => connections > 0,
        () => false,
      );
      if (isUsed) await drain().catch(() => {});
      child.kill("SIGTERM");
      const cut = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await exited;
      clearTimeout(cut);
    },
  };
}

function spawnEnvoy(
  { configDirectory }: SidecarConfig,
  logFile: string,
  args: readonly string[],
): ChildProcess {
  const log = openSync(logFile, "a", 0o600);
  try {
    return spawn(process.env["ENVOY_BINARY"] ?? ENVOY_PART, [
      ...["-c", join(configDirectory, BOOTSTRAP_FILE), "--log-level", "warning"],
      // Give each Envoy its own shared memory, because several may run on one machine.
      "--use-dynamic-base-id",
      ...["--file-flush-interval-msec", `${LOG_FLUSH_MS}`],
      ...args,
    ], { stdio: ["ignore", log, log] });
  } finally {
    closeSync(log);
  }
}

type Ask = (method: "GET" | "POST", path: string) => Promise<string>;

async function untilLive(exited: Promise<number | string>, ask: Ask, logFile: string): Promise<void> {
  let ended: string | undefined;
  exited.then(
    (code) => ended = `It exited with ${code}.`,
    (error: Error) => ended = `${error.message}. To install Envoy, run: npm run tools -- envoy`,
  );
  for (const endMs = Date.now() + START_MS; Date.now() < endMs && !ended; await sleep(POLL_MS)) {
    if (await ask("GET", "/ready").then((text) => text.trim() === "LIVE", () => false)) return;
  }
  const words = readFileSync(logFile, "utf8").slice(-LOG_TAIL_CHARACTERS);
  throw new Error(
    `Envoy did not start. ${
      ended ?? `It was not ready within ${START_MS / 1000} s.`
    } Its log ends with:\n${words}`,
  );
}

async function listenerPorts(ask: Ask): Promise<number[]> {
  const { listener_statuses } = JSON.parse(await ask("GET", "/listeners?format=json")) as ListenerStatuses;
  return listener_statuses.filter(({ name }) => name === PARTNERS_LISTENER).flatMap((
    { local_address, additional_local_addresses = [] },
  ) => [local_address, ...additional_local_addresses].map(({ socket_address }) => socket_address.port_value));
}

interface ListenerStatuses {
  readonly listener_statuses: readonly {
    readonly name: string;
    readonly local_address: LocalAddress;
    readonly additional_local_addresses?: readonly LocalAddress[];
  }[];
}

interface LocalAddress {
  readonly socket_address: { readonly port_value: number };
}
