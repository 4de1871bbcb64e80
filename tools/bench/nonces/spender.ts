// A process that spends fresh nonces. Each of its parallel loops sends the next nonce when the previous one
// is answered. It uses the service's own booking code or a Redis client.
import { randomUUID } from "node:crypto";
import { createMetrics, openBooking, openPools, openWriteProbe } from "@gold-partner/server";
import { Redis } from "ioredis";
import { startClock } from "../harness.ts";
import { takeTasks } from "../../testing/child_program.ts";

/** Where nonces are spent; both are reached over a Unix socket. */
export type Store =
  | { readonly redis: string; readonly autoPipelining: boolean }
  | { readonly postgres: PostgresSocket };

export interface PostgresSocket {
  readonly folder: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

interface Turn {
  readonly partners: number;
  readonly inFlight: number;
  readonly turnMs: number;
}

export type Task = { readonly open: Store } | { readonly spend: Turn };

export interface Report {
  readonly operations: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Returns true if the nonce was new. */
type Spend = (client: number, nonce: string) => Promise<boolean>;

const BATCHERS = 2;
const KEPT_MS = 600_000;

async function openStore(store: Store): Promise<Spend> {
  if ("redis" in store) {
    const redis = new Redis({ path: store.redis, enableAutoPipelining: store.autoPipelining });
    return async (client, nonce) =>
      await redis.set(`nonce:${client}:${nonce}`, "1", "PX", KEPT_MS, "NX") === "OK";
  }
  const { folder, port, user, password, database } = store.postgres;
  const databaseUrl = `postgres://${user}:${password}@${encodeURIComponent(folder)}:${port}/${database}`;
  const pools = openPools({ databaseUrl, tickerDatabaseUrl: databaseUrl, lanes: BATCHERS }, () => {});
  const monotonicMs = () => performance.now();
  const writes = await openWriteProbe({ sql: pools.probe, standby: false, monotonicMs, log: () => {} });
  const booking = openBooking(pools, BATCHERS, () => {}, writes, createMetrics());
  return async (client, nonce) => {
    const { outcome } = await booking.spend({
      client,
      admissionVersion: "1",
      nonce,
      requestId: randomUUID(),
    });
    if (outcome !== "answered" && outcome !== "nonce_reused") {
      throw new Error(`spending a nonce gave the outcome ${outcome}`);
    }
    return outcome === "answered";
  };
}

async function spendFor(spend: Spend, { partners, inFlight, turnMs }: Turn): Promise<Report> {
  const clock = startClock();
  const endMs = performance.now() + turnMs;
  let operations = 0;
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (performance.now() < endMs) {
      if (!await spend(1 + operations++ % partners, randomUUID())) {
        throw new Error("a fresh nonce was refused");
      }
    }
  }));
  const report = { operations, ...clock() };
  await requireRefusal(spend);
  return report;
}

/** Checks that a used nonce is refused, because a store that accepts every nonce would be faster. */
async function requireRefusal(spend: Spend): Promise<void> {
  const nonce = randomUUID();
  if (!await spend(1, nonce) || await spend(1, nonce)) throw new Error("a used nonce was not refused");
}

let spend: Spend | undefined;

await takeTasks<Task>(async (task) => {
  if ("open" in task) {
    spend = await openStore(task.open);
    await requireRefusal(spend);
    return {};
  }
  if (!spend) throw new Error("the first command must be open");
  return await spendFor(spend, task.spend);
});
