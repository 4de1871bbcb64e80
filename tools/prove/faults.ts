import process from "node:process";
import { parseArgs } from "node:util";
import { prepareAudit } from "./audit/check_audit.ts";
import { checkConnections } from "./faults/connections.ts";
import { Effects } from "./faults/effects.ts";
import { type AccountState, FaultStage } from "./faults/fault_stage.ts";
import { describePlan, drawPlan } from "./faults/plan.ts";
import { playRound } from "./faults/round.ts";
import { checkOrders } from "./stage/check_orders.ts";
import { readInteger, readSeed } from "./stage/options.ts";
import { Report } from "./stage/report.ts";

// npm run prove -- faults [--short] [--seed N] [--rounds N] [--plan]: partners trade, read and receive
// webhooks while a random fault strikes: a broken network (Toxiproxy), a failing disk (strace), or a frozen
// or killed process. After each round everything has recovered, each key has one result, and each partner's
// history is linearizable (Porcupine). The first round has the seed N, the next one N + 1, and so on. --plan
// prints the rounds and runs none.

const ROUNDS = { long: 1000, short: 10 };
/** The books, the deliveries and the audit are checked after this many rounds, and at the end. */
const CHECKED_EVERY = 50;
/** Ends a run that is far too slow: 2 hours for 1,000 rounds. A shorter run may take as long. */
const MS_PER_ROUND = 7200;
const TOKENS_RENEWED_EVERY = 10;
/** A worker rests for up to a minute after a receiver has failed again and again. */
const DELIVERED_WITHIN_MS = 150_000;

const { values } = parseArgs({
  options: {
    short: { type: "boolean" },
    plan: { type: "boolean" },
    seed: { type: "string" },
    rounds: { type: "string" },
  },
});
const seed = readSeed(values.seed);
const rounds = readInteger("rounds", values.rounds, 1_000_000) ?? ROUNDS[values.short ? "short" : "long"];
const plans = Array.from({ length: rounds }, (_, n) => drawPlan(seed + n));
if (values.plan) {
  for (const plan of plans) console.log(`seed ${plan.seed}: ${describePlan(plan)}`);
  process.exit(0);
}
console.log(`seed ${seed}`);
const report = new Report();
const stage = await FaultStage.start();
const { deployment } = stage;
let audit: Awaited<ReturnType<typeof prepareAudit>>;
try {
  audit = await prepareAudit(deployment);
  const orders: string[] = [];
  const effects = new Effects();
  let accountStates: readonly AccountState[] = await stage.readAccounts();
  const limitMs = Math.max(rounds, ROUNDS.long) * MS_PER_ROUND;
  const endMs = performance.now() + limitMs;
  for (const [n, plan] of plans.entries()) {
    if (performance.now() > endMs) {
      const what = `the limit of ${limitMs / 3_600_000} h ended the run after ${n} rounds`;
      report.tried("time limit", { what, violations: [`${rounds - n} of ${rounds} rounds did not run`] });
      await check(orders);
      break;
    }
    if (n % TOKENS_RENEWED_EVERY === 0) await deployment.renewTokens();
    const name = `round ${n + 1}, seed ${plan.seed}`;
    const round = await playRound(plan, stage, accountStates).catch(({ message }: Error) => message);
    const [what, violations] = typeof round === "string"
      ? [describePlan(plan), [round]]
      : [round.what, round.violations];
    report.tried(name, { what, violations });
    if (violations.length > 0) {
      console.log(`    To repeat this round: npm run prove -- faults --seed ${plan.seed} --rounds 1`);
    }
    // The service did not recover, so later rounds would fail for this reason alone.
    if (typeof round === "string") break;
    orders.push(...round.executedOrders);
    effects.add(plan, round);
    accountStates = round.accountStates;
    if ((n + 1) % CHECKED_EVERY === 0 || n + 1 === rounds) await check(orders);
  }
  for (const line of effects.lines) console.log(line);
  report.tried("the faults have effects", effects);
} finally {
  await deployment.stop();
}
process.exit(report.close("faults") ? 0 : 1);

async function check(orders: readonly string[]): Promise<void> {
  const leniency = { mayRepeat: true, timeoutMs: DELIVERED_WITHIN_MS };
  report.tried("all orders", await checkOrders(deployment, orders, stage.inboxes, leniency));
  const count = () => stage.countConnections();
  report.tried("connections to the database", await checkConnections(count, deployment.servers.length));
  report.tried("gold audit full", await audit());
}
