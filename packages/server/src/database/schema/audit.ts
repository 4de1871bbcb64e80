import { sql } from "drizzle-orm";
import { bigint, boolean, check, jsonb, text, uuid } from "drizzle-orm/pg-core";
import { bytea, code, instant } from "./columns.ts";
import { gold } from "./namespace.ts";

/** The audit: one row for each change by an operator, with the database login that made it. */
export const audit = gold.table("audit", {
  id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
  at: instant().notNull().default(sql`clock_timestamp()`),
  login: code().notNull().default(sql`session_user`),
  action: code().notNull(),
  subject: text().notNull(),
  detail: jsonb().notNull(),
});

/**
 * One link per audit row: sha256(previous link || the row as JSON), so that an edited or deleted row is
 * detected.
 */
export const auditLink = gold.table("audit_link", {
  id: bigint({ mode: "bigint" }).primaryKey(),
  hash: bytea().notNull(),
});

/** The end of the audit's chain. Every writer locks this row, which keeps the audit rows in order. */
export const auditTail = gold.table("audit_tail", {
  one: boolean().primaryKey().default(true),
  id: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  head: bytea().notNull().default(sql`decode(repeat('00', 32), 'hex')`),
}, (t) => [check("audit_tail_one", sql`${t.one}`)]);

/**
 * A change that one person proposes and another person approves. `kind` and `content` never change. The
 * approval names the hash of the proposal's text; see proposal_text() in proposal_text.sql.
 */
export const proposal = gold.table("proposal", {
  id: uuid().primaryKey(),
  kind: code().notNull(),
  content: jsonb().notNull(),
  proposer: code().notNull().default(sql`session_user`),
  proposedAt: instant().notNull(),
  expiresAt: instant().notNull(),
  /** `applying` exists only inside the transaction that tries or approves the proposal. */
  state: code().notNull().default("pending"),
  decidedBy: code(),
  decidedAt: instant(),
  /**
   * What only the proposer may see, such as a new client secret, encrypted like webhook secrets. Not part of
   * the hash. Null after the proposer has read it.
   */
  secrets: bytea(),
  sealingKey: code(),
  /** What `ssh-keygen -Y sign` wrote for the proposal's text, and for the text of the approval. */
  proposerSignature: code(),
  approverSignature: code(),
  /** The id of the deployment, which the text names. Null if it names none, as up to 0.5.0 (version 1). */
  deployment: code(),
}, (t) => [
  check("proposal_state", sql`${t.state} in ('pending', 'applying', 'approved', 'rejected')`),
  check("proposal_decided", sql`(${t.decidedBy} is null) = (${t.decidedAt} is null)`),
  check(
    "proposal_decision",
    sql`${t.state} = 'applying' or (${t.state} = 'pending') = (${t.decidedBy} is null)`,
  ),
  check("proposal_two", sql`${t.state} = 'rejected' or ${t.decidedBy} is distinct from ${t.proposer}`),
  check("proposal_secrets", sql`(${t.secrets} is null) or (${t.sealingKey} is not null)`),
]);

/**
 * The public keys with which operators sign. A row never changes, except that it ends once. `admittedBy` is
 * `root` for the first keys of a deployment, else the id of the proposal that added the key.
 */
export const operatorKey = gold.table("operator_key", {
  fingerprint: code().primaryKey(),
  login: code().notNull(),
  publicKey: code().notNull(),
  admittedBy: code().notNull(),
  addedAt: instant().notNull(),
  endedAt: instant(),
});
