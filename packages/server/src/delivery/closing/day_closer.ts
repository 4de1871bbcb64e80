import type { Pool, Query } from "../../database/query.ts";

const PAUSE_MS = 15 * 60_000;
/** How long Postgres may read the quotes of one day. It reads about 30,000 in a second. */
export const CLOSING_TIMEOUT_MS = 10 * 60_000;

/**
 * Closes the ended days of all partners, at the start and then every 15 minutes, and notices a new epoch.
 * Each round opens its own connection, whose statements may take CLOSING_TIMEOUT_MS. Several processes may do
 * this at once: each day is still closed only once.
 */
export function startDayCloser(open: () => Pool, pauseMs = PAUSE_MS): { stop(): void } {
  let stopping = false;
  let sql: Pool | undefined;
  const close = async () => {
    if (sql) return;
    sql = open();
    try {
      await closeDays(sql, () => stopping);
    } catch {
      // Ignore the error: the next round closes what is left. `gold audit full` reports a day that stays
      // open.
    } finally {
      await sql.end({ timeout: 0 });
      sql = undefined;
    }
  };
  const timer = setInterval(() => void close(), pauseMs);
  void close();
  return {
    stop() {
      stopping = true;
      clearInterval(timer);
      // End the connection and its statement. Another process, or the next start, closes the day.
      void sql?.end({ timeout: 0 });
    },
  };
}

/** Closes all days that have ended. A partner whose day cannot be closed does not stop the other partners. */
export async function closeDays(sql: Query, stopping: () => boolean = () => false): Promise<void> {
  await sql`select gold.note_epoch()`;
  const clients = await sql<{ client: number }[]>`select client from gold.unclosed_clients() client`;
  for (const { client } of clients) {
    while (!stopping() && await takeStep(sql, client).catch(() => false));
  }
}

async function takeStep(sql: Query, client: number): Promise<boolean> {
  const [row] = await sql<{ taken: boolean }[]>`select gold.close_day(${client}::int) as taken`;
  return row!.taken;
}
