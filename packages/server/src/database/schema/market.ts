import { sql } from "drizzle-orm";
import { bigint, boolean, check, integer, primaryKey, smallint, text, time } from "drizzle-orm/pg-core";
import { amount, bytea, code, instant } from "./columns.ts";
import { gold } from "./namespace.ts";

/**
 * The price that quotes are made from, and its source. Triggers number every change (`id`, `stored_at`) and
 * append it to price_history.
 */
export const price = gold.table("price", {
  one: boolean().primaryKey().default(true),
  source: code().notNull(),
  mid: amount().notNull(),
  buy: amount().notNull(),
  sell: amount().notNull(),
  spreadBasisPoints: integer().notNull(),
  staleAfterSeconds: integer().notNull(),
  asOf: instant().notNull(),
  /** The address of an http source. */
  url: text(),
  alwaysOpen: boolean().notNull().default(true),
  /** How long a quote at this price is firm. */
  quoteTtlSeconds: integer().notNull().default(60),
  id: bigint({ mode: "bigint" }).notNull().default(sql`1`),
  storedAt: instant().notNull().default(sql`clock_timestamp()`),
  /** The circuit breaker: a price that differs by this much within this time closes the market. Null: off. */
  haltBasisPoints: integer(),
  haltSeconds: integer(),
  /** When the circuit breaker closed the market; null while it is open. */
  haltedAt: instant(),
  /** The breaker compares with this row of price_history and the rows after it. */
  watchedFrom: bigint({ mode: "bigint" }).notNull().default(sql`1`),
  /**
   * The price band: how far a price may be from the one before it, and from the prices of the last hour.
   * Null: off.
   */
  bandBasisPoints: integer(),
  bandHourBasisPoints: integer(),
  /** The band compares with this row of price_history and the rows after it. */
  bandFrom: bigint({ mode: "bigint" }).notNull().default(sql`1`),
}, (t) => [
  check("price_one", sql`${t.one}`),
  check(
    "price_halt",
    sql`(${t.haltBasisPoints} is null) = (${t.haltSeconds} is null) and ${t.haltBasisPoints} between 1 and 10000 and ${t.haltSeconds} between 1 and 600`,
  ),
  check(
    "price_band",
    sql`(${t.bandBasisPoints} is null) = (${t.bandHourBasisPoints} is null)
      and ${t.bandBasisPoints} between 1 and ${t.bandHourBasisPoints} and ${t.bandHourBasisPoints} <= 10000`,
  ),
  check("price_terms", sql`${t.spreadBasisPoints} > 0 and ${t.staleAfterSeconds} > 0`),
  check("price_quote_ttl", sql`${t.quoteTtlSeconds} between 1 and 3600`),
  check(
    "price_source",
    sql`${t.source} in ('fixed', 'simulated', 'http') and (${t.source} = 'http') = (${t.url} is not null)`,
  ),
  check("price_sides", sql`${t.buy} > ${t.sell} and ${t.sell} > 0 and ${t.buy} <= 999999999`),
]);

/**
 * Every price that quotes could be made from, numbered without a gap. Rows never change. A quote names its
 * row. `hash` is sha256(previous hash || line); see append_price() in change_price.sql.
 */
export const priceHistory = gold.table("price_history", {
  id: bigint({ mode: "bigint" }).primaryKey(),
  mid: amount().notNull(),
  buy: amount().notNull(),
  sell: amount().notNull(),
  /** The instant that the source states. */
  asOf: instant().notNull(),
  storedAt: instant().notNull(),
  spreadBasisPoints: integer().notNull(),
  staleAfterSeconds: integer().notNull(),
  quoteTtlSeconds: integer().notNull(),
  source: code().notNull(),
  hash: bytea().notNull(),
});

/** The hours in which quotes are made, in Riyadh time; day 0 is Sunday. Ignored while `price.alwaysOpen`. */
export const marketSession = gold.table("market_session", {
  day: smallint().notNull(),
  opens: time().notNull(),
  closes: time().notNull(),
}, (t) => [
  primaryKey({ columns: [t.day, t.opens] }),
  check("market_session_day", sql`${t.day} between 0 and 6`),
  check("market_session_span", sql`${t.opens} < ${t.closes}`),
]);
