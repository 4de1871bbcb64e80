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
import { code, instant, owner } from "./columns.ts";
import { gold } from "./namespace.ts";

/** A process that sends. It shows every second that it is alive; what it had in hand is taken over when it stops. */
export const deliveryWorker = gold.table("delivery_worker", {
  id: uuid().primaryKey(),
  seenAt: instant().notNull(),
});

/**
 * Where a partner's delivery stands. Every event up to `passed` was delivered or has a row in `retry`, so a million waiting
 * events cost no row at all. One worker at a time sends to a partner; the row is its claim.
 */
export const endpoint = gold.table("endpoint", {
  ...owner(),
  passed: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  worker: uuid(),
  /** Counts the claims: what an earlier one has left to tell is nobody's any more. */
  tenure: integer().notNull().default(0),
  /** Failed attempts since the last one that came through; while it rests, nothing is sent. */
  failures: integer().notNull().default(0),
  restsUntil: instant(),
  /** It answered 410 Gone: nothing but a test is sent until one arrives, or it gets another URL. */
  disabledAt: instant(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId] }),
  check("endpoint_bucket", sql`${t.bucket} = ${t.clientId} % 64`),
]);

/**
 * An event that is sent beside the order of the others: its first attempt failed, or somebody asked for it. Due at an instant,
 * or parked; with neither it was delivered, and stays only until `passed` has gone past it.
 */
export const retry = gold.table("retry", {
  ...owner(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  tries: smallint().notNull(),
  /** A webhook.test, the one thing that a disabled endpoint is sent. */
  isTest: boolean().notNull().default(false),
  dueAt: instant(),
  parkedAt: instant(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.sequence] }),
  // As `newest` is: a look-up by owner and number can never take it.
  index("retry_due").on(sql`(${t.clientId} + 0)`, t.dueAt).where(sql`${t.dueAt} is not null`),
  index("retry_test").on(sql`(${t.clientId} + 0)`, t.dueAt).where(
    sql`${t.isTest} and ${t.dueAt} is not null`,
  ),
  check("retry_state", sql`${t.dueAt} is null or ${t.parkedAt} is null`),
]);

/** Each attempt as it went, however often it is told. Partitioned by the week: a partition is dropped when it is no longer kept. */
export const attempt = gold.table("attempt", {
  ...owner(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  attemptedAt: instant().notNull(),
  durationMs: integer().notNull(),
  /** None came where it is null. */
  httpStatus: smallint(),
  error: code(),
  /** The first bytes that were answered, for the operator alone; null where all went well. */
  answer: text(),
}, (t) => [uniqueIndex("attempt_event").on(t.bucket, t.clientId, t.sequence, t.attemptedAt)]);

/** That a partner was told of a credential's end, so that it is told once at each distance. */
export const expiryNotice = gold.table("expiry_notice", {
  ...owner(),
  id: uuid().notNull(),
  kind: code().notNull(),
  credential: text().notNull(),
  expiresAt: instant().notNull(),
  daysAhead: smallint().notNull(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.id] }),
  uniqueIndex("expiry_notice_once").on(t.bucket, t.clientId, t.kind, t.credential, t.expiresAt, t.daysAhead),
]);
