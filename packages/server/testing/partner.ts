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
import { createSealing, hashSecret } from "../src/mod.ts";
import type { Sql } from "postgres";
import { generateJwk } from "../../../testing/generated_key.ts";

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
 * Onboards a partner with the function that `gold partner create` calls, and registers a certificate's hash.
 */
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
  const registered = {
    thumbprint: signingKey.thumbprint,
    jwk: signingKey.publicJwk,
    ...(kid ? { kid } : {}),
  };
  const [row] = await sql`
    select gold.create_partner(${clientId}, 'Test Bank', ${iban}, ${webhook}, 2000, 2000, 10000000,
      ${`{${ips.join(",")}}`}::text::cidr[], ${hashSecret(pepper, clientSecret)}::bytea, ${await sealing.seal(
    webhookSecret,
  )}::bytea,
      ${sealing.currentKeyName}, ${sql.json([registered] as never)}::jsonb) as client`;
  const fingerprint = randomBytes(32).toString("hex");
  await addTestCertificate(sql, clientId, fingerprint);
  return { clientId, client: row!.client as number, clientSecret, webhookSecret, fingerprint, signingKey };
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
