import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ID_PREFIX, newId } from "@gold-partner/protocol";
import {
  ENVOY_PART,
  readAuthorities,
  readSidecarConfig,
  startEnvoy,
  syncTrust,
  type TrustedAuthorities,
  writeTrustOnce,
} from "@gold-partner/sidecar";
import postgres from "postgres";
import type { Authorities } from "./authorities.ts";
import { sayEnd } from "./child.ts";
import { startGateway } from "./gateway/start_gateway.ts";
import type { State } from "./state.ts";
import type { Watchdog } from "./watchdog.ts";

/** Terminates mutual TLS in front of the service: the development gateway or Envoy. */
interface TlsProxy {
  readonly what: string;
  readonly pids: Readonly<Record<string, number>>;
  /**
   * Resolves with an error sentence if Envoy exits unexpectedly. The gateway runs in this process, so its
   * promise never resolves.
   */
  readonly died: Promise<string>;
  close(): Promise<void>;
}

interface TlsProxyPlan {
  readonly state: State;
  readonly port: number;
  readonly baseUrl: string;
  readonly authorities: Authorities;
  /** The URL of the login gold_trust, with which the gateway or the sidecar reads the trusted CAs. */
  readonly databaseUrl: string;
  readonly floodPerSecond: string;
  readonly watchdog: Watchdog;
}

const POLL_MS = 1000;
const DRAIN_SECONDS = 1;
const TASKS = fileURLToPath(new URL("../../../tools/run.mjs", import.meta.url));

/** Opens the development gateway in this process. It needs no program besides Node or Deno. */
export async function openGateway(
  { state, port, authorities, databaseUrl }: TlsProxyPlan,
): Promise<TlsProxy> {
  const { cert, key } = authorities;
  const newRequestId = () =>
    newId(ID_PREFIX.request, Date.now(), (length) => crypto.getRandomValues(new Uint8Array(length)));
  const upstreams = [state.socket("server.sock")];
  const open = (ca: string) => startGateway({ port, ca, cert, key, upstreams, newRequestId, log: () => {} });
  let gateway = await open(authorities.partnerCa);
  const follower = followTrust(databaseUrl, authorities.partnerCa, async (ca) => {
    // Close the listener before opening a new one on the port, because Deno cannot change the CA of a
    // listener.
    const closed = gateway.close();
    gateway = await open(ca);
    await closed;
  });
  return {
    what: `the development gateway serves mutual TLS on port ${port}`,
    pids: {},
    died: new Promise(() => {}),
    async close() {
      await follower.stop();
      await gateway.close();
    },
  };
}

/**
 * Reads the trusted CAs once a second, as the sidecar does, and calls `change` if they differ. A failed read
 * or change is retried in the next round.
 */
function followTrust(databaseUrl: string, first: string, change: (ca: string) => Promise<void>) {
  const sql = postgres(databaseUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  const stopping = new AbortController();
  let [known, current]: [TrustedAuthorities | undefined, string] = [undefined, first];
  const work = (async () => {
    while (!stopping.signal.aborted) {
      known = await readAuthorities(sql, known).catch(() => known);
      const ca = known?.authorities.map(({ certificate }) => certificate).join("") ?? current;
      if (ca !== current && ca !== "") await change(ca).then(() => current = ca, () => {});
      await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopping.abort();
      // Close the connection first, because a query to an unresponsive database would not return.
      await sql.end({ timeout: 1 });
      await work;
    },
  };
}

/** Opens the real Envoy with the production configuration. */
export async function openEnvoy(plan: TlsProxyPlan): Promise<TlsProxy> {
  const { state, port, databaseUrl, watchdog } = plan;
  fetchEnvoy();
  await writeCertificate(plan);
  const config = readSidecarConfig(sidecarSettings(plan));
  const syncOptions = {
    databaseUrl,
    folder: config.trustDirectory,
    pollMs: POLL_MS,
    now: Date.now,
    write: (line: string) => appendFileSync(state.path("log", "sidecar.log"), `${line}\n`),
  };
  // Write the trust before Envoy starts, because Envoy needs these files.
  await writeTrustOnce(syncOptions);
  const logFile = state.path("log", "envoy.log");
  const envoy = await startEnvoy({
    config,
    logFile,
    concurrency: 1,
    drainSeconds: DRAIN_SECONDS,
    onLaunch: (pid) =>
      watchdog.guard({ pid, command: config.configDirectory, signals: ["SIGTERM", "SIGKILL"] }),
  });
  const trustSync = syncTrust(syncOptions);
  return {
    what: `Envoy serves mutual TLS on port ${port}, as process ${envoy.pid}`,
    pids: { sidecar: envoy.pid },
    died: envoy.exited.then((end) => `${sayEnd("Envoy", end)} See its log: ${logFile}`),
    async close() {
      await Promise.all([trustSync.stop(), envoy.stop()]);
    },
  };
}

async function writeCertificate({ state, authorities: { cert, key } }: TlsProxyPlan): Promise<void> {
  const folder = state.path("envoy", "certificate");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "tls.crt"), cert);
  await state.writePrivate(join(folder, "tls.key"), key);
}

function sidecarSettings({ state, port, baseUrl, databaseUrl, floodPerSecond }: TlsProxyPlan) {
  return {
    GOLD_ENV: "sandbox",
    PUBLIC_BASE_URL: baseUrl,
    DATABASE_URL: databaseUrl,
    SIDECAR_LISTEN: `127.0.0.1:${port}`,
    UPSTREAMS: `unix:${state.socket("server.sock")}|unix:${state.socket("server_operations.sock")}`,
    CONFIG_DIRECTORY: state.path("envoy", "config"),
    TRUST_DIRECTORY: state.path("envoy", "trust"),
    SERVER_CERTIFICATE_DIRECTORY: state.path("envoy", "certificate"),
    FLOOD_PER_SECOND: floodPerSecond,
    ADMIN_LISTEN: `unix:${state.socket("envoy_admin.sock")}`,
    ACCESS_LOG: state.path("log", "access.log"),
  };
}

/** Downloads Envoy at its first use, because Envoy is not an npm package. */
export function fetchEnvoy(): void {
  if (process.env.ENVOY_BINARY || existsSync(ENVOY_PART)) return;
  const underDeno = "Deno" in globalThis;
  const { status } = spawnSync(process.execPath, [
    ...(underDeno ? ["run", "-A"] : []),
    TASKS,
    "tools",
    "envoy",
  ], {
    // Send the report to stderr, because a program may parse stdout (--json).
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) {
    throw new Error(
      "Envoy could not be downloaded; the reason is printed above. Without --envoy, npm start uses the " +
        "development gateway.",
    );
  }
}
