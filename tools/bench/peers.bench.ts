import { join } from "node:path";
import type { Sql } from "postgres";
import { type Benchmark, type Contest, type Goal, rotateLong } from "./harness.ts";
import { functionTaker, type Taker } from "./orders/contenders.ts";
import { QuoteRun } from "./orders/quote_run.ts";
import { describeCpu, serviceTaker, type TurnCpu } from "./orders/service_takers.ts";
import { describePostgres } from "./orders/describe_postgres.ts";
import { openStack, PARTNERS } from "./orders/stack.ts";
import { compareReplies } from "./peers/compare_replies.ts";
import { openDatabases, PGLEDGER_MISSING } from "./peers/databases.ts";
import { openGoOrders } from "./peers/go_orders.ts";

const IN_FLIGHT = [64, 8, 1];
const TURN_FACTOR = 30;
const ours = (inFlight: number) => `service, ${inFlight} in flight`;
const go = (inFlight: number) => `Go, ${inFlight} in flight`;
const [FUNCTION_64, FUNCTION_1, FUNCTION_BATCH] = [
  "pgbench: the same function, 64 connections",
  "pgbench: the same function, 1 connection",
  "pgbench: the same function, 64 orders a call",
];
const LEFT_OUT = [
  "service: all of it is measured, with metrics, logs and the chain of events. The requests do not pass Envoy, and " +
  "the partners have no webhooks.",
  "Go: the header of go_orders/main.go lists what it leaves out, such as metrics, logs, details of problems, turns " +
  "under overload and changes of the registry. It uses the service's database, and the service seals its events.",
  "pgbench with the same function: leaves out HTTP, certificates, tokens, rates, signatures and the canonical text.",
  "pgledger: makes two transfers with their entries. It leaves out the same as pgbench, and also quotes, funds, " +
  "limits, nonces, idempotency keys, replies, events and the chain.",
  "tpcb-like: updates three balances and inserts one row. It books no order; it shows the speed of the machine.",
];

/** The ratio is reported and not judged. */
const ratio = (one: string, peer: string): Goal => ({ ours: one, peer, atLeast: 1, reported: true });

async function open(closing: (close: () => unknown) => void): Promise<Contest> {
  const takers: Record<string, Taker> = {};
  const enter = (name: string, taker: Taker) => {
    takers[name] = taker;
    closing(() => taker.stop());
  };
  const stack = await openStack();
  closing(stack.stop);
  const goStack = await openGoOrders(stack);
  closing(goStack.stop);
  let runs = 0;
  const quotes = () => new QuoteRun(stack, runs++, PARTNERS);
  const compared = await compareReplies(stack, goStack, new QuoteRun(stack, runs++, 1));

  const cpus: Record<string, TurnCpu[]> = {};
  for (const inFlight of IN_FLIGHT) {
    for (const [name, on] of [[ours(inFlight), stack], [go(inFlight), goStack]] as const) {
      enter(name, serviceTaker(on, quotes(), { inFlight, cpus: cpus[name] = [] }));
    }
  }
  const single = (connections: number, logPrefix?: string) =>
    functionTaker(stack, quotes(), { script: "book_orders.sql", connections, logPrefix });
  enter(FUNCTION_64, await single(64));
  enter(FUNCTION_1, await single(1, join(stack.dir, "pgbench_log")));
  enter(
    FUNCTION_BATCH,
    await functionTaker(stack, quotes(), { script: "book_orders_batch.sql", connections: 2 }),
  );
  const databases = await openDatabases(stack, closing);
  for (const [name, taker] of Object.entries(databases)) enter(name, taker);
  const pgledger = Object.keys(databases).filter((name) => name.startsWith("pgledger"));

  const remarks = [
    await describePostgres(stack.sql),
    await describeCommit(stack.sql),
    compared,
  ];
  return {
    name: "the same signed orders",
    async measure(plan) {
      const turns = Object.entries(takers).map(([name, taker]) =>
        [name, (turnMs: number) => taker.takeTurn(turnMs)] as const
      );
      const rounds = await rotateLong(Object.fromEntries(turns), plan, TURN_FACTOR);
      await stack.operator("ledger verify");
      remarks.push("Each order of a turn is in the books, and gold ledger verify found no defect in them.");
      return rounds;
    },
    goals: [
      ...IN_FLIGHT.map((inFlight) => ratio(ours(inFlight), go(inFlight))),
      ratio(ours(64), FUNCTION_64),
      ratio(ours(64), FUNCTION_BATCH),
      ...pgledger.map((peer) => ratio(ours(64), peer)),
    ],
    remarks: () => [
      ...Object.entries(cpus).map(([name, some]) => `${name}: ${describeCpu(some)}.`),
      ...remarks,
      ...LEFT_OUT,
      ...(pgledger.length > 0 ? [] : [PGLEDGER_MISSING]),
    ],
  };
}

async function describeCommit(sql: Sql): Promise<string> {
  const [row] = await sql`select current_setting('synchronous_commit') as commit`;
  return `Commits: synchronous_commit ${row!.commit}.`;
}

export default {
  about: "signed orders: the service against a service in Go, pgledger and pgbench",
  async open() {
    const closings: (() => unknown)[] = [];
    const close = async () => {
      for (const one of closings.splice(0).reverse()) await one();
    };
    try {
      return { contests: [await open((one) => void closings.push(one))], close };
    } catch (error) {
      await close();
      throw error;
    }
  },
} satisfies Benchmark;
