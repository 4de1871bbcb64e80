import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "../stage/deployment.ts";
import type { Finding } from "../stage/report.ts";
import { repeat } from "./race.ts";
import { makeQuotes, type Stage } from "../stage/stage.ts";
import type { Trader } from "../stage/trader.ts";
import { verdictOf, Wire } from "../stage/wire.ts";
import { median } from "../../testing/statistics.ts";

const GRAMS = "0.01";
/** How many orders each other connection must get while the account is locked. */
const UNDISTURBED_EACH = 2;
/**
 * How long the account is locked at most. Shorter than 2 s, the longest time that an order waits for a locked
 * account.
 */
const LOCKED_MS = 1800;
const ORDERS_EACH = 40;
const IN_FLIGHT_EACH = 2;
const PAIRS = 21;
const COST_MAX = 0.15;

/** One connection's share of the load. The requests are signed beforehand and sent one after another. */
interface Queue {
  readonly wire: Wire;
  readonly requests: readonly Uint8Array[];
}

/** Prepares orders with different keys. Each is for the next of the quotes, which may be fewer. */
async function queueOrders(
  deployment: Deployment,
  trader: Trader,
  count: number,
  quoteCount = count,
): Promise<Queue> {
  const wire = await Wire.open(deployment.servers[0]!.socket);
  const stage: Stage = {
    deployment,
    wires: [wire],
    traders: [trader],
    sql: deployment.sql,
    accepted: new Set(),
  };
  const quotes = await makeQuotes(stage, quoteCount, GRAMS);
  return { wire, requests: await Promise.all(repeat(count, (n) => trader.order(quotes[n % quoteCount]!))) };
}

/** Sends the requests one after another while they are wanted. Throws if a reply is not the expected one. */
async function drain(
  { wire, requests }: Queue,
  expected: string,
  isWanted: () => boolean = () => true,
): Promise<void> {
  for (const request of requests) {
    if (!isWanted()) break;
    const verdict = verdictOf(await wire.send(request));
    if (verdict !== expected) throw new Error(`got ${verdict} instead of ${expected}`);
  }
  wire.close();
}

const queueAll = (deployment: Deployment, traders: readonly Trader[], count: number): Promise<Queue[]> =>
  Promise.all(
    traders.flatMap((trader) => repeat(IN_FLIGHT_EACH, () => queueOrders(deployment, trader, count))),
  );

/**
 * Checks that only one partner's orders wait while another session locks that partner's account. An order of
 * another partner that waited for it would get its reply only after the lock.
 */
export async function lockOneAccount(deployment: Deployment): Promise<Finding> {
  const [stuck, ...others] = deployment.traders.slice(0, -1) as [Trader, ...Trader[]];
  const queues = await queueAll(deployment, others, UNDISTURBED_EACH);
  const waiting = await queueAll(deployment, [stuck], 1);
  const session = deployment.connectSuperuser(1);
  await session.unsafe("begin");
  await session`select from gold.account where client_id = ${stuck.client} for update`;
  const startedMs = performance.now();
  let areStuck = true;
  const stuckReplies = Promise.all(waiting.map(({ wire, requests: [request] }) => wire.send(request!)))
    .finally(() => areStuck = false);
  const undisturbed = Promise.all(queues.map((queue) => drain(queue, "201", () => areStuck)))
    .then(() => areStuck);
  const isUndisturbed = await Promise.race([undisturbed, sleep(LOCKED_MS, false)]);
  const lockedMs = performance.now() - startedMs;
  await session.end({ timeout: 0 });
  await undisturbed;
  const verdicts = (await stuckReplies).map(verdictOf);
  for (const { wire } of waiting) wire.close();
  return {
    what: `each of ${queues.length} connections of other partners got ${UNDISTURBED_EACH} orders while one ` +
      `partner's account was locked for ${Math.round(lockedMs)} ms`,
    violations: [
      ...(isUndisturbed ? [] : ["other partners' orders waited for the locked account"]),
      ...verdicts.filter((verdict) => verdict !== "201").map((verdict) =>
        `an order of the locked account got ${verdict}`
      ),
    ],
  };
}

/**
 * Measures how much throughput the other partners lose to a partner that sends only orders that are refused.
 * The result is the median over pairs of runs, one with that partner and one without.
 */
export async function measureRefusals(deployment: Deployment): Promise<Finding> {
  const others = deployment.traders.slice(0, -1);
  const unfunded = deployment.traders.at(-1)!;
  const costs: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const withFirst = pair % 2 === 0;
    const first = await timeOthers(deployment, others, withFirst ? unfunded : undefined);
    const second = await timeOthers(deployment, others, withFirst ? undefined : unfunded);
    const [beside, alone] = withFirst ? [first, second] : [second, first];
    costs.push(1 - alone / beside);
  }
  const cost = median(costs);
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return {
    what:
      `${others.length} partners lose ${
        percent(cost)
      } of their orders per second to a partner whose orders are all refused ` +
      `(${PAIRS} pairs, from ${percent(Math.min(...costs))} to ${percent(Math.max(...costs))})`,
    violations: cost < COST_MAX ? [] : [`the loss exceeds ${percent(COST_MAX)}`],
  };
}

async function timeOthers(
  deployment: Deployment,
  others: readonly Trader[],
  unfunded: Trader | undefined,
): Promise<number> {
  const queues = await queueAll(deployment, others, ORDERS_EACH);
  // All orders of the other partner are for one quote that it cannot pay for.
  const refusals = unfunded === undefined
    ? []
    : await Promise.all(repeat(IN_FLIGHT_EACH, () => queueOrders(deployment, unfunded, 5 * ORDERS_EACH, 1)));
  let under = true;
  const startedMs = performance.now();
  const refused = refusals.map((queue) => drain(queue, "422 insufficient_funds", () => under));
  await Promise.all(queues.map((queue) => drain(queue, "201")));
  const durationMs = performance.now() - startedMs;
  under = false;
  await Promise.all(refused);
  return durationMs;
}
