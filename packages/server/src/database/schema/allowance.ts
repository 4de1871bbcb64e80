import { sql } from "drizzle-orm";
import { bigint, check, integer, jsonb, primaryKey, uuid } from "drizzle-orm/pg-core";
import { amount, instant, owner } from "./columns.ts";
import { gold } from "./namespace.ts";

/**
 * One partner's limits on open quotes and on stored records a day, and its counts. A null limit does not
 * apply. A partner without a row has no limits. Writers hold the lock on the partner's account row.
 *
 * The counts are upper bounds. Executed and expired quotes are subtracted only when a limit would be reached,
 * so that an order writes nothing here. A migration sets a fill factor of 50 %, so that an updated row stays
 * on its page.
 */
export const allowance = gold.table("allowance", {
  ...owner(),
  maximumOpenQuotes: integer(),
  /** In 0.0001 g. */
  maximumOpenGrams: amount(),
  maximumDailyRecords: integer(),
  /** The most that a day's orders may change the partner's gold, in 0.0001 g, in either direction. */
  maximumNetGrams: amount(),
  /** The default is above any limit, so that the first quote counts the open quotes. */
  openQuotes: bigint({ mode: "bigint" }).notNull().default(sql`2147483648`),
  openGrams: amount().notNull().default(sql`1000000000000000`),
  /** The two sides of `open_grams`. */
  openBuyGrams: amount().notNull().default(sql`500000000000000`),
  openSellGrams: amount().notNull().default(sql`500000000000000`),
  /** Every open quote has this id or a larger one. */
  openFrom: uuid().notNull(),
  /** Every counted quote expires at this instant or later. */
  exactUntil: instant().notNull().default(sql`'-infinity'`),
  /** Orders up to this event sequence number are already subtracted from the counts. */
  countedSequence: bigint({ mode: "bigint" }).notNull(),
  records: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  dayEndsAt: instant().notNull().default(sql`'-infinity'`),
  /** The partner's gold when the day began; 0 without `maximum_net_grams`. */
  dayGold: amount().notNull().default(sql`0`),
  /** For the rate limit on replays (GCRA): the instant from which the whole burst is available again. */
  replaysPaidAt: instant().notNull().default(sql`'-infinity'`),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId] }),
  check("allowance_bucket", sql`${t.bucket} = ${t.clientId} % 64`),
  check(
    "allowance_maxima",
    sql`${t.maximumOpenQuotes} > 0 and ${t.maximumOpenGrams} > 0 and ${t.maximumDailyRecords} > 0 and ${t.maximumNetGrams} > 0`,
  ),
  check(
    "allowance_counts",
    sql`${t.openQuotes} >= 0 and ${t.openGrams} >= 0 and ${t.openBuyGrams} >= 0 and ${t.openSellGrams} >= 0 and ${t.records} >= 0`,
  ),
]);

/**
 * What partners asked of one process and what it granted, as `shared_rates.ts` stores it twice a second. The table is
 * unlogged: the rates of a second ago are worth nothing after a crash.
 */
export const rateUse = gold.table("rate_use", {
  id: uuid().primaryKey(),
  used: jsonb().notNull(),
  at: instant().notNull(),
});
