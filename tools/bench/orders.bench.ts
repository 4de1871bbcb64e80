import { join } from "node:path";
import process from "node:process";
import { describeWork, type Work } from "./database_work.ts";
import { type Benchmark, type Contest, type Goal, rotate, rotateLong } from "./harness.ts";
import { functionTaker, type Taker } from "./orders/contenders.ts";
import { fillBooks, requireSpace } from "./orders/history.ts";
import { openStack, PARTNERS, type Stack } from "./orders/stack.ts";
import { openPeers } from "./orders/peers.ts";
import { QuoteRun } from "./orders/quote_run.ts";
import { describeCpu, quoteTaker, serviceTaker, type TurnCpu, withLimits } from "./orders/service_takers.ts";
import { verificationTaker } from "./orders/verification.ts";

const IN_FLIGHT = [1, 8, 64];
const WIDTH = 64;
/**
 * A turn is the measured interval of one contender. It is longer than in a benchmark of a single function,
 * because the contender executes thousands of orders.
 */
const TURN_FACTOR = 30;
/** Time between two checkpoints. The default of Postgres is five times as long. */
const CHECKPOINT_EVERY_MS = 60_000;
const CHECKPOINT_ROUNDS = 5;
/**
 * The time between two checkpoints for fewer than FULL_ROWS orders. The result is then only reported and not
 * judged.
 */
const CHECKPOINT_EVERY_SHORT_MS = 5000;
const FULL_ROWS = 10_000_000;
const PRELOAD_MINUTES = 15;

const ours = (inFlight: number, partners: number) =>
  `service, ${inFlight} in flight, ${partners.toLocaleString("en-US")} partner${partners === 1 ? "" : "s"}`;
const OURS = ours(WIDTH, PARTNERS);
const FUNCTION = "pgbench: the same function, 64 connections";
const ALONE = "pgbench: the same function, 1 connection";
const EIGHT_STATEMENTS = "pgbench: eight statements, 64 connections";
const ONE_ROW = "pgbench: one row, 64 connections";
const [UNLIMITED, LIMITED] = [
  `quotes, ${WIDTH} in flight, unlimited partners`,
  `quotes, ${WIDTH} in flight, limited partners`,
];
const QUOTES_ALONE = "quotes, 1 in flight, unlimited partners";
const VERIFY = "one ES256 verify";
const [EMPTY, FULL] = ["empty books", "full books, across a checkpoint"];
const PRELOAD = "writing one order of the history";

// Deno's figures are reported and not judged.
const reported = process.versions["deno"] !== undefined;
const ORDER_GOALS: readonly Goal[] = [
  { ours: OURS, peer: FUNCTION, atLeast: 0.9, reported },
  { ours: OURS, peer: EIGHT_STATEMENTS, atLeast: 2.2, reported },
  { ours: OURS, atMostMicros: 400, by: "cpu", reported },
  { ours: OURS, parts: [VERIFY], atMost: 4, by: "cpu", reported },
  { ours: ours(1, PARTNERS), parts: [ALONE, VERIFY], atMost: 1.5, by: "p50", reported },
  { ours: ours(WIDTH, 1), peer: OURS, atLeast: 0.5, reported },
];
/** Registers a function that runs when the benchmark closes. */
type Closing = (close: () => unknown) => void;
type QuotesOf = (partners: number) => QuoteRun;

function quotesIn(stack: Stack): QuotesOf {
  let runs = 0;
  return (partners) => new QuoteRun(stack, runs++, partners);
}

/** Opens all contenders, one after another. */
async function openTakers(
  stack: Stack,
  quotesOf: QuotesOf,
  closing: Closing,
): Promise<Record<string, Taker>> {
  const takers: Record<string, Taker> = {};
  const enter = (name: string, taker: Taker) => {
    takers[name] = taker;
    closing(() => taker.stop());
  };
  for (const partners of [1, PARTNERS]) {
    for (const inFlight of IN_FLIGHT) {
      enter(ours(inFlight, partners), serviceTaker(stack, quotesOf(partners), { inFlight }));
    }
  }
  const single = (connections: number, partners: number, logPrefix?: string) =>
    functionTaker(stack, quotesOf(partners), { script: "book_orders.sql", connections, logPrefix });
  enter(FUNCTION, await single(WIDTH, PARTNERS));
  enter("pgbench: the same function, 8 connections", await single(8, PARTNERS));
  enter(ALONE, await single(1, PARTNERS, join(stack.dir, "pgbench_log")));
  enter("pgbench: the same function, 64 connections, 1 partner", await single(WIDTH, 1));
  enter(
    "pgbench: the same function, 64 orders a call, 2 connections",
    await functionTaker(stack, quotesOf(PARTNERS), { script: "book_orders_batch.sql", connections: 2 }),
  );
  const { takers: [eight, one], close } = await openPeers(stack);
  closing(close);
  enter(EIGHT_STATEMENTS, eight);
  enter(ONE_ROW, one);
  enter(VERIFY, await verificationTaker());
  return takers;
}

const turnsOf = (takers: Readonly<Record<string, Taker>>) =>
  Object.fromEntries(
    Object.entries(takers).map(([name, taker]) => [name, (turnMs: number) => taker.takeTurn(turnMs)]),
  );

/**
 * Measures new quotes with and without limits, to show what a partner's limits cost. The CPU times show the
 * difference.
 */
function quoteContest(stack: Stack): Contest {
  const names = [UNLIMITED, LIMITED, QUOTES_ALONE];
  const cpus: Record<string, TurnCpu[]> = Object.fromEntries(names.map((name) => [name, []]));
  const quotes = (name: string, inFlight: number) =>
    quoteTaker(stack, PARTNERS, { inFlight, cpus: cpus[name]! });
  const takers = {
    [UNLIMITED]: quotes(UNLIMITED, WIDTH),
    [LIMITED]: withLimits(stack, quotes(LIMITED, WIDTH)),
    [QUOTES_ALONE]: quotes(QUOTES_ALONE, 1),
  };
  return {
    name: "quotes made",
    measure: (plan) => rotateLong(turnsOf(takers), plan, TURN_FACTOR),
    goals: [{ ours: LIMITED, parts: [UNLIMITED], atMost: 1.05, by: "cpu", reported }],
    remarks: () => Object.entries(cpus).map(([name, some]) => `${name}: ${describeCpu(some)}`),
  };
}

/**
 * Compares two services, each with its own Postgres and the same settings. One has a long trading history,
 * the other has none.
 */
function historyContest(rows: number, closing: Closing): Contest {
  let remarks: readonly string[] = [];
  const works: Record<string, Work[]> = { [EMPTY]: [], [FULL]: [] };
  const openOne = async () => {
    const stack = await openStack();
    closing(stack.stop);
    return stack;
  };
  const taker = (name: string, stack: Stack, interlude?: () => Promise<unknown>) =>
    serviceTaker(stack, new QuoteRun(stack, 0, PARTNERS), {
      inFlight: WIDTH,
      interlude,
      works: works[name]!,
    });
  const isShort = rows < FULL_ROWS;
  const bound = { reported: reported || isShort };
  return {
    name: `orders on books of ${rows.toLocaleString("en-US")} orders, each with a random nonce and key`,
    requireAll: () => requireSpace(rows),
    async measure(plan) {
      const full = await openOne();
      const filled = await fillBooks(full, rows);
      remarks = filled.remarks;
      const empty = await openOne();
      const takers = {
        [EMPTY]: taker(EMPTY, empty),
        [FULL]: taker(FULL, full, () => full.sql.unsafe("checkpoint")),
      };
      const turnMs = isShort ? CHECKPOINT_EVERY_SHORT_MS : CHECKPOINT_EVERY_MS;
      const rounds = await rotate(
        { [EMPTY]: () => takers[EMPTY]!.takeTurn(turnMs), [FULL]: () => takers[FULL]!.takeTurn(turnMs) },
        Math.min(plan.rounds, CHECKPOINT_ROUNDS),
      );
      return rounds.map((round) => ({ [PRELOAD]: filled.sample, ...round }));
    },
    goals: [
      { ours: FULL, peer: EMPTY, atLeast: 0.85, ...bound },
      { ours: PRELOAD, atMostMicros: PRELOAD_MINUTES * 60_000_000 / FULL_ROWS, ...bound },
    ],
    remarks: () => [
      ...remarks,
      ...Object.entries(works).map(([name, some]) => `${name}: ${describeWork(some, "an order")}`),
    ],
  };
}

export default {
  about: "signed orders over kept-alive connections: the service against pgbench",
  async open({ rows }) {
    const closings: (() => unknown)[] = [];
    const closing: Closing = (one) => void closings.push(one);
    const close = async () => {
      for (const one of closings.splice(0).reverse()) await one();
    };
    try {
      const stack = await openStack();
      closing(stack.stop);
      const quotesOf = quotesIn(stack);
      const takers = await openTakers(stack, quotesOf, closing);
      return {
        contests: [
          {
            name: "orders executed",
            measure: (plan) => rotateLong(turnsOf(takers), plan, TURN_FACTOR),
            goals: ORDER_GOALS,
          },
          quoteContest(stack),
          historyContest(rows, closing),
        ],
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  },
} satisfies Benchmark;
