import { connect, type Socket } from "node:net";
import process from "node:process";
import { connect as connectTls } from "node:tls";

/**
 * Opens connections and sends nothing on them. Runs as a separate process. The process exits when its
 * standard input ends, or after two minutes. Reopens every connection that is closed, so that the flood
 * lasts. Prints its counts as lines of JSON.
 */
export interface AttackPlan {
  readonly port: number;
  /** Addresses of this machine. Each connection uses the next address in the list. */
  readonly from: readonly string[];
  readonly count: number;
  /** If set, each connection completes a TLS handshake. Otherwise it stops after the TCP handshake. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
}

export interface AttackCounts {
  /** Connections that were tried. A reopened connection is not counted again. */
  readonly tried: number;
  /** Connections that are open now. With TLS, only those that completed their handshake. */
  readonly held: number;
}

const LIFE_MS = 120_000;
const REPORT_MS = 100;
const BATCH = 200;
const REOPEN_MS = 3000;

const plan = JSON.parse(process.argv[2]!) as AttackPlan;
let [tried, held] = [0, 0];

function open(at: number): void {
  const where = { port: plan.port, host: "127.0.0.1", localAddress: plan.from[at % plan.from.length]! };
  const tcp = connect(where);
  const socket: Socket = plan.tls ? connectTls({ ...plan.tls, socket: tcp, servername: "localhost" }) : tcp;
  let isHeld = false;
  socket.once(plan.tls ? "secureConnect" : "connect", () => {
    isHeld = true;
    held++;
  });
  for (const one of new Set([tcp, socket])) one.on("error", () => {});
  socket.once("close", () => {
    if (isHeld) held--;
    setTimeout(open, REOPEN_MS, at);
  });
  socket.resume();
}

function begin(): void {
  for (let n = 0; n < BATCH && tried < plan.count; n++) open(tried++);
  if (tried < plan.count) setImmediate(begin);
}

process.stdin.resume().once("end", () => process.exit(0));
setTimeout(() => process.exit(0), LIFE_MS);
setInterval(() => console.log(JSON.stringify({ tried, held } satisfies AttackCounts)), REPORT_MS);
begin();
