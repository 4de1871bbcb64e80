import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../testing/statistics.ts";
import { until } from "../testing/until.ts";
import { FakeClock, findFaketime } from "./clock/fake_clock.ts";
import { Deployment } from "./stage/deployment.ts";
import { type Finding, Report } from "./stage/report.ts";
import { findImbalance } from "./stage/stage.ts";
import { ask, type Trader } from "./stage/trader.ts";
import { memberOf, type Reply, requireReply, verdictOf } from "./stage/wire.ts";

// npm run prove -- clock [--short]: libfaketime steps the clock of Postgres back by 75 s and by 3,600 s while
// partners trade.

const STEPS_SECONDS = [75, 3600];
/**
 * Postgres' clock is set this far ahead after the accounts were funded at real time. After each step back,
 * the newest posting of an account that has not traded yet is therefore still older than the clock.
 */
const AHEAD_SECONDS = 7200;
const HELD_MS = { long: 10_000, short: 3_000 };
const BALANCE_MS = 100;
const GRAMS = "0.01";
const REFUSED = "503 service_unavailable";

const library = findFaketime();
if (!library) {
  console.error("The clock proof needs libfaketime: apt-get install faketime, or run .ci/host_tools.");
  process.exit(3);
}
const scale = process.argv.includes("--short") ? "short" : "long";
const report = new Report();
const deployment = await Deployment.start({ servers: 2, traders: 6, lanes: 2 });
try {
  await deployment.fund("1000000");
  const clock = await FakeClock.start(deployment, library, AHEAD_SECONDS);
  // Each step gets two partners that have not traded yet, so that their newest posting is older than the
  // clock after the step.
  const [first, second, ...fresh] = deployment.traders as [Trader, Trader, ...Trader[]];
  await until(async () => {
    await deployment.renewTokens().catch(() => {});
    return (await tradeOnce(first)).join() === "201,201";
  });
  for (const seconds of STEPS_SECONDS) {
    report.tried(
      `the clock steps back by ${seconds} s`,
      await stepBack(clock, seconds, [first, second], fresh.splice(0, 2)),
    );
  }
} finally {
  await deployment.stop();
}
process.exit(report.close("clock") ? 0 : 1);

async function stepBack(
  clock: FakeClock,
  seconds: number,
  ahead: readonly Trader[],
  idle: readonly Trader[],
): Promise<Finding> {
  const violations: string[] = [];
  const heldBefore = (await readBalance(idle[1]!, [])).body;
  let on = true;
  // Continue with orders during the step.
  const flow = ahead.map(async (trader) => {
    while (on) await tradeOnce(trader);
  });
  await sleep(500);
  clock.set(AHEAD_SECONDS - seconds);
  await until(async () => (await tradeOnce(idle[0]!)).join() === "201,201");
  const reads = { ahead: [] as number[], idle: [] as number[] };
  const heldAfter = (await readBalance(idle[1]!, reads.idle)).body;
  if (withoutInstant(heldBefore) !== withoutInstant(heldAfter)) {
    violations.push(`the step changed the balance of an account from ${heldBefore} to ${heldAfter}`);
  }
  const returned: { trader: Trader; reply: Reply }[] = [];
  let refused = 0;
  for (const endMs = performance.now() + HELD_MS[scale]; performance.now() < endMs;) {
    for (const trader of ahead) {
      const verdicts = await tradeOnce(trader);
      refused++;
      if (verdicts.join() !== REFUSED) {
        violations.push(`an account whose newest posting is ahead of the clock got ${verdicts}`);
      }
      returned.push({ trader, reply: await readBalance(trader, reads.ahead) });
    }
    const verdicts = await tradeOnce(idle[1]!);
    if (verdicts.join() !== "201,201") {
      violations.push(`an account that is not ahead of the clock got ${verdicts}`);
    }
    await readBalance(idle[1]!, reads.idle);
  }
  clock.set(AHEAD_SECONDS);
  await until(async () => {
    const verdicts = await Promise.all(ahead.map(tradeOnce));
    return verdicts.every((each) => each.join() === "201,201");
  });
  on = false;
  await Promise.all(flow);
  for (const { trader, reply } of returned) {
    const as_of = memberOf(reply, "as_of");
    const again = await ask(socketOf(0), trader.read(`/v1/balances?at=${as_of}`));
    if (again?.body !== reply.body) {
      violations.push(`the balance as of ${as_of} changed from ${reply.body} to ${again?.body}`);
    }
  }
  const [aheadMs, idleMs] = [percentile(reads.ahead, 0.99), percentile(reads.idle, 0.99)];
  for (const ms of [aheadMs, idleMs]) {
    if (!(ms < BALANCE_MS)) violations.push(`1 % of the balance reads took ${ms.toFixed(0)} ms or more`);
  }
  return {
    what: `${refused} attempts refused, ${returned.length} balances read, 99 % of them within ` +
      `${aheadMs.toFixed(1)} ms (${idleMs.toFixed(1)} ms for accounts that are not ahead of the clock)`,
    violations: [
      ...new Set(violations),
      ...await findImbalance(deployment),
      ...await deployment.findDefects(),
    ],
  };
}

/**
 * Requests a quote and then orders it. The timestamp of the signed order comes from the database's clock.
 * Returns the verdicts on the replies, up to the first refusal.
 */
async function tradeOnce(trader: Trader): Promise<string[]> {
  const quote = await ask(socketOf(1), trader.quote("buy", GRAMS)).catch(() => undefined);
  if (quote?.status !== 201) return [verdictOf(quote)];
  const [row] = await deployment.sql`select extract(epoch from clock_timestamp())::int as seconds`;
  const request = await trader.order(memberOf(quote, "quote_id"), {
    timestampSeconds: row!.seconds as number,
  });
  const order = await ask(socketOf(0), request).catch(() => undefined);
  return [verdictOf(quote), verdictOf(order)];
}

async function readBalance(trader: Trader, durationsMs: number[]): Promise<Reply> {
  const startMs = performance.now();
  const reply = await ask(socketOf(0), trader.read("/v1/balances"));
  durationsMs.push(performance.now() - startMs);
  return requireReply("reading the balance", reply, 200);
}

function socketOf(server: number): string {
  return deployment.servers[server]!.socket;
}

/** The balance without the instant at which it was read. */
function withoutInstant(body: string): string {
  const { as_of: _, ...balance } = JSON.parse(body) as { as_of: string };
  return JSON.stringify(balance);
}
