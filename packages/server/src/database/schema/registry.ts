import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  cidr,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { amount, bytea, code, instant, owner } from "./columns.ts";
import { gold } from "./namespace.ts";

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
  /** Always null. The column stays, because `gold` of 0.4.0 reads it. */
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
 * A webhook endpoint of a partner. A partner's first endpoint has the partner's own number as its id; the ids of
 * further endpoints begin at 2^30. `delivery.ts` stores the state of the delivery to it.
 */
export const receiver = gold.table("receiver", {
  id: integer().primaryKey().generatedByDefaultAsIdentity({ startWith: 2 ** 30 }),
  partnerId: ofPartner(),
  /** Counted per partner from 1. A number is never used again for another endpoint. */
  number: smallint().notNull(),
  url: text().notNull(),
  /** Only events of these types are sent, and tests; null: all types. */
  types: text().array(),
  /** The endpoint takes the events after this number. */
  addedAfter: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  /** `types` filters the events after this number. Before it, other types may have been sent. */
  typedAfter: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  removedAt: instant(),
}, (t) => [
  uniqueIndex("receiver_number").on(t.partnerId, t.number),
  uniqueIndex("receiver_of_partner").on(t.partnerId, t.id),
  check("receiver_first", sql`(${t.number} = 1) = (${t.id} = ${t.partnerId}) and ${t.id} >= 0`),
]);

/**
 * `sealed` is the secret, encrypted with AES-GCM under the key that `sealing_key` names. That key stays
 * outside the database.
 */
export const webhookSecret = gold.table("webhook_secret", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  partnerId: ofPartner(),
  receiverId: integer().notNull(),
  sealed: bytea().notNull(),
  sealingKey: code().notNull(),
  ...period(),
  /** Null for the first endpoint, which a partner without a URL does not have yet. */
  furtherReceiverId: integer().generatedAlwaysAs(sql`nullif(receiver_id, partner_id)`),
}, (t) => [
  foreignKey({
    name: "webhook_secret_of_receiver",
    columns: [t.partnerId, t.furtherReceiverId],
    foreignColumns: [receiver.partnerId, receiver.id],
  }),
  index("webhook_secret_partner").on(t.partnerId),
  index("webhook_secret_receiver").on(t.receiverId),
]);

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
  /** The signing key's registered name, or the number of a further webhook endpoint. */
  kid: code(),
  /** Null if the credential's row has no finite date. `validUntil` is also when a webhook endpoint was removed. */
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
 * A change of its registration that a partner requested. It has no effect: an operator takes it up with a change that
 * needs two people, or declines it. Only the columns after `requestedAt` change, each when an operator decides.
 */
export const changeRequest = gold.table("change_request", {
  ...owner(),
  id: uuid().notNull(),
  kind: code().notNull(),
  /** The body of the request: a JSON object with one member, in the form of RFC 8785. */
  content: text().notNull(),
  requestedAt: instant().notNull(),
  takenBy: code(),
  takenAt: instant(),
  /** The proposal with which the request was taken up; null with a single operator. */
  proposal: uuid(),
  /** The certificate (PEM) that was issued for a certificate request. */
  certificate: text(),
  declinedBy: code(),
  declinedAt: instant(),
  reason: text(),
  /**
   * The members that the answering change must have, as RFC 8785 JSON: for example, the normalized URL, or
   * the SHA-256 of a certificate request's key. The service writes it, because SQL cannot parse a URL or a
   * certificate request. Null if an earlier commit stored the request.
   */
  wanted: text(),
}, (t) => [
  primaryKey({ columns: [t.bucket, t.clientId, t.id] }),
  uniqueIndex("change_request_id").on(t.id),
  check(
    "change_request_kind",
    sql`${t.kind} in ('signing_key', 'certificate_request', 'ip_range', 'webhook_endpoint')`,
  ),
  check("change_request_taken", sql`(${t.takenBy} is null) = (${t.takenAt} is null)`),
  check(
    "change_request_declined",
    sql`(${t.declinedBy} is null) = (${t.declinedAt} is null) and (${t.declinedBy} is null) = (${t.reason} is null)`,
  ),
]);
