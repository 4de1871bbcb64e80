import process from "node:process";
import { type Benchmark, type Goal, type Plan, rotateSeenLong, type Round } from "./harness.ts";
import { openBareLoop } from "./webhooks/bare.ts";
import { openWebhookStack, type WebhookStack } from "./webhooks/stack.ts";
import { measureLatency, MEDIAN } from "./webhooks/latency.ts";
import { GRAPHILE_WORKER, openQueue, PG_BOSS } from "./webhooks/queue.ts";
import { openService } from "./webhooks/service.ts";
import { withPostgres, type Worker, workerTurn } from "./webhooks/worker.ts";

/**
 * A turn is the measured interval of one contender. It is longer than in a benchmark of a single function,
 * because the contender delivers thousands of events.
 */
const TURN_FACTOR = 20;

const OURS = "service";
const BARE = "bare loop, no books";
const QUEUES = {
  "pg-boss": PG_BOSS,
  "graphile-worker": GRAPHILE_WORKER,
  "graphile-worker, no batches": { ...GRAPHILE_WORKER, inBatches: false },
};

// On Deno, rates are reported but not compared with goals.
const judged = <One>(...goals: One[]): One[] => process.versions["deno"] ? [] : goals;
const POST_GOALS: readonly Goal[] = judged(
  { ours: OURS, peer: BARE, atLeast: 0.9, by: "cpu" },
  { ours: withPostgres(OURS), peer: withPostgres("pg-boss"), atLeast: 1.1 },
  { ours: withPostgres(OURS), peer: withPostgres("graphile-worker"), atLeast: 1.7 },
);
const LATENCY_GOALS: readonly Goal[] = judged({ ours: MEDIAN, atMostMicros: 50_000 });

/** Opens all contenders. Each is paused once it is ready, until its turn. */
async function openWorkers(stack: WebhookStack, workers: Record<string, Worker>): Promise<void> {
  const { asItComes, sealedBefore } = await openService(stack);
  workers[OURS] = asItComes;
  workers[`${OURS}, chain already sealed`] = sealedBefore;
  workers[BARE] = await openBareLoop(stack);
  for (const [name, forms] of Object.entries(QUEUES)) {
    workers[name] = await openQueue(stack, forms);
  }
}

function measurePosts(
  stack: WebhookStack,
  workers: Readonly<Record<string, Worker>>,
  plan: Plan,
): Promise<Round[]> {
  const turns = Object.entries(workers).map(([name, worker]) => workerTurn(stack, name, worker));
  return rotateSeenLong(turns, plan, TURN_FACTOR);
}

export default {
  about: "delivery rate of signed events to https receivers: the service against a bare loop, pg-boss and " +
    "graphile-worker; and the delivery latency of the service",
  async open() {
    const stack = await openWebhookStack();
    const workers: Record<string, Worker> = {};
    const close = async () => {
      for (const worker of Object.values(workers)) {
        worker.release();
        worker.stop();
      }
      await stack.stop();
    };
    try {
      await openWorkers(stack, workers);
    } catch (error) {
      await close();
      throw error;
    }
    return {
      contests: [
        {
          name: "events delivered",
          measure: (plan) => measurePosts(stack, workers, plan),
          goals: POST_GOALS,
        },
        {
          name: "one order at a time",
          async measure(plan) {
            workers[OURS]!.release();
            return await measureLatency(stack, plan);
          },
          goals: LATENCY_GOALS,
        },
      ],
      close,
    };
  },
} satisfies Benchmark;
