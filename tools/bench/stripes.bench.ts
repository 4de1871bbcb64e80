import process from "node:process";
import { type Benchmark, type Goal, rotateLong } from "./harness.ts";
import { QuoteRun } from "./orders/quote_run.ts";
import { serviceTaker } from "./orders/service_takers.ts";
import { openStack, PARTNERS, type Stack } from "./orders/stack.ts";

const IN_FLIGHT = 64;
/** Each batch in flight can hold one stripe. */
const LANES = 4;
const LATENCY_MS = 5;
const TURN_FACTOR = 30;
const nameOf = (stripes: number) => `${stripes} stripe${stripes === 1 ? "" : "s"}`;
const STRIPES = [1, 4];

// On Deno, the figures are only reported. The goals apply on Node.
const reported = process.versions["deno"] !== undefined;
const GOALS: readonly Goal[] = [{ ours: nameOf(4), peer: nameOf(1), atLeast: 1.5, reported }];

/** Executes orders with the vault in one and in several stripes, in turns on the same books. */
function turnsOf(stack: Stack) {
  const taker = serviceTaker(stack, new QuoteRun(stack, 0, PARTNERS), { inFlight: IN_FLIGHT });
  return Object.fromEntries(STRIPES.map((stripes) => [nameOf(stripes), async (turnMs: number) => {
    await stack.sql`select gold.set_stripes(${stripes})`;
    return await taker.takeTurn(turnMs);
  }]));
}

export default {
  about:
    `orders with a synchronous standby that is ${LATENCY_MS} ms away: the vault in several stripes against one`,
  async open() {
    const stack = await openStack({ lanes: LANES, standbyLatencyMs: LATENCY_MS });
    return {
      contests: [{
        name: `orders executed, ${IN_FLIGHT} in flight, LANES=${LANES}`,
        measure: (plan) => rotateLong(turnsOf(stack), plan, TURN_FACTOR),
        goals: GOALS,
      }],
      close: stack.stop,
    };
  },
} satisfies Benchmark;
