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
 * Logs once when the alarm begins, not for each request. A metric shows how many requests were refused; see
 * read_figures.sql for how far the clock is behind.
 */
export function createClockAlarm(log: Log, metrics: Metrics, monotonicMs: () => number): ClockAlarm {
  let refusedAtMs = -Infinity;
  metrics.count("gold_clock_refusals_total", {}, 0);
  return {
    refused(behindSeconds) {
      if (monotonicMs() - refusedAtMs >= HELD_MS) {
        log("error", "the database's clock is behind the newest posting of an account", {
          behind_seconds: behindSeconds,
        });
      }
      refusedAtMs = monotonicMs();
      metrics.count("gold_clock_refusals_total");
    },
  };
}
