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
  /** Gets what Envoy says of itself, and the access log where that is /dev/stdout. */
  readonly logFile: string;
  readonly concurrency?: number;
  /** How long partners are asked to go before the door closes. */
  readonly drainSeconds?: number;
  /** Called when the process exists, before it answers: its command line holds the configuration directory. */
  readonly onLaunch?: (pid: number) => void;
}

export interface EnvoyProcess {
  readonly pid: number;
  readonly exited: Promise<number>;
  /** The listening ports, in the configuration's order; port 0 is replaced by the real port. */
  readonly ports: readonly number[];
  /** Asks every partner to go, closes the door, and resolves when they have gone, or soon after. */
  drain(): Promise<void>;
  /** Ends, after a drain where a partner is connected. */
  stop(): Promise<void>;
}

/** Where `npm run parts -- envoy` puts it. */
export const ENVOY_PART: string = fileURLToPath(
  new URL("../../../.tools/envoy/envoy/_bin/envoy", import.meta.url),
);
const START_MS = 15_000;
const STOP_MS = 5000;
/** For what is under way when the door closes. */
const LINGER_SECONDS = 3;
const POLL_MS = 50;
const LOG_FLUSH_MS = 1000;
const LOG_TAIL_CHARACTERS = 2000;

/** Writes the configuration and starts the real Envoy with it; resolves once it serves. */
export async function startEnvoy(
  { config, logFile, concurrency = 2, drainSeconds = 5, onLaunch = () => {} }: EnvoyOptions,
): Promise<EnvoyProcess> {
  await writeConfigFiles(config);
  const child = spawnEnvoy(config, logFile, [
    ...["--concurrency", `${concurrency}`],
    ...["--drain-time-s", `${drainSeconds}`, "--drain-strategy", "immediate"],
  ]);
  if (child.pid !== undefined) onLaunch(child.pid);
  const exited = once(child, "exit").then(([code]) => (code as number | null) ?? 1);
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
      // Several may run on one machine, and they share no memory.
      "--use-dynamic-base-id",
      ...["--file-flush-interval-msec", `${LOG_FLUSH_MS}`],
      ...args,
    ], { stdio: ["ignore", log, log] });
  } finally {
    closeSync(log);
  }
}

type Ask = (method: "GET" | "POST", path: string) => Promise<string>;

async function untilLive(exited: Promise<number>, ask: Ask, logFile: string): Promise<void> {
  let ended: string | undefined;
  exited.then(
    (code) => ended = `It ended with ${code}.`,
    (error: Error) => ended = `${error.message}: npm run parts -- envoy installs it.`,
  );
  for (const endMs = Date.now() + START_MS; Date.now() < endMs && !ended; await sleep(POLL_MS)) {
    if (await ask("GET", "/ready").then((text) => text.trim() === "LIVE", () => false)) return;
  }
  const words = readFileSync(logFile, "utf8").slice(-LOG_TAIL_CHARACTERS);
  throw new Error(`Envoy did not start. ${ended ?? "It was not ready in time."} Its last words:\n${words}`);
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
