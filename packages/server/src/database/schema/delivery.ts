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

/**
 * A process that sends webhooks. It updates `seenAt` every second. When the updates stop, other workers take
 * over its endpoints.
 */
export const deliveryWorker = gold.table("delivery_worker", {
  id: uuid().primaryKey(),
  seenAt: instant().notNull(),
});

// In `endpoint`, `retry` and `attempt`, the owner is a webhook endpoint: `client_id` is the id of its row in
// `receiver`. For a partner's first endpoint, that is the partner's number.

/**
 * The state of the delivery to one webhook endpoint. Every event up to `passed` was delivered, has a row in `retry`, or
 * has a type that the endpoint does not take. Events after `passed` need no row, even if a million are waiting. One
 * worker at a time sends to an endpoint: `worker` is its claim.
 */
export const endpoint = gold.table("endpoint", {
  ...owner(),
  passed: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  worker: uuid(),
  /** Counts the claims of this endpoint. A worker can change the endpoint only with the newest claim. */
  tenure: integer().notNull().default(0),
  /** Failed attempts since the last successful one. */
  failures: integer().notNull().default(0),
  /** Nothing is sent before this instant. */
  restsUntil: instant(),
  /** The endpoint answered 410 Gone. Until a test is delivered or the URL is set, only tests are sent. */
  disabledAt: instant(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId] }),
  check("endpoint_bucket", sql`${t.bucket} = ${t.clientId} % 64`),
]);

/**
 * An event that is sent outside the order of the others: its first attempt failed, or its redelivery was
 * requested. The event is due at an instant, or parked. A parked event is sent again only on request. An
 * event that is neither due nor parked was delivered; its row is deleted as soon as `passed` reaches the
 * event.
 */
export const retry = gold.table("retry", {
  ...owner(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  tries: smallint().notNull(),
  /** The event is a webhook.test. A disabled endpoint receives nothing else. */
  isTest: boolean().notNull().default(false),
  dueAt: instant(),
  parkedAt: instant(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.sequence] }),
  // The index is on `client_id + 0`, so that the planner never uses it to find one row by owner and sequence.
  // `newest` in columns.ts explains why.
  index("retry_due").on(sql`(${t.clientId} + 0)`, t.dueAt).where(sql`${t.dueAt} is not null`),
  index("retry_test").on(sql`(${t.clientId} + 0)`, t.dueAt).where(
    sql`${t.isTest} and ${t.dueAt} is not null`,
  ),
  check("retry_state", sql`${t.dueAt} is null or ${t.parkedAt} is null`),
]);

/**
 * One row per delivery attempt, even if a worker reports the attempt twice. Partitioned by week. A partition
 * is dropped when the retention of its attempts has ended.
 */
export const attempt = gold.table("attempt", {
  ...owner(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  attemptedAt: instant().notNull(),
  durationMs: integer().notNull(),
  /** Null if no response arrived. */
  httpStatus: smallint(),
  error: code(),
  /** The first bytes of the response, for operators only. Null after a successful attempt. */
  answer: text(),
}, (t) => [uniqueIndex("attempt_event").on(t.bucket, t.clientId, t.sequence, t.attemptedAt)]);

/** A notice to a partner that a credential expires. It is sent once for each value of `daysAhead`. */
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
