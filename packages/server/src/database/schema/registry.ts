import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  cidr,
  index,
  integer,
  jsonb,
  primaryKey,
  smallint,
  text,
  time,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { amount, bytea, code, instant, owner } from "./columns.ts";
import { gold } from "./namespace.ts";

/**
 * One row: the deployment that this database belongs to. The columns of key sources are always null. They stay
 * because `gold` of 0.4.0 reads them; nothing of this release does.
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
  floodPerSecond: integer().notNull().default(5000),
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
  /** A second person must approve changes; see gate.sql. It is never set back to false. Production always needs two. */
  twoPeople: boolean().notNull().default(false),
}, (t) => [
  check("deployment_one", sql`${t.one}`),
  check("deployment_environment", sql`${t.environment} in ('sandbox', 'production')`),
  check(
    "deployment_webhook_ports",
    sql`cardinality(${t.webhookPorts}) between 1 and 32 and 1 <= all (${t.webhookPorts}) and 65535 >= all (${t.webhookPorts})`,
  ),
  check("deployment_attempts_kept", sql`${t.attemptsKeptDays} between 7 and 3650`),
]);

export const partner = gold.table("partner", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  publicId: code().notNull().unique(),
  name: text().notNull(),
  iban: code().notNull(),
  ibanChangedAt: instant(),
  /** The IBAN that one person requested and another person has not approved yet. */
  pendingIban: code(),
  pendingIbanBy: code(),
  pendingIbanAt: instant(),
  webhookUrl: text(),
  ratePerSecond: integer().notNull(),
  burst: integer().notNull(),
  maximumGrams: amount().notNull(),
  createdAt: instant().notNull().default(sql`clock_timestamp()`),
  suspendedAt: instant(),
  /**
   * 32 random bytes from which the salts of the partner's chain lines are derived. Only the partner gets
   * them.
   */
  chainKey: bytea().notNull().default(
    sql`sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))`,
  ),
  /** How many withdrawals the partner may request a day; null is unlimited. */
  maximumDailyWithdrawals: integer(),
  /** The sum of these withdrawals, in halalas; null is unlimited. */
  maximumDailyWithdrawn: amount(),
}, (t) => [
  check("partner_public_id", sql`${t.publicId} ~ '^(sbx|live)_[a-z0-9]{20}$'`),
  check("partner_rate", sql`${t.ratePerSecond} > 0 and ${t.burst} > 0`),
  check("partner_withdrawals", sql`${t.maximumDailyWithdrawals} > 0 and ${t.maximumDailyWithdrawn} > 0`),
  // Keeps grams times price below 2^63, with the largest price that `price_sides` allows.
  check("partner_maximum_grams", sql`${t.maximumGrams} between 1 and 1000000000`),
  check(
    "partner_pending_iban",
    sql`(${t.pendingIban} is null) = (${t.pendingIbanBy} is null) and (${t.pendingIban} is null) = (${t.pendingIbanAt} is null)`,
  ),
]);

const ofPartner = () => integer().notNull().references(() => partner.id);

export const allowedIp = gold.table(
  "allowed_ip",
  { partnerId: ofPartner(), range: cidr().notNull() },
  (t) => [
    uniqueIndex("allowed_ip_range").on(t.partnerId, t.range),
  ],
);

/** A CA that signs partners' certificates. During a rotation, several CAs are valid side by side. */
export const authority = gold.table("authority", {
  fingerprint: code().primaryKey(),
  /** PEM. */
  certificate: text().notNull(),
  /** Where the CA's private key is stored, never the key itself. */
  keySource: text(),
  createdAt: instant().notNull().default(sql`clock_timestamp()`),
  /** From this instant, no certificate of this CA is accepted. */
  retiredAt: instant(),
  /** The newest revocation list (PEM). The next two columns are its number and when the next list is due. */
  revocationList: text(),
  revocationNumber: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  revocationNextAt: instant(),
}, (t) => [
  check("authority_fingerprint", sql`${t.fingerprint} ~ '^[0-9a-f]{64}$'`),
  check(
    "authority_revocation_list",
    sql`(${t.revocationList} is null) = (${t.revocationNextAt} is null) and (${t.revocationList} is null) = (${t.revocationNumber} = 0)`,
  ),
]);

export const certificate = gold.table("certificate", {
  fingerprint: code().primaryKey(),
  partnerId: ofPartner(),
  /** `authority` and `keyHash` are null if another program or an early version issued the certificate. */
  authority: code().references(() => authority.fingerprint),
  /** SHA-256 of the public key (SPKI), so that a revoked key is not certified again. */
  keyHash: code(),
  serial: code().notNull(),
  notBefore: instant().notNull(),
  notAfter: instant().notNull(),
  createdAt: instant().notNull().default(sql`clock_timestamp()`),
  revokedAt: instant(),
  revocationReason: code(),
  lastUsedAt: instant(),
}, (t) => [
  index("certificate_partner").on(t.partnerId),
  index("certificate_key_hash").on(t.keyHash),
  check("certificate_fingerprint", sql`${t.fingerprint} ~ '^[0-9a-f]{64}$'`),
]);

const period = () => ({
  notBefore: instant().notNull().default(sql`clock_timestamp()`),
  retireAt: instant(),
  lastUsedAt: instant(),
});

/**
 * `hash` is the SHA-256 of pepper and secret. A secret of 256 random bits needs no slow hash. The pepper
 * stays outside the database.
 */
export const clientSecret = gold.table("client_secret", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  partnerId: ofPartner(),
  hash: bytea().notNull(),
  ...period(),
}, (t) => [index("client_secret_partner").on(t.partnerId)]);

export const signingKey = gold.table("signing_key", {
  thumbprint: code().notNull(),
  partnerId: ofPartner(),
  kid: code(),
  jwk: jsonb().notNull(),
  ...period(),
}, (t) => [uniqueIndex("signing_key_thumbprint").on(t.partnerId, t.thumbprint)]);

/**
 * `sealed` is the secret, encrypted with AES-GCM under the key that `sealing_key` names. That key stays
 * outside the database.
 */
export const webhookSecret = gold.table("webhook_secret", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  partnerId: ofPartner(),
  sealed: bytea().notNull(),
  sealingKey: code().notNull(),
  ...period(),
}, (t) => [index("webhook_secret_partner").on(t.partnerId)]);

/**
 * The values that an event about a partner's credential, IBAN or webhook URL states. `sequence` is the
 * event's number. Rows never change.
 */
export const partnerChange = gold.table("partner_change", {
  ...owner(),
  sequence: bigint({ mode: "bigint" }).notNull(),
  /** The credential; the event's type says whether it was added or ended. */
  kind: code(),
  credential: code(),
  kid: code(),
  /** Null if the credential's row has no finite date. */
  validFrom: instant(),
  validUntil: instant(),
  iban: code(),
  webhookUrl: text(),
  /** Null if the change was made before such changes were events. */
  login: code(),
  approvedBy: code(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.sequence] }),
  check(
    "partner_change_form",
    sql`num_nonnulls(${t.kind}, ${t.iban}, ${t.webhookUrl}) = 1 and num_nonnulls(${t.kind}, ${t.credential}) in (0, 2)`,
  ),
]);

export const tokenKey = gold.table("token_key", {
  kid: code().primaryKey(),
  publicJwk: jsonb().notNull(),
  sealed: bytea().notNull(),
  sealingKey: code().notNull(),
  ...period(),
});

/** Every change that admission must see increases this number, so that a poll compares only one number. */
export const registryVersion = gold.table("registry_version", {
  one: boolean().primaryKey().default(true),
  version: bigint({ mode: "bigint" }).notNull(),
}, (t) => [check("registry_version_one", sql`${t.one}`)]);

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
  /** The price band: how far a price may be from the one before it, and from the prices of the last hour. Null: off. */
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
 * Every price that quotes could be made from, numbered without a gap. Rows never change. A quote names its row.
 * `hash` is sha256(previous hash || line); see append_price() in change_price.sql.
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
 * A change that one person proposes and another person approves. `kind` and `content` never change. The approval
 * names the hash of the proposal's text; see proposal_text() in proposal_text.sql.
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
   * What only the proposer may see, such as a new client secret, encrypted like webhook secrets. Not part of the
   * hash. Null after the proposer has read it.
   */
  secrets: bytea(),
  sealingKey: code(),
  /** What `ssh-keygen -Y sign` wrote for the proposal's text, and for the text of the approval. */
  proposerSignature: code(),
  approverSignature: code(),
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
 * The public keys with which operators sign. A row never changes, except that it ends once. `admittedBy` is `root`
 * for the first keys of a deployment, else the id of the proposal that added the key.
 */
export const operatorKey = gold.table("operator_key", {
  fingerprint: code().primaryKey(),
  login: code().notNull(),
  publicKey: code().notNull(),
  admittedBy: code().notNull(),
  addedAt: instant().notNull(),
  endedAt: instant(),
});
