import type { Query } from "../database/query.ts";
import type { Metrics } from "../operations/metrics.ts";

const PAUSE_MS = 5000;

interface Backlog {
  readonly waiting: string;
  readonly oldest_seconds: number;
  readonly parked: string;
  readonly disabled: string;
  readonly failing: string;
  readonly unsent_seconds: number;
}

/** Reads the delivery backlog every five seconds and shows it as metrics. */
export function watchBacklog(sql: Query, metrics: Metrics): { stop(): void } {
  let backlog: Backlog | undefined;
  let isRunning = false;
  const look = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      [backlog] = await sql<Backlog[]>`
        select waiting, oldest_seconds, parked, disabled, failing, unsent_seconds
        from gold.read_backlog(), gold.read_sending()`;
    } catch {
      // Show NaN, so that an unknown backlog does not look like a known one. Readiness reports that the
      // database is unavailable.
      backlog = undefined;
    } finally {
      isRunning = false;
    }
  };
  metrics.gauge("gold_webhook_waiting", () => Number(backlog?.waiting));
  metrics.gauge("gold_webhook_oldest_seconds", () => Number(backlog?.oldest_seconds));
  metrics.gauge("gold_webhook_parked", () => Number(backlog?.parked));
  metrics.gauge("gold_webhook_endpoints_disabled", () => Number(backlog?.disabled));
  metrics.gauge("gold_webhook_endpoints_failing", () => Number(backlog?.failing));
  metrics.gauge("gold_webhook_unsent_seconds", () => Number(backlog?.unsent_seconds));
  const timer = setInterval(() => void look(), PAUSE_MS);
  void look();
  return { stop: () => clearInterval(timer) };
}
