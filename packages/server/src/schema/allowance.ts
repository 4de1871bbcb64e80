import { sql } from "drizzle-orm";
import { bigint, check, integer, primaryKey, uuid } from "drizzle-orm/pg-core";
import { amount, instant, owner } from "./columns.ts";
import { gold } from "./namespace.ts";

/**
 * One partner's limits on open quotes and stored records a day, and its counts. A null limit does not apply; a partner without a
 * row has no limits. Written under the lock of the partner's account row.
 *
 * The counts are upper bounds: executed and expired quotes are taken off only when a limit would be reached, so that the
 * order path writes nothing here. The fill factor keeps updates on the page.
 */
export const allowance = gold.table("allowance", {
  ...owner(),
  maximumOpenQuotes: integer(),
  /** In 0.0001 g. */
  maximumOpenGrams: amount(),
  maximumDailyRecords: integer(),
  /** A new row does not know its open quotes: these bounds are beyond any limit, so the first quote counts them. */
  openQuotes: bigint({ mode: "bigint" }).notNull().default(sql`2147483648`),
  openGrams: amount().notNull().default(sql`1000000000000000`),
  /** No open quote has a smaller id. */
  openFrom: uuid().notNull(),
  /** No counted quote expires before this instant. */
  exactUntil: instant().notNull().default(sql`'-infinity'`),
  /** Executed orders are taken off up to this event sequence number. */
  countedSequence: bigint({ mode: "bigint" }).notNull(),
  records: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  dayEndsAt: instant().notNull().default(sql`'-infinity'`),
  /** The instant at which the bucket of replays is empty again (GCRA). */
  replaysPaidAt: instant().notNull().default(sql`'-infinity'`),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId] }),
  check("allowance_bucket", sql`${t.bucket} = ${t.clientId} % 64`),
  check(
    "allowance_maxima",
    sql`${t.maximumOpenQuotes} > 0 and ${t.maximumOpenGrams} > 0 and ${t.maximumDailyRecords} > 0`,
  ),
  check("allowance_counts", sql`${t.openQuotes} >= 0 and ${t.openGrams} >= 0 and ${t.records} >= 0`),
]);
