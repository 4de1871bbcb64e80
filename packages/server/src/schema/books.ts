import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { amount, bytea, code, instant, owner } from "./columns.ts";
import { asset, book, gold, side, withdrawalStatus } from "./namespace.ts";

/**
 * Behind the lists: a client's records by their sequence. The client stands in it as an expression, so that a look-up by
 * owner and id can never take this index: the planner takes bucket and client for independent, holds any index that leads
 * with both for as good as the primary key, and may read all records of a client to find one.
 */
const newest = (t: { readonly clientId: AnyPgColumn; readonly sequence: AnyPgColumn }) =>
  [sql`(${t.clientId} + 0)`, t.sequence] as const;

/**
 * One row a client, the lock that every write of that client takes first. Client 0 is the house itself.
 * The balances have one writer, the trigger on `transfer`; the fill factor keeps their updates on the page.
 */
export const account = gold.table("account", {
  ...owner(),
  admissionVersion: bigint({ mode: "bigint" }).notNull().default(sql`1`),
  eventSequence: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  lastPostedAt: instant().notNull().default(sql`'epoch'`),
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

/** Money out, as it was asked for. The IBAN is the one of that moment; what became of it is told by its steps. */
export const withdrawal = gold.table("withdrawal", {
  ...owner(),
  id: uuid().notNull(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  amount: amount().notNull(),
  createdAt: instant().notNull(),
  iban: code().notNull(),
  reference: text(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.id] }),
  index("withdrawal_newest").on(...newest(t)),
  // Operators name a withdrawal by its id alone.
  uniqueIndex("withdrawal_id").on(t.id),
  index("withdrawal_reference").on(t.reference, t.clientId),
  check("withdrawal_amount", sql`${t.amount} > 0`),
]);

/**
 * One row a step, never changed. The form makes an illegal history impossible: a step names the one before it, a state is
 * reached once and left once, and who submits is not who approved.
 */
export const withdrawalStep = gold.table("withdrawal_step", {
  ...owner(),
  withdrawalId: uuid().notNull(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  status: withdrawalStatus().notNull(),
  login: code().notNull(),
  previous: withdrawalStatus(),
  previousLogin: code(),
  at: instant().notNull(),
  batchId: uuid().references(() => paymentBatch.id),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.withdrawalId, t.status] }),
  uniqueIndex("withdrawal_step_login").on(t.bucket, t.clientId, t.withdrawalId, t.status, t.login),
  uniqueIndex("withdrawal_step_previous").on(t.bucket, t.clientId, t.withdrawalId, t.previous),
  index("withdrawal_step_batch").on(t.batchId),
  foreignKey({
    name: "withdrawal_step_of",
    columns: [t.bucket, t.clientId, t.withdrawalId],
    foreignColumns: [withdrawal.bucket, withdrawal.clientId, withdrawal.id],
  }),
  foreignKey({
    name: "withdrawal_step_after",
    columns: [t.bucket, t.clientId, t.withdrawalId, t.previous, t.previousLogin],
    foreignColumns: [t.bucket, t.clientId, t.withdrawalId, t.status, t.login],
  }),
  check(
    "withdrawal_step_legal",
    sql`(coalesce(${t.previous}::text, ''), ${t.status}::text) in (
      ('', 'pending_approval'), ('pending_approval', 'approved'), ('pending_approval', 'rejected'), ('approved', 'rejected'),
      ('approved', 'submitted'), ('submitted', 'paid'), ('submitted', 'returned'), ('paid', 'returned'))`,
  ),
  check("withdrawal_step_login", sql`(${t.previous} is null) = (${t.previousLogin} is null)`),
  check("withdrawal_step_two", sql`${t.status} <> 'submitted' or ${t.login} <> ${t.previousLogin}`),
  check("withdrawal_step_batch", sql`(${t.status} = 'submitted') = (${t.batchId} is not null)`),
]);

/** The document that went to the bank, to the byte: written twice, it is still one order to pay. */
export const paymentBatch = gold.table("payment_batch", {
  id: uuid().primaryKey(),
  createdAt: instant().notNull(),
  login: code().notNull(),
  document: text().notNull(),
});

/** Money that the bank says came in. One person records it, another approves it, and the approval books a funding of the same uuid. */
export const deposit = gold.table("deposit", {
  ...owner(),
  id: uuid().primaryKey(),
  amount: amount().notNull(),
  bankReference: code().notNull(),
  recordedAt: instant().notNull(),
  recordedBy: code().notNull(),
  approvedAt: instant(),
  approvedBy: code(),
  reversedAt: instant(),
  reversedBy: code(),
  /** The event that tells of the reversal; none where the deposit had not been approved. */
  reversedSequence: bigint({ mode: "bigint" }),
}, (t) => [
  uniqueIndex("deposit_bank_reference").on(t.bankReference).where(sql`reversed_at is null`),
  index("deposit_client").on(t.clientId),
  check("deposit_amount", sql`${t.amount} > 0`),
  check("deposit_two", sql`${t.approvedBy} <> ${t.recordedBy}`),
  check(
    "deposit_steps",
    sql`(${t.approvedAt} is null) = (${t.approvedBy} is null) and (${t.reversedAt} is null) = (${t.reversedBy} is null)
      and (${t.reversedSequence} is null or ${t.approvedAt} is not null and ${t.reversedAt} is not null)`,
  ),
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
  check("idempotency_key_kind", sql`${t.resultKind} in ('quote', 'order', 'funding', 'withdrawal', 'refusal')`),
]);

/** Sixteen bytes of SHA-256 of every nonce ever spent. Never pruned: once means once. */
export const nonce = gold.table("nonce", { ...owner(), nonce: uuid().notNull() }, (t) => [
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
