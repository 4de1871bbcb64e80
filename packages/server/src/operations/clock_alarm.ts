import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Reports that the database's clock is behind an account's newest posting, so the account's quotes and orders
 * are refused.
 */
export interface ClockAlarm {
  refused(behindSeconds: number): void;
}

/** How long the alarm stays on after the last refusal. */
const HELD_MS = 60_000;

/**
 * Logs once when the alarm begins, not for each request. The metrics show how far the clock is behind and how
 * many requests were refused.
 */
export function createClockAlarm(log: Log, metrics: Metrics, monotonicMs: () => number): ClockAlarm {
  let [seconds, refusedAtMs] = [0, -Infinity];
  const isHeld = () => monotonicMs() - refusedAtMs < HELD_MS;
  metrics.count("gold_clock_refusals_total", {}, 0);
  metrics.gauge("gold_clock_behind_seconds", () => isHeld() ? seconds : 0);
  return {
    refused(behindSeconds) {
      if (!isHeld()) {
        log("error", "the database's clock is behind the newest posting of an account", {
          behind_seconds: behindSeconds,
        });
      }
      [seconds, refusedAtMs] = [behindSeconds, monotonicMs()];
      metrics.count("gold_clock_refusals_total");
    },
  };
}
