import type { Pool } from "../database/query.ts";
import { DATABASE_GAUGES, type DatabaseGauge } from "../operations/families.ts";
import type { Metrics } from "../operations/metrics.ts";

const PAUSE_MS = 5000;
/**
 * Postgres ends the session after this time without a statement. So if the process hangs or its machine is lost,
 * another process gets the figures. This process no longer shows them by then.
 */
export const LOST_MS = 15_000;

type Figures = Readonly<Record<DatabaseGauge, number | null>>;

/**
 * Reads the figures of the whole database every five seconds and shows them as metrics. Of all processes, only
 * the one whose session holds the lock of read_figures() gets them, and the others show none. `sql` has one
 * connection, which belongs to this function: the lock must stay with it. Decision 54 says why.
 */
export function showDatabase(
  sql: Pool,
  metrics: Metrics,
  monotonicMs: () => number,
  pauseMs = PAUSE_MS,
): { stop(): void } {
  let shown: { readonly figures: Figures; readonly untilMs: number } | undefined;
  let isReading = false;
  const read = async () => {
    if (isReading) return;
    isReading = true;
    const untilMs = monotonicMs() + LOST_MS;
    try {
      const [row] = await sql<{ figures: Figures | null }[]>`select gold.read_figures() as figures`;
      shown = row!.figures ? { figures: row!.figures, untilMs } : undefined;
    } catch {
      // Show no old figure as a current one. Readiness and gold_writes_possible report that the database is
      // unavailable.
      shown = undefined;
    } finally {
      isReading = false;
    }
  };
  for (const name of Object.keys(DATABASE_GAUGES) as DatabaseGauge[]) {
    metrics.gauge(
      name,
      () => shown && monotonicMs() < shown.untilMs ? shown.figures[name] ?? NaN : undefined,
    );
  }
  const timer = setInterval(() => void read(), pauseMs);
  void read();
  return {
    stop() {
      clearInterval(timer);
      shown = undefined;
      // Ends the session, so that another process gets the figures.
      void sql.end({ timeout: 0 });
    },
  };
}
