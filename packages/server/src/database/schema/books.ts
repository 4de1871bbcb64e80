import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { amount, bytea, code, instant, newest, owner, partnerTexts } from "./columns.ts";
import { asset, book, gold, side } from "./namespace.ts";

/**
 * One row per client. Every write of a client locks this row first. Client 0 is the operator itself.
 * Only the trigger on `transfer` writes the balances.
 */
export const account = gold.table("account", {
  ...owner(),
  admissionVersion: bigint({ mode: "bigint" }).notNull().default(sql`1`),
  eventSequence: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  /** The instant of the newest event. */
  lastPostedAt: instant().notNull().default(sql`'epoch'`),
  /**
   * The latest instant for which a balance was returned. Later postings get a later instant. This does not
   * hold after the clock stepped far back; see closed_end() in account_instant.sql.
   */
  closedUntil: instant().notNull().default(sql`'epoch'`),
  sarAvailable: amount().notNull().default(sql`0`),
  sarHeld: amount().notNull().default(sql`0`),
  gold: amount().notNull().default(sql`0`),
  /**
   * The partner's armed simulations (POST /sandbox/simulate/…), by name. Null if none is armed, and always in
   * production. The column is in this table because every booking locks and reads this row anyway.
   */
  simulations: jsonb(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId] }),
  check("account_bucket", sql`${t.bucket} = ${t.clientId} % 64`),
  check("account_not_negative", sql`${t.sarAvailable} >= 0 and ${t.sarHeld} >= 0 and ${t.gold} >= 0`),
]);

/**
 * The gold that can be sold, in 0.0001 g, in one or more stripes, and the list of bars in force. See
 * stripes.sql.
 */
export const vault = gold.table("vault", {
  stripe: smallint().primaryKey(),
  free: amount().notNull().default(sql`0`),
  listId: integer().notNull().default(1),
  /** The limit of the operator's exposure, in 0.0001 g; null is unlimited. See exposure.sql. */
  maximumExposure: amount(),
  /**
   * What all partners bought minus what they sold in the day that ends at `day_ends_at`; 0 except in stripe
   * 0.
   */
  dayNet: amount().notNull().default(sql`0`),
  dayEndsAt: instant().notNull().default(sql`'-infinity'`),
}, (t) => [
  check("vault_not_negative", sql`${t.free} >= 0`),
  check("vault_exposure", sql`${t.maximumExposure} > 0`),
]);

/**
 * The open quotes of all partners, in 0.0001 g, by the instant at which they stop counting. Empty without a
 * limit of the exposure. Writers hold the vault's lock.
 */
export const openExposure = gold.table("open_exposure", {
  endsAt: instant().primaryKey(),
  buys: amount().notNull(),
  sells: amount().notNull(),
}, (t) => [check("open_exposure_not_negative", sql`${t.buys} >= 0 and ${t.sells} >= 0`)]);

/**
 * A physical bar. `fine` is in 0.0001 g. A removed bar keeps its row. `addedList` is the first list with the
 * bar, and `removedList` is the first list without it. Both are null for a bar that was removed before the
 * first list.
 */
export const bar = gold.table("bar", {
  serial: text().primaryKey(),
  refiner: text().notNull(),
  vaultName: text().notNull(),
  gross: amount().notNull(),
  fineness: integer().notNull(),
  fine: amount().notNull(),
  addedAt: instant().notNull(),
  addedSequence: bigint({ mode: "bigint" }).notNull(),
  removedAt: instant(),
  removedSequence: bigint({ mode: "bigint" }),
  addedList: integer(),
  removedList: integer(),
}, (t) => [
  check("bar_fine", sql`${t.fine} > 0 and ${t.fine} = ${t.gross} * ${t.fineness} / 10000`),
  check("bar_fineness", sql`${t.fineness} between 9950 and 9999`),
]);

/**
 * One row per state of the list of bars, numbered without a gap. `fine` is in 0.0001 g. `sha256` commits to
 * the bars of the list and to the list before it; see bar_list_text() in change_vault.sql.
 */
export const barList = gold.table("bar_list", {
  id: integer().primaryKey(),
  createdAt: instant().notNull(),
  bars: integer().notNull(),
  fine: amount().notNull(),
  sha256: bytea().notNull(),
});

/**
 * The current reply of GET /v1/reserves: one row, replaced at most once an hour. With a live figure, a
 * partner could infer the trades of other partners.
 */
export const publishedReserves = gold.table("published_reserves", {
  one: boolean().primaryKey().default(true),
  asOf: instant().notNull(),
  body: text().notNull(),
}, (t) => [check("published_reserves_one", sql`${t.one}`)]);

/**
 * Double entry: one row is one debit and one credit of the same amount, so every row sums to zero per asset.
 * `sequence` is the number of the event that the transfer belongs to. A transfer of the operator (client 0)
 * has a separate number and no event. The three `…After` balances are the client's balances after the
 * transfer.
 */
export const transfer = gold.table("transfer", {
  ...owner(),
  leg: smallint().notNull(),
  stripe: smallint().notNull().default(0),
  sequence: bigint({ mode: "bigint" }).notNull(),
  debit: book().notNull(),
  credit: book().notNull(),
  asset: asset().notNull(),
  amount: amount().notNull(),
  sarAvailableAfter: amount().notNull(),
  sarHeldAfter: amount().notNull(),
  goldAfter: amount().notNull(),
  postedAt: instant().notNull(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.sequence, t.leg] }),
  check("transfer_bucket", sql`${t.bucket} = ${t.clientId} % 64`),
  check("transfer_amount", sql`${t.amount} > 0`),
  check(
    "transfer_form",
    sql`(${t.asset}, ${t.debit}, ${t.credit}) in (
      ('SAR', 'bank', 'available'), ('SAR', 'available', 'house'), ('SAR', 'house', 'available'),
      ('SAR', 'available', 'held'), ('SAR', 'held', 'available'), ('SAR', 'held', 'bank'), ('SAR', 'available', 'bank'),
      ('XAU', 'bars', 'vault'), ('XAU', 'vault', 'bars'), ('XAU', 'vault', 'gold'), ('XAU', 'gold', 'vault'))`,
  ),
  check("transfer_owner", sql`(${t.clientId} = 0) = (${t.debit} = 'bars' or ${t.credit} = 'bars')`),
]);

/** A firm price for one client. The quote was executed if an order has the same id. */
export const quote = gold.table("quote", {
  ...owner(),
  side: side().notNull(),
  id: uuid().notNull(),
  grams: amount().notNull(),
  price: amount().notNull(),
  total: amount().notNull(),
  createdAt: instant().notNull(),
  expiresAt: instant().notNull(),
  ...partnerTexts(),
  /**
   * The row of price_history that gives the price and the lifetime. Null in quotes of versions before 0.4.0.
   */
  priceId: bigint({ mode: "bigint" }),
  /**
   * The idempotency key of the quote's reply. A UUID in lower case is stored in `key_uuid`, with 16 bytes
   * instead of 37, and any other key in `key`. Both are null in quotes of versions before 0.4.0.
   */
  keyUuid: uuid(),
  key: code(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.id] }),
  check("quote_quantities", sql`${t.grams} > 0 and ${t.price} > 0 and ${t.total} > 0`),
]);

/** By how many percent a simulation of the sandbox changed the price of one quote. */
export const simulatedPrice = gold.table("simulated_price", {
  ...owner(),
  quoteId: uuid().notNull(),
  percent: integer().notNull(),
}, (t) => [primaryKey({ columns: [t.bucket, t.clientId, t.quoteId] })]);

/**
 * An executed order. It has the uuid of its quote, so the primary key ensures that a quote executes at most
 * once. The primary key of `transfer` keeps `sequence` unique.
 * `rounding_gain` (in 10^-8 SAR) is already part of the total, so there is no separate transfer for it.
 * `answer` binds the request and its reply; see answer_of(). It is null if a process of 0.3.0 booked the
 * order.
 */
export const orders = gold.table("orders", {
  ...owner(),
  side: side().notNull(),
  id: uuid().notNull(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  grams: amount().notNull(),
  price: amount().notNull(),
  total: amount().notNull(),
  executedAt: instant().notNull(),
  sarAvailableAfter: amount().notNull(),
  sarHeldAfter: amount().notNull(),
  goldAfter: amount().notNull(),
  roundingGain: amount().notNull().generatedAlwaysAs(
    sql`case when side = 'buy' then total * 1000000 - grams * price else grams * price - total * 1000000 end`,
  ),
  ...partnerTexts(),
  answer: bytea(),
  /** The list of bars in force when the order was executed. Null in orders of versions before 0.4.0. */
  listId: integer(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.id] }),
  index("orders_newest").on(...newest(t)),
  check("orders_rounding", sql`${t.roundingGain} between 0 and 999999`),
]);

/**
 * Money in: the sandbox's fund call or a deposit that the operator booked. `answer` is null if the funding
 * was not made with an idempotency key.
 */
export const funding = gold.table("funding", {
  ...owner(),
  id: uuid().notNull(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  amount: amount().notNull(),
  createdAt: instant().notNull(),
  answer: bytea(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.id] }),
  index("funding_newest").on(...newest(t)),
  check("funding_amount", sql`${t.amount} > 0`),
]);

/**
 * A client's events, numbered without a gap. An event is stored in the transaction of the change that it
 * reports, and delivered after the commit.
 */
export const event = gold.table("event", {
  ...owner(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  id: uuid().notNull(),
  subject: uuid().notNull(),
  createdAt: instant().notNull(),
  type: code().notNull(),
  /** The version of the record's line in the hash chain: 1 or 2. See seal_chain.sql. */
  line: smallint().notNull().default(1),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.sequence] }),
  uniqueIndex("event_id").on(t.bucket, t.clientId, t.id),
  // For webhook endpoints that do not take orders, which are nearly all events.
  index("event_other").on(t.bucket, t.clientId, t.sequence).where(sql`${t.type} <> 'order.executed'`)
    .concurrently(),
]);

/**
 * Every answer that is stored with its idempotency key: the key, the request's fingerprint, and the answer's
 * bytes. Rows are never deleted. For a signed write, `request` is the signed request, in the form of
 * stored_request.ts, and `signing_thumbprint` is the RFC 7638 thumbprint of the key that verified it.
 */
export const idempotencyKey = gold.table("idempotency_key", {
  ...owner(),
  status: smallint().notNull(),
  key: code().notNull(),
  fingerprint: bytea().notNull(),
  requestId: uuid().notNull(),
  resultId: uuid(),
  createdAt: instant().notNull(),
  resultKind: code().notNull(),
  body: text().notNull(),
  request: bytea(),
  signingThumbprint: bytea(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.key] }),
  check(
    "idempotency_key_kind",
    sql`${t.resultKind} in ('quote', 'order', 'funding', 'withdrawal', 'event', 'refusal', 'simulation', 'cancellation', 'change')`,
  ),
  // Finds the blocks of an instant. A B-tree would cost every quote and order; see decision 57.
  index("idempotency_key_created").using("brin", t.createdAt).with({ autosummarize: true }).concurrently(),
]);

/**
 * The keys of the binding refusals, by instant. The index of `idempotency_key` on the instant finds only
 * blocks, which is too slow for a list.
 */
export const refusal = gold.table("refusal", {
  ...owner(),
  createdAt: instant().notNull(),
  key: code().notNull(),
}, (t) => [primaryKey({ columns: [t.bucket, t.clientId, t.createdAt, t.key] })]);

/**
 * The values that an event `day.closed` states about one day in Riyadh. `sequence` is the event's number.
 * Rows never change. See close_day.sql.
 */
export const closedDay = gold.table("closed_day", {
  ...owner(),
  day: date().notNull(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  /** The first and the last event of the day; null if it has none. */
  firstSequence: bigint({ mode: "bigint" }),
  lastSequence: bigint({ mode: "bigint" }),
  openingAvailable: amount().notNull(),
  openingHeld: amount().notNull(),
  openingGold: amount().notNull(),
  closingAvailable: amount().notNull(),
  closingHeld: amount().notNull(),
  closingGold: amount().notNull(),
  quotes: integer().notNull(),
  orders: integer().notNull(),
  refusals: integer().notNull(),
  /** The number of refused orders that the partner sent in time and that failed because of the operator. */
  broken: integer().notNull(),
  quotesSha256: bytea().notNull(),
  refusalsSha256: bytea().notNull(),
  epoch: integer().notNull(),
  /** How many of these quotes were executed. Null in days that a version before 0.7.0 closed. */
  quotesExecuted: integer(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.day] }),
  uniqueIndex("closed_day_sequence").on(t.bucket, t.clientId, t.sequence),
]);

/**
 * One row for each timeline on which the books were continued, numbered without a gap. A failover and a
 * restore to an earlier instant start a new timeline. `system` is the identifier of the database cluster.
 */
export const epoch = gold.table("epoch", {
  id: integer().primaryKey(),
  system: bigint({ mode: "bigint" }).notNull(),
  timeline: integer().notNull(),
  beganAt: instant().notNull(),
});

/**
 * Sixteen bytes of the SHA-256 of every nonce ever spent, and the request that spent it. Rows are never
 * deleted, because a nonce is accepted once, for one request. The request id distinguishes a retry of the
 * same request after a lost connection from a replay by another request. It is null in rows that 0.1.0 wrote.
 */
export const nonce = gold.table("nonce", {
  ...owner(),
  nonce: uuid().notNull(),
  requestId: uuid(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.nonce] }),
]);

/** One link per event, written after the commit: sha256(previous link || line). See seal_chain.sql. */
export const chainLink = gold.table("chain_link", {
  ...owner(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  hash: bytea().notNull(),
}, (t) => [primaryKey({ columns: [t.bucket, t.clientId, t.sequence] })]);

/** The end of each client's chain. A session that seals a client's events locks this row. */
export const chainTail = gold.table("chain_tail", {
  ...owner(),
  sequence: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  head: bytea().notNull().default(sql`decode(repeat('00', 32), 'hex')`),
}, (t) => [primaryKey({ columns: [t.bucket, t.clientId] })]);
