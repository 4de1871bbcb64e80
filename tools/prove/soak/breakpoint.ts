import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../testing/statistics.ts";
import type { Slice, Traffic } from "./traffic.ts";

/**
 * How the rate is raised. All steps have the same duration, and each step's rate is `factor` times the
 * previous rate.
 */
interface Ramp {
  readonly firstPerSecond: number;
  readonly factor: number;
  readonly stepMs: number;
}

/** The results at one rate. */
export interface Step {
  readonly perSecond: number;
  readonly p99Ms: number;
  /**
   * The number of actions that were done during the step, divided by the number that became due in it.
   */
  readonly doneShare: number;
  readonly failures: number;
}

export const P99_MAX_MS = 250;
export const DONE_SHARE_MIN = 0.95;
const RATE_MAX = 20_000;

function describeStep(perSecond: number, { due, done, orderMs, failures }: Slice): Step {
  const failed = [...failures.values()].reduce((sum, times) => sum + times, 0);
  return { perSecond, p99Ms: percentile(orderMs, 0.99), doneShare: done / due, failures: failed };
}

/**
 * The service holds a rate if orders are executed in time, almost all due actions are done within the step,
 * and no action fails.
 */
const isHeld = ({ p99Ms, doneShare, failures }: Step): boolean =>
  p99Ms <= P99_MAX_MS && doneShare >= DONE_SHARE_MIN && failures === 0;

/**
 * Raises the rate until the service does not hold it, or up to RATE_MAX. The last rate that was held is the
 * breakpoint. Tries a failed step once more, because the failure may be chance.
 */
export async function findBreakpoint(
  traffic: Traffic,
  { firstPerSecond, factor, stepMs }: Ramp,
  report: (step: Step, held: boolean) => void,
): Promise<number> {
  let held = 0;
  for (let perSecond = firstPerSecond; perSecond <= RATE_MAX; perSecond = Math.round(perSecond * factor)) {
    let isGood = false;
    for (let tries = 0; tries < 2 && !isGood; tries++) {
      const step = await takeStep(traffic, perSecond, stepMs);
      isGood = isHeld(step);
      report(step, isGood);
    }
    if (!isGood) break;
    held = perSecond;
  }
  if (held === 0) {
    throw new Error(
      `The service did not hold the first rate of ${firstPerSecond} per second: this machine is too busy for a soak.`,
    );
  }
  return held;
}

async function takeStep(traffic: Traffic, perSecond: number, stepMs: number): Promise<Step> {
  traffic.take();
  traffic.start(perSecond);
  await sleep(stepMs);
  const slice = traffic.take();
  await traffic.stop();
  return describeStep(perSecond, slice);
}
