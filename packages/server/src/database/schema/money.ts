import { sql } from "drizzle-orm";
import { bigint, check, foreignKey, index, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { amount, bytea, code, instant, newest, owner } from "./columns.ts";
import { gold, withdrawalStatus } from "./namespace.ts";

/** A withdrawal as the partner requested it, with the IBAN of that time. Its steps give its status. */
export const withdrawal = gold.table("withdrawal", {
  ...owner(),
  id: uuid().notNull(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  amount: amount().notNull(),
  createdAt: instant().notNull(),
  iban: code().notNull(),
  reference: text(),
  /** The partner's own text, as in quotes and orders; see partnerTexts(). */
  accountLabel: text(),
  /** Binds the request and its reply; see answer_of(). Null if a process of 0.3.0 booked the withdrawal. */
  answer: bytea(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.id] }),
  index("withdrawal_newest").on(...newest(t)),
  // Unique, because operators name a withdrawal by its id alone.
  uniqueIndex("withdrawal_id").on(t.id),
  index("withdrawal_reference").on(t.reference, t.clientId),
  check("withdrawal_amount", sql`${t.amount} > 0`),
]);

/**
 * One row per step; rows never change. The keys and checks make an illegal history impossible. A step names
 * the step before it, a status is reached and left at most once, and the login that approved cannot submit.
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
  /** Only a cancellation has one: it binds the partner's request and its reply; see answer_of(). */
  answer: bytea(),
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
      ('approved', 'submitted'), ('submitted', 'paid'), ('submitted', 'returned'), ('paid', 'returned'),
      ('pending_approval', 'cancelled'))`,
  ),
  check("withdrawal_step_login", sql`(${t.previous} is null) = (${t.previousLogin} is null)`),
  check("withdrawal_step_two", sql`${t.status} <> 'submitted' or ${t.login} <> ${t.previousLogin}`),
  check("withdrawal_step_batch", sql`(${t.status} = 'submitted') = (${t.batchId} is not null)`),
  check("withdrawal_step_answer", sql`(${t.status}::text = 'cancelled') = (${t.answer} is not null)`),
]);

/**
 * The exact document that went to the bank. A copy has the same message id, by which a bank can recognize it.
 */
export const paymentBatch = gold.table("payment_batch", {
  id: uuid().primaryKey(),
  createdAt: instant().notNull(),
  login: code().notNull(),
  document: text().notNull(),
});

/**
 * Money that the bank reported as received. One person records it and another approves it. The approval books
 * a funding with the same uuid.
 */
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
  /** The number of the event that reports the reversal. Null if the deposit was not approved before. */
  reversedSequence: bigint({ mode: "bigint" }),
}, (t) => [
  uniqueIndex("deposit_bank_reference").on(t.bankReference).where(sql`reversed_at is null`),
  index("deposit_client").on(t.clientId),
  check("deposit_amount", sql`${t.amount} > 0`),
  check("deposit_bank_reference_form", sql`${t.bankReference} <> ''`),
  check("deposit_two", sql`${t.approvedBy} <> ${t.recordedBy}`),
  check(
    "deposit_steps",
    sql`(${t.approvedAt} is null) = (${t.approvedBy} is null) and (${t.reversedAt} is null) = (${t.reversedBy} is null)
      and (${t.reversedSequence} is null or ${t.approvedAt} is not null and ${t.reversedAt} is not null)`,
  ),
]);
