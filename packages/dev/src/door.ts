import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ID_PREFIX, newId } from "@gold-partner/protocol";
import { ENVOY_PART, readAuthorities, type TrustedAuthorities } from "@gold-partner/sidecar";
import postgres from "postgres";
import type { Authorities } from "./authorities.ts";
import { startChild } from "./child.ts";
import { startGateway } from "./gateway/mod.ts";
import { awaitReady } from "./ready.ts";
import type { State } from "./state.ts";

/** Where mutual TLS ends. */
interface Door {
  readonly what: string;
  readonly pids: Readonly<Record<string, number>>;
  /** When it ends by itself: the sentence that says so. */
  readonly died: Promise<string>;
  close(): Promise<void>;
}

interface DoorPlan {
  readonly state: State;
  readonly port: number;
  readonly baseUrl: string;
  readonly authorities: Authorities;
  /** The service's login, by which the sidecar reads whom to trust. */
  readonly databaseUrl: string;
  readonly floodPerSecond: string;
}

const POLL_MS = 1000;
const MAIN = fileURLToPath(new URL("./sidecar_main.ts", import.meta.url));
const TASKS = fileURLToPath(new URL("../../../tools/run.mjs", import.meta.url));

/** The gateway in this process: no more than Node or Deno is needed. */
export async function openGateway({ state, port, authorities, databaseUrl }: DoorPlan): Promise<Door> {
  const { cert, key } = authorities;
  const newRequestId = () =>
    newId(ID_PREFIX.request, Date.now(), (length) => crypto.getRandomValues(new Uint8Array(length)));
  const upstreams = [state.socket("server.sock")];
  const open = (ca: string) => startGateway({ port, ca, cert, key, upstreams, newRequestId, log: () => {} });
  let gateway = await open(authorities.partnerCa);
  const follower = followTrust(databaseUrl, authorities.partnerCa, async (ca) => {
    // Deno gives a listener no other CA, so another listener takes its port.
    const closed = gateway.close();
    gateway = await open(ca);
    await closed;
  });
  return {
    what: `mutual TLS on port ${port}`,
    pids: {},
    died: new Promise(() => {}),
    async close() {
      await follower.stop();
      await gateway.close();
    },
  };
}

/** Once a second, as the sidecar does. What fails is tried again. */
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
      await work;
      await sql.end({ timeout: 1 });
    },
  };
}

/** The real Envoy, by the configuration that production has. */
export async function openEnvoy(plan: DoorPlan): Promise<Door> {
  const { state, port, baseUrl, authorities, databaseUrl, floodPerSecond } = plan;
  fetchEnvoy();
  const folder = (name: string) => state.path("envoy", name);
  await mkdir(folder("certificate"), { recursive: true, mode: 0o700 });
  await writeFile(folder("certificate/tls.crt"), authorities.cert);
  await state.writePrivate(folder("certificate/tls.key"), authorities.key);
  const [admin, log] = [state.socket("envoy_admin.sock"), state.path("log", "sidecar.log")];
  const child = startChild(MAIN, {
    GOLD_ENV: "sandbox",
    PUBLIC_BASE_URL: baseUrl,
    DATABASE_URL: databaseUrl,
    SIDECAR_LISTEN: `127.0.0.1:${port}`,
    UPSTREAMS: `unix:${state.socket("server.sock")}|unix:${state.socket("server_operations.sock")}`,
    CONFIG_DIRECTORY: folder("config"),
    TRUST_DIRECTORY: folder("trust"),
    SERVER_CERTIFICATE_DIRECTORY: folder("certificate"),
    FLOOD_PER_SECOND: floodPerSecond,
    ADMIN_LISTEN: `unix:${admin}`,
    ACCESS_LOG: state.path("log", "access.log"),
    ENVOY_LOG: state.path("log", "envoy.log"),
    ...(process.env.ENVOY_BINARY ? { ENVOY_BINARY: process.env.ENVOY_BINARY } : {}),
  }, log);
  await awaitReady(admin, child, log, "Envoy").catch(async (error) => {
    await child.stop();
    throw error;
  });
  return {
    what: `mutual TLS on port ${port} ends in Envoy, kept by process ${child.pid}`,
    pids: { sidecar: child.pid },
    died: child.exited.then((code) =>
      `Envoy ended by itself (exit ${code}); its log is ${state.path("log", "envoy.log")}.`
    ),
    close: () => child.stop(),
  };
}

/** It is no npm package, so it comes at its first use. */
export function fetchEnvoy(): void {
  if (process.env.ENVOY_BINARY || existsSync(ENVOY_PART)) return;
  const underDeno = "Deno" in globalThis;
  const { status } = spawnSync(process.execPath, [
    ...(underDeno ? ["run", "-A"] : []),
    TASKS,
    "parts",
    "envoy",
  ], {
    // Its report belongs to the person, not to whoever reads our output.
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) {
    throw new Error(
      "Envoy could not be fetched; the reason stands above. Without --envoy the development gateway serves.",
    );
  }
}
