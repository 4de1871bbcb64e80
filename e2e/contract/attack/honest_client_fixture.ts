import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../caller_fixture.ts";
import { orderOf } from "../way_fixture.ts";

/** The results of a partner that trades normally during an attack. */
export interface Experience {
  readonly orders: number;
  readonly p99Ms: number;
  readonly failures: readonly string[];
}

const PAUSE_MS = 25;
/** The minimum number of orders. With fewer, the result does not show that the partner was served. */
const ORDERS_MIN = 10;
const TIMEOUT_MS = 30_000;

/**
 * Sends quotes and signed orders one after another, on one connection. Call the returned function to stop. It
 * first waits until ORDERS_MIN orders were executed, but at most TIMEOUT_MS.
 */
export function tradeOn(caller: Caller): () => Promise<Experience> {
  const partner = caller.staying();
  const durations: number[] = [];
  const failures: string[] = [];
  let untilMs = Infinity;
  const hasEnough = () => durations.length >= ORDERS_MIN || performance.now() > untilMs + TIMEOUT_MS;
  const trading = (async () => {
    while (performance.now() < untilMs || !hasEnough()) {
      try {
        const order = await orderOf(partner, "buy", 0.01);
        const startedMs = performance.now();
        await partner.succeed("createOrder", order);
        durations.push(performance.now() - startedMs);
      } catch (error) {
        failures.push((error as Error).message);
      }
      await sleep(PAUSE_MS);
    }
  })();
  return async () => {
    untilMs = performance.now();
    await trading;
    const sorted = durations.toSorted((a, b) => a - b);
    return { orders: sorted.length, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? NaN, failures };
  };
}
