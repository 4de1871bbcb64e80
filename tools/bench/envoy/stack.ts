// Runs the service as `npm start -- --envoy` does, and raises the partner's rate limit.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type SecureVersion, type TLSSocket } from "node:tls";
import { asOperator, type Credentials, type Running, start } from "@gold-partner/dev";
import { findFreePort } from "@gold-partner/dev/postgres";

export interface EnvoyStack {
  readonly credentials: Credentials;
  /** The service's own socket, through which Envoy reaches the service. */
  readonly socket: string;
  readonly servicePid: number;
  readonly envoyPid: number;
  /** Opens a connection to Envoy with a full handshake. No session is ever resumed. */
  connectTls(version?: SecureVersion): Promise<TLSSocket>;
  stop(): Promise<void>;
}

/**
 * The partner's rate limit in the service. It refuses nothing, because one machine cannot send this many
 * requests per second. The database requires that Envoy's own limit is at least four times as high.
 */
const RATE_PER_SECOND = 100_000;

export async function openEnvoyStack(): Promise<EnvoyStack> {
  const dir = mkdtempSync(join(tmpdir(), "gold-bench-"));
  const port = await findFreePort();
  const running = await start({
    port,
    stateDir: dir,
    reset: false,
    demo: false,
    envoy: true,
    floodPerSecond: 4 * RATE_PER_SECOND,
    report: () => {},
  });
  const stop = async () => {
    await running.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    return { ...await connectTo(running), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function connectTo({ credentials, state, baseUrl }: Running): Promise<Omit<EnvoyStack, "stop">> {
  const run = JSON.parse(readFileSync(state.path("run.json"), "utf8")) as {
    database_url: string;
    pids: { server: number; sidecar: number };
  };
  const rate = ["--rate", `${RATE_PER_SECOND}/s`, "--burst", `${RATE_PER_SECOND}`];
  await asOperator(run.database_url)("partner set", credentials.client_id, ...rate);
  const identity = {
    ca: readFileSync(credentials.ca, "utf8"),
    cert: readFileSync(credentials.cert, "utf8"),
    key: readFileSync(credentials.key, "utf8"),
  };
  return {
    credentials,
    socket: state.socket("server.sock"),
    servicePid: run.pids.server,
    envoyPid: run.pids.sidecar,
    async connectTls(version = "TLSv1.3") {
      const socket = connect({
        ...identity,
        port: Number(new URL(baseUrl).port),
        host: "127.0.0.1",
        servername: "localhost",
        minVersion: version,
        maxVersion: version,
      });
      await once(socket, "secureConnect");
      return socket;
    },
  };
}
