import { randomBytes, randomUUID } from "node:crypto";
import { canonicalRequest } from "@gold-partner/canonical";
import {
  exportPublicJwk,
  importSigningKey,
  importVerifyingKey,
  type Jwk,
  jwkThumbprint,
  keySigner,
  signDetached,
  type Signer,
} from "@gold-partner/jws";
import { hostBytes, newWebhookSecret, requestSigner } from "@gold-partner/protocol";
import { hashSecret } from "../src/admission/token/client_secret.ts";
import { createSealing } from "../src/settings/sealing.ts";
import type { Sql } from "postgres";
import { generateJwk } from "../../../tools/testing/generated_key.ts";
import { valueOf } from "./rows.ts";

/** A partner of a service fixture, with everything that it needs to call the service. */
export interface TestPartner {
  readonly clientId: string;
  /** The number of its account. */
  readonly client: number;
  readonly clientSecret: string;
  readonly webhookSecret: string;
  /** The certificate hash that the proxy would forward. */
  readonly fingerprint: string;
  readonly signingKey: TestKey;
}

export interface TestKey {
  readonly privateJwk: Jwk & { readonly d: string };
  readonly publicJwk: Jwk;
  readonly thumbprint: string;
  readonly signer: Signer;
}

/** The keys with which the service fixture seals and hashes secrets. */
export interface DeploymentKeys {
  readonly pepper: Uint8Array;
  readonly sealingKey: Uint8Array;
}

export interface PartnerTerms {
  /** CIDR ranges. Default: the loopback addresses. */
  readonly ips?: readonly string[];
  readonly kid?: string;
  readonly iban?: string;
  readonly environment?: "sandbox" | "production";
  /** Default: a URL where nobody listens. */
  readonly webhook?: string;
}

const random = (length: number) => new Uint8Array(randomBytes(length));

/** A valid public key for rows with a key that no test signs with. It is the generator point of P-256. */
export const TEST_PUBLIC_JWK =
  '{"kty":"EC","crv":"P-256","x":"axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY","y":"T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"}';

export async function newTestKey(kid?: string): Promise<TestKey> {
  const privateJwk = await generateJwk();
  const { kty, crv, x, y } = privateJwk;
  const publicJwk = await exportPublicJwk(
    await importVerifyingKey({ kty, crv, x, y } as Jwk),
  ) as unknown as Jwk;
  return {
    privateJwk,
    publicJwk,
    thumbprint: await jwkThumbprint(publicJwk),
    signer: keySigner(await importSigningKey(privateJwk), kid),
  };
}

/**
 * Inserts a partner whose IBAN, URL and secrets have no events. So its first event is the first one that the
 * test books.
 * Returns the number of the partner's account.
 */
export async function insertPartner(sql: Sql, given: {
  readonly clientId: string;
  readonly name: string;
  readonly iban: string;
  readonly webhook: string;
  readonly ips: readonly string[];
  readonly secretHash: Uint8Array;
  readonly webhookSealed: Uint8Array;
  readonly sealingKey: string;
}): Promise<number> {
  return await valueOf(sql`
    with created as (
      insert into gold.partner (public_id, name, iban, rate_per_second, burst, maximum_grams)
      values (${given.clientId}, ${given.name}, ${given.iban}, 2000, 2000, 10000000) returning id
    ), receiver as (
      insert into gold.receiver (id, partner_id, number, url) select id, id, 1, ${given.webhook} from created
    ), ip as (
      insert into gold.allowed_ip (partner_id, range)
      select id, unnest(${`{${given.ips.join(",")}}`}::text::cidr[]) from created
    ), secret as (
      insert into gold.client_secret (partner_id, hash) select id, ${given.secretHash}::bytea from created
    ), webhook_secret as (
      insert into gold.webhook_secret (partner_id, receiver_id, sealed, sealing_key)
      select id, id, ${given.webhookSealed}::bytea, ${given.sealingKey} from created
    )
    insert into gold.account (bucket, client_id) select id % 64, id from created returning client_id as client`);
}

/** Inserts a partner with a signing key and a certificate, without events like `insertPartner`. */
export async function createTestPartner(
  sql: Sql,
  { pepper, sealingKey }: DeploymentKeys,
  {
    ips = ["127.0.0.1/32", "::1/128"],
    kid,
    iban = "SA0380000000608010167519",
    environment = "sandbox",
    webhook = "https://localhost:8444/",
  }: PartnerTerms,
): Promise<TestPartner> {
  const prefix = environment === "sandbox" ? "sbx" : "live";
  const clientId = `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 20)}`;
  const clientSecret = randomBytes(32).toString("base64url");
  const webhookSecret = newWebhookSecret(random);
  const sealing = await createSealing([sealingKey]);
  const signingKey = await newTestKey();
  const fingerprint = randomBytes(32).toString("hex");
  const client = await insertPartner(sql, {
    clientId,
    name: "Test Bank",
    iban,
    webhook,
    ips,
    secretHash: hashSecret(pepper, clientSecret),
    webhookSealed: await sealing.seal(webhookSecret),
    sealingKey: sealing.currentKeyName,
  });
  await sql`
    insert into gold.signing_key (partner_id, thumbprint, kid, jwk)
    values (${client}, ${signingKey.thumbprint}, ${kid ?? null}, ${sql.json(signingKey.publicJwk as never)})`;
  await sql`
    insert into gold.certificate (fingerprint, partner_id, serial, not_before, not_after)
    values (${fingerprint}, ${client}, ${testSerial(fingerprint)}, clock_timestamp() - interval '1 minute',
      clock_timestamp() + make_interval(secs => ${LIFE_SECONDS}))`;
  await sql`update gold.registry_version set version = version + 1`;
  return { clientId, client, clientSecret, webhookSecret, fingerprint, signingKey };
}

/**
 * Derives a serial number from the fingerprint. It starts with 4, because X.509 drops leading zeros, and a
 * revocation list would then show another number.
 */
export const testSerial = (fingerprint: string) => `4${fingerprint.slice(0, 15)}`;

/**
 * The validity of a test certificate. It is so long that no notice is sent, because partners are notified at
 * most 30 days before a certificate ends.
 */
const LIFE_SECONDS = 90 * 86_400;

/** Registers a certificate whose validity begins and ends the given number of seconds from now. */
export async function addTestCertificate(
  sql: Sql,
  clientId: string,
  fingerprint: string,
  { beginsSeconds = -60, endsSeconds = LIFE_SECONDS } = {},
): Promise<void> {
  await sql`
    select gold.add_certificate(${clientId}, ${fingerprint}, ${testSerial(fingerprint)},
      clock_timestamp() + make_interval(secs => ${beginsSeconds}), clock_timestamp() + make_interval(secs => ${endsSeconds}))`;
}

export const signTestRequest = requestSigner({ canonicalRequest, signDetached, bytes: hostBytes });
