import type { Sql } from "postgres";
import { withoutTriggers } from "./rows.ts";

/**
 * Lets the database close the current day while `use` runs: the first epoch then began some days ago, and a
 * day can be closed from its beginning on. A closed day ends the account's trading until the next day,
 * because its newest posting is then at the end of the day. With the delay "-48 hours", tomorrow can be
 * closed, too.
 */
export async function closingToday(sql: Sql, use: () => Promise<void>, delay = "-24 hours"): Promise<void> {
  const setDelay = (delay: string) =>
    sql.unsafe(
      `create or replace function gold.close_delay() returns interval language sql immutable parallel safe return interval '${delay}'`,
    );
  await withoutTriggers(sql, async (transaction) => {
    await transaction`update gold.epoch set began_at = clock_timestamp() - interval '3 days'
      where id = 1 and began_at > clock_timestamp() - interval '2 days'`;
  });
  await setDelay(delay);
  try {
    await use();
  } finally {
    await setDelay("5 minutes");
  }
}

/**
 * Moves the database's days to a time zone in which it is noon now, so that no day ends while the test runs.
 * Returns that zone's hours ahead of UTC.
 */
export async function moveDayEndAway(sql: Sql): Promise<number> {
  const ahead = 12 - new Date().getUTCHours();
  const zone = `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`;
  const rows = await sql`
    select pg_get_functiondef(oid) as definition from pg_proc
    where pronamespace = 'gold'::regnamespace and proname in ('day_of', 'day_begin', 'day_end')`;
  for (const { definition } of rows) await sql.unsafe(definition.replaceAll("Asia/Riyadh", zone));
  return ahead;
}
