import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { amount, bytea, code, instant, newest, owner } from "./columns.ts";
import { asset, book, gold, side } from "./namespace.ts";

/**
 * One row a client, the lock that every write of that client takes first. Client 0 is the house itself.
 * The balances have one writer, the trigger on `transfer`; the fill factor keeps their updates on the page.
 */
export const account = gold.table("account", {
  ...owner(),
  admissionVersion: bigint({ mode: "bigint" }).notNull().default(sql`1`),
  eventSequence: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  /** Of the newest posting. */
  lastPostedAt: instant().notNull().default(sql`'epoch'`),
  /** The latest instant for which a balance was answered: every later posting gets a later millisecond. */
  closedUntil: instant().notNull().default(sql`'epoch'`),
  sarAvailable: amount().notNull().default(sql`0`),
  sarHeld: amount().notNull().default(sql`0`),
  gold: amount().notNull().default(sql`0`),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId] }),
  check("account_bucket", sql`${t.bucket} = ${t.clientId} % 64`),
  check("account_not_negative", sql`${t.sarAvailable} >= 0 and ${t.sarHeld} >= 0 and ${t.gold} >= 0`),
]);

/** Gold that is free to sell. One row for now; the key has room for more. */
export const vault = gold.table("vault", {
  stripe: smallint().primaryKey(),
  free: amount().notNull().default(sql`0`),
}, (t) => [check("vault_not_negative", sql`${t.free} >= 0`)]);

/** A physical bar. `fine` is in 0.0001 g; a bar that has left keeps its row. */
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
}, (t) => [
  check("bar_fine", sql`${t.fine} > 0 and ${t.fine} = ${t.gross} * ${t.fineness} / 10000`),
  check("bar_fineness", sql`${t.fineness} between 9950 and 9999`),
]);

/**
 * The reply of GET /v1/reserves that stands now: one row, replaced at most once an hour. From a live figure each partner could infer the
 * others' trades.
 */
export const publishedReserves = gold.table("published_reserves", {
  one: boolean().primaryKey().default(true),
  asOf: instant().notNull(),
  body: text().notNull(),
}, (t) => [check("published_reserves_one", sql`${t.one}`)]);

/**
 * Double entry by form: one row is one debit and one credit of one amount, so every row sums to zero per asset.
 * `sequence` is that of the event that the transfer belongs to; the three balances are the client's after it.
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

/** A firm price for one client. Whether it was executed is told by the order that bears its id. */
export const quote = gold.table("quote", {
  ...owner(),
  side: side().notNull(),
  id: uuid().notNull(),
  grams: amount().notNull(),
  price: amount().notNull(),
  total: amount().notNull(),
  createdAt: instant().notNull(),
  expiresAt: instant().notNull(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.id] }),
  check("quote_quantities", sql`${t.grams} > 0 and ${t.price} > 0 and ${t.total} > 0`),
]);

/**
 * An executed order. It bears the uuid of its quote, so the primary key alone makes a quote execute at most once.
 * The transfers' key keeps the sequence unique.
 * `rounding_gain` (10^-8 SAR) lies inside the total already and is no transfer.
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
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.id] }),
  index("orders_newest").on(...newest(t)),
  check("orders_rounding", sql`${t.roundingGain} between 0 and 999999`),
]);

/** Money in: the sandbox's fund call or a deposit that the operator booked. */
export const funding = gold.table("funding", {
  ...owner(),
  id: uuid().notNull(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  amount: amount().notNull(),
  createdAt: instant().notNull(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.id] }),
  index("funding_newest").on(...newest(t)),
  check("funding_amount", sql`${t.amount} > 0`),
]);

/** What happened, per client without a gap. Stored with what it tells of, delivered after the commit. */
export const event = gold.table("event", {
  ...owner(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  id: uuid().notNull(),
  subject: uuid().notNull(),
  createdAt: instant().notNull(),
  type: code().notNull(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.sequence] }),
  uniqueIndex("event_id").on(t.bucket, t.clientId, t.id),
]);

/** Every binding answer, for ever: key, fingerprint of the request, and the bytes that were answered. */
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
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.key] }),
  check(
    "idempotency_key_kind",
    sql`${t.resultKind} in ('quote', 'order', 'funding', 'withdrawal', 'event', 'refusal')`,
  ),
]);

/**
 * Sixteen bytes of SHA-256 of every nonce ever spent, and the request that spent it. Never pruned: a nonce is accepted once,
 * for one request. The request id tells a request's own retry after a lost connection from a replay by another request;
 * rows written by 0.1.0 have none.
 */
export const nonce = gold.table("nonce", {
  ...owner(),
  nonce: uuid().notNull(),
  requestId: uuid(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.nonce] }),
]);

/** One link a record, made after the commit: sha256(previous link || line of integers). */
export const chainLink = gold.table("chain_link", {
  ...owner(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  hash: bytea().notNull(),
}, (t) => [primaryKey({ columns: [t.bucket, t.clientId, t.sequence] })]);

/** Where the chain of each client ends. The row is the sealer's lock. */
export const chainTail = gold.table("chain_tail", {
  ...owner(),
  sequence: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  head: bytea().notNull().default(sql`decode(repeat('00', 32), 'hex')`),
}, (t) => [primaryKey({ columns: [t.bucket, t.clientId] })]);
