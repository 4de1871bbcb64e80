import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "@gold-partner/dev/postgres";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import type { Identity } from "../pki_fixture.ts";
import { FRONT_SOCKET, HAPROXY_FILE } from "./haproxy.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";
import { readAnswer, readToEnd } from "../../../../tools/testing/raw_http.ts";

/** The real HAProxy in front of the real Envoy, both configured from the same settings. */
export interface TestFront {
  readonly envoy: TestEnvoy;
  readonly port: number;
  readonly socket: string;
  /** HAProxy's metrics in Prometheus format. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

const START_MS = 120_000;
const POLL_MS = 20;
/** Time limit for a connection, its handshake and one reply together. */
const TIMEOUT_MS = 10_000;

export async function startTestFront(settings: Record<string, string> = {}): Promise<TestFront> {
  const [port, inner, metricsPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const folder = temporaryFolder("front");
  const envoy = await startTestEnvoy({
    FRONT_LISTEN: `127.0.0.1:${port}`,
    SIDECAR_LISTEN: `127.0.0.1:${inner}`,
    FRONT_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
    FRONT_DIRECTORY: folder,
    ...settings,
  });
  const haproxy = spawn("haproxy", ["-db", "-f", join(folder, HAPROXY_FILE)], {
    stdio: ["ignore", "pipe", "pipe"],
    // Add /usr/sbin, in which Debian installs HAProxy, because only root has it on its PATH.
    env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` },
  });
  const stop = async () => {
    haproxy.kill("SIGTERM");
    if (haproxy.pid && haproxy.exitCode === null) await once(haproxy, "exit");
    await envoy.stop();
  };
  const runtimeApi = join(folder, FRONT_SOCKET);
  await untilListening(haproxy, port, runtimeApi).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    envoy,
    port,
    socket: runtimeApi,
    metrics: async () => await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    stop,
  };
}

async function untilListening(haproxy: ChildProcess, port: number, runtimeApi: string): Promise<void> {
  let said = "";
  for (const stream of [haproxy.stdout!, haproxy.stderr!]) stream.on("data", (part) => said += part);
  haproxy.on("error", ({ message }) => said += `${message}: .ci/host_tools installs HAProxy.`);
  for (const endMs = Date.now() + START_MS; Date.now() < endMs; await sleep(POLL_MS)) {
    if (haproxy.exitCode !== null || haproxy.pid === undefined) break;
    // Connect to both ports, because the socket's file exists before HAProxy listens on it.
    if (await accepts(connect(port, "127.0.0.1")) && await accepts(connect(runtimeApi))) return;
  }
  throw new Error(`HAProxy did not start: ${said}`);
}

async function accepts(socket: Socket): Promise<boolean> {
  const isOpen = await once(socket, "connect").then(() => true, () => false);
  socket.destroy();
  return isOpen;
}

/** Makes `attempts` handshakes as a partner, each followed by one request. Returns how many failed. */
export async function failuresOf(
  fixture: TestEnvoy,
  attempts: number,
  { port, from = "127.0.0.1" }: { readonly port?: number; readonly from?: string },
): Promise<number> {
  const AT_ONCE = 4;
  let [begun, failed] = [0, 0];
  const work = async () => {
    while (begun++ < attempts) if (!await isServed(fixture, { port, from })) failed++;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failed;
}

interface Way {
  readonly port?: number | undefined;
  readonly from?: string;
  readonly identity?: Identity;
}

/** Opens a new connection and sends one request. Returns true if the reply has status 200. */
export async function isServed(
  fixture: TestEnvoy,
  { port, from = "127.0.0.1", identity }: Way,
): Promise<boolean> {
  const served = fixture.open({
    localAddress: from,
    ...(port ? { port } : {}),
    ...(identity ? { cert: identity.cert, key: identity.key } : {}),
  } as object).then(async (socket) => {
    socket.write(request("GET /health"));
    return readAnswer(await readToEnd(socket)).status === 200;
  }, () => false);
  return await Promise.race([served.catch(() => false), sleep(TIMEOUT_MS, false, { ref: false })]);
}
