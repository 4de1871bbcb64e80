import { sql } from "drizzle-orm";
import { boolean, check, integer, smallint, text } from "drizzle-orm/pg-core";
import { amount, code, instant } from "./columns.ts";
import { gold } from "./namespace.ts";

/**
 * One row: the deployment that this database belongs to. The columns of key sources are always null. They
 * stay because `gold` of 0.4.0 reads them; nothing of this release does.
 */
export const deployment = gold.table("deployment", {
  one: boolean().primaryKey().default(true),
  environment: code().notNull(),
  publicBaseUrl: text().notNull(),
  sealingKeySource: text(),
  pepperSource: text(),
  loopbackReceivers: boolean().notNull().default(false),
  /** The ports on which a webhook receiver may listen. */
  webhookPorts: integer().array().notNull().default(sql`'{443,8443}'`),
  attemptsKeptDays: smallint().notNull().default(90),
  /** The operator's bank account, from which withdrawals are paid. */
  payoutName: text(),
  payoutIban: code(),
  payoutBic: code(),
  /** How many requests per second the proxy accepts for any one certificate. */
  floodPerSecond: integer().notNull().default(2000),
  /** The rate limit of a partner that is created without its own. */
  partnerRatePerSecond: integer().notNull().default(50),
  partnerBurst: integer().notNull().default(200),
  /** The limits of a partner that is created without its own; null is unlimited. Grams are in 0.0001 g. */
  partnerOpenQuotes: integer().default(100),
  partnerOpenGrams: amount().default(sql`50000000`),
  partnerDailyRecords: integer().default(100_000),
  /**
   * When `gold db migrate --finish` ended the booking without signed requests. Null until then. Every order
   * and withdrawal after this instant has its signed request.
   */
  requestsKeptSince: instant(),
  /** More limits of a new partner, like those above; SAR are in halalas. settle_deployment() sets them. */
  partnerNetGrams: amount(),
  partnerDailyWithdrawals: integer(),
  partnerDailyWithdrawn: amount(),
  /**
   * A second person must approve changes; see gate.sql. It is never set back to false. Production always
   * needs two.
   */
  twoPeople: boolean().notNull().default(false),
  /** The name of the pepper of the client secrets. Null until the first process of this release started. */
  pepperName: text(),
  /**
   * Names this deployment in the texts that operators sign: the environment and a random UUID. A copy of the
   * database gets another id; see deployment_id.sql. Null only until the end of the migration.
   */
  id: code(),
}, (t) => [
  check("deployment_one", sql`${t.one}`),
  check("deployment_environment", sql`${t.environment} in ('sandbox', 'production')`),
  check(
    "deployment_webhook_ports",
    sql`cardinality(${t.webhookPorts}) between 1 and 32 and 1 <= all (${t.webhookPorts}) and 65535 >= all (${t.webhookPorts})`,
  ),
  check("deployment_pepper_name", sql`${t.pepperName} ~ '^[0-9a-f]{16}$'`),
  check("deployment_attempts_kept", sql`${t.attemptsKeptDays} between 7 and 3650`),
]);

/**
 * The protocol's problem codes, with the values that the booking functions need. Every migration updates
 * these rows.
 */
export const problem = gold.table("problem", {
  code: code().primaryKey(),
  status: smallint().notNull(),
  title: text().notNull(),
  retryable: boolean().notNull(),
});
