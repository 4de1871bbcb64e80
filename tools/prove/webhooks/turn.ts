import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, type Trader } from "../stage/trader.ts";
import { type Reply, verdictOf } from "../stage/wire.ts";
import { makeQuotes } from "./order_booker.ts";
import type { Arrival } from "./receivers_process.ts";
import type { Setup } from "./setup.ts";
import { median } from "../../testing/statistics.ts";

export interface TurnPlan {
  readonly orders: number;
  /** How many partners, counted from the first, have healthy receivers. */
  readonly well: number;
  /** How many partners, counted from the first, buy. */
  readonly buyers: number;
}

/** The results of one turn, for the first endpoints of the partners with healthy receivers. */
export interface Turn {
  readonly medianMs: number;
  readonly slowMs: number;
  /** The longest time from an event to the start of its first attempt, according to the database. */
  readonly beganMs: number;
  readonly arrivals: readonly Arrival[];
  /** The reasons for which orders were refused with 503 and sent again. */
  readonly refusals: readonly string[];
}

const ORDERS_PER_SECOND = 100;
/**
 * The share of the orders during which connections are opened. medianMs and slowMs leave these orders out;
 * beganMs includes them.
 */
const WARM_UP_SHARE = 0.2;
const SLOW_SHARE = 0.99;
const ARRIVAL_MS = 20_000;
const POLL_MS = 100;
const SERVED: readonly string[] = ["201", "200 replayed"];

/**
 * Runs one turn: sends orders at a steady rate, and waits until all events for healthy receivers have
 * arrived.
 */
export async function takeTurn(setup: Setup, plan: TurnPlan): Promise<Turn> {
  const since = new Date();
  const refusals: string[] = [];
  const executed = await trade(setup, plan, refusals);
  const arrivals = await awaitArrivals(setup, executed, plan.well);
  const warm = executed.slice(Math.ceil(executed.length * WARM_UP_SHARE));
  const firsts = new Map<string, Arrival>();
  for (const arrival of arrivals) if (!firsts.has(arrival.order!)) firsts.set(arrival.order!, arrival);
  const waits = warm.map((id) => firsts.get(id)!).map(({ arrivedMs, createdMs }) => arrivedMs - createdMs);
  waits.sort((left, right) => left - right);
  return {
    medianMs: median(waits),
    slowMs: waits[Math.ceil(waits.length * SLOW_SHARE) - 1]!,
    beganMs: await readBegan(setup, plan, since),
    arrivals,
    refusals,
  };
}

/** Sends the orders directly to the service. Returns the order ids of partners with healthy receivers. */
async function trade(
  { deployment, service }: Setup,
  { orders, well, buyers }: TurnPlan,
  refusals: string[],
): Promise<string[]> {
  await deployment.renewTokens();
  const turns = Array.from({ length: orders }, (_, n) => n % buyers);
  const traderOf = (turn: number) => deployment.traders[turn]!;
  const quotes = await makeQuotes(deployment.sql, turns.map((turn) => traderOf(turn).client));
  const startedMs = performance.now();
  const replies = await Promise.all(turns.map(async (turn, n) => {
    await sleep(Math.max(0, startedMs + n * 1000 / ORDERS_PER_SECOND - performance.now()));
    return await insist(service.socket, traderOf(turn), `qt_${quotes[n]}`, refusals);
  }));
  const failed = replies.map(verdictOf).find((verdict) => !SERVED.includes(verdict));
  if (failed) throw new Error(`an order got ${failed}`);
  return turns.flatMap((turn, n) => turn < well ? [`ord_${quotes[n]}`] : []);
}

/** Sends the same key again while the service answers 503, as docs/idempotency.md requires. */
async function insist(
  socketPath: string,
  trader: Trader,
  quoteId: string,
  refusals: string[],
): Promise<Reply | undefined> {
  const key = randomUUID();
  const deadline = performance.now() + ARRIVAL_MS;
  for (;;) {
    const reply = await ask(socketPath, await trader.order(quoteId, { key }));
    if (reply?.status !== 503 || performance.now() > deadline) return reply;
    refusals.push((JSON.parse(reply.body) as { detail: string }).detail);
    await sleep(POLL_MS);
  }
}

/** Waits for the events of these orders at the first endpoints, and ignores all others. */
async function awaitArrivals(
  { receivers }: Setup,
  orders: readonly string[],
  well: number,
): Promise<Arrival[]> {
  const expected = new Set(orders);
  const arrivals: Arrival[] = [];
  const deadline = performance.now() + ARRIVAL_MS;
  for (;;) {
    const taken = await receivers.take();
    arrivals.push(...taken.filter(({ receiver, order }) => receiver < well && expected.has(order!)));
    const missing = expected.size - new Set(arrivals.map(({ order }) => order)).size;
    if (missing === 0) return arrivals;
    if (performance.now() > deadline) {
      throw new Error(`the events of ${missing} orders did not arrive at healthy receivers`);
    }
    await sleep(POLL_MS);
  }
}

async function readBegan({ deployment }: Setup, { well }: TurnPlan, since: Date): Promise<number> {
  const clients = deployment.traders.slice(0, well).map(({ client }) => client);
  const [row] = await deployment.sql`
    select (extract(epoch from max(a.at - e.created_at)) * 1000)::int as began
    from gold.event e cross join lateral (
      select min(a.attempted_at) as at from gold.attempt a
      where a.bucket = e.bucket and a.client_id = e.client_id and a.sequence = e.sequence) a
    where e.client_id = any (${`{${
    clients.join(",")
  }}`}::text::int[]) and e.created_at >= ${since.toISOString()}::text::timestamptz`;
  return row!.began;
}
