import { BoundedCache } from "./cache.ts";
import { textEncoding } from "./encoding.ts";
import { type CryptoKey, P256_KEY } from "./es256.ts";
import { JwsError } from "./errors.ts";
import { checkUse, exportPublicJwk, type Jwk, pointOf, readNumber } from "./jwk.ts";
import {
  checkPrivateNumber,
  type PrivateKey,
  readPkcs8,
  readSec1,
  readSpki,
  writePkcs8,
} from "./key_info.ts";
import { decodePem, type PemBlock, readPem } from "./pem.ts";

const PRIVATE_READERS: Readonly<Record<string, (der: Uint8Array) => PrivateKey>> = {
  "PRIVATE KEY": readPkcs8,
  "EC PRIVATE KEY": readSec1,
};
const MAX_CHARS = 16_384;
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * How many public keys are cached. Private keys are never cached: a cache would keep a key alive after its
 * owner dropped it.
 */
export const REMEMBERED_KEYS = 10_000;
/** Maximum length of a cached key text. A longer text is read again each time, to keep the cache small. */
const REMEMBERED_CHARS = 512;

// Use two caches. In a shared cache, a source text could equal the base64url text of a cached point, and
// would then return the key of that point.
const keysByText = new BoundedCache<string, CryptoKey>(REMEMBERED_KEYS);
const keysByPoint = new BoundedCache<string, CryptoKey>(REMEMBERED_KEYS);

/**
 * Imports a public key. The last 10,000 keys are cached, so importing one of them again costs almost nothing.
 *
 * @param source A JWK, the JSON text of a JWK, or an SPKI PEM.
 * @returns The key, for verifying.
 * @throws {JwsError} `key_malformed`: the source is not a key, is damaged, or is over 16,384 characters long.
 * @throws {JwsError} `base64url_not_canonical`: the PEM block's base64 was cut short or changed.
 * @throws {JwsError} `key_unsupported`: the key is not a P-256 key in a supported format.
 * @throws {JwsError} `key_not_on_curve`: the public point is not on P-256.
 * @throws {JwsError} `key_is_private`: the source holds a private key.
 * @throws {JwsError} `key_unusable`: the JWK's use, alg or key_ops do not allow it to verify with ES256.
 *
 * @example
 * ```ts
 * import { importVerifyingKey } from "@gold-partner/jws";
 * import { readFile } from "node:fs/promises";
 *
 * const key = await importVerifyingKey(await readFile("partner_public.pem", "utf8"));
 * ```
 */
export async function importVerifyingKey(source: string | Jwk): Promise<CryptoKey> {
  const known = typeof source === "string" ? keysByText.get(source) : undefined;
  if (known) return known;
  const jwk = asJwk(source);
  const point = jwk ? publicPointOf(jwk) : readSpki(choosePublicBlock(readPem(source as string)));
  const name = textEncoding.base64url(point);
  const key = keysByPoint.get(name) ??
    keysByPoint.set(
      name,
      await crypto.subtle.importKey("raw", new Uint8Array(point), P256_KEY, true, ["verify"]),
    );
  return typeof source === "string" && source.length <= REMEMBERED_CHARS ? keysByText.set(source, key) : key;
}

/**
 * Imports a private key. Keep the result: private keys are never cached.
 *
 * @param source A JWK, the JSON text of a JWK, a PKCS#8 PEM or a SEC1 PEM, not encrypted.
 * @param options With `extractable: true`, the key can be exported again. Default false.
 * @returns The key, for signing.
 * @throws {JwsError} `key_malformed`: the source is not a key, is damaged, or is over 16,384 characters long.
 * @throws {JwsError} `base64url_not_canonical`: the PEM block's base64 was cut short or changed.
 * @throws {JwsError} `key_unsupported`: the key is encrypted, or is not a P-256 key in a supported format.
 * @throws {JwsError} `key_not_on_curve`: the public point in the source is not on P-256.
 * @throws {JwsError} `key_pair_mismatch`: the public key in the source does not belong to the private key.
 * @throws {JwsError} `key_is_public`: the source holds only a public key.
 * @throws {JwsError} `key_unusable`: the JWK's use, alg or key_ops do not allow it to sign with ES256.
 *
 * @example
 * ```ts
 * import { importSigningKey, keySigner } from "@gold-partner/jws";
 * import { readFile } from "node:fs/promises";
 *
 * const key = await importSigningKey(await readFile("signing_key.pem", "utf8"));
 * const signer = keySigner(key, "key-1");
 * ```
 */
export async function importSigningKey(
  source: string | Jwk,
  options: { readonly extractable?: boolean } = {},
): Promise<CryptoKey> {
  const jwk = asJwk(source);
  const { d, points } = jwk ? privateNumbersOf(jwk) : choosePrivateBlock(readPem(source as string));
  const pkcs8 = writePkcs8(d);
  await checkPair(pkcs8, points);
  return importPkcs8(pkcs8, options?.extractable ?? false);
}

function importPkcs8(pkcs8: Uint8Array<ArrayBuffer>, extractable: boolean): Promise<CryptoKey> {
  return crypto.subtle.importKey("pkcs8", pkcs8, P256_KEY, extractable, ["sign"]);
}

/**
 * Refuses a file whose public key belongs to another private key. That public key could not verify the
 * signatures.
 */
async function checkPair(pkcs8: Uint8Array<ArrayBuffer>, points: readonly Uint8Array[]): Promise<void> {
  if (points.length === 0) return;
  const actual = pointOf(await exportPublicJwk(await importPkcs8(pkcs8, true)));
  if (points.every((point) => actual.every((byte, index) => byte === point[index]))) return;
  throw new JwsError(
    "key_pair_mismatch",
    "The public key in this file does not belong to its private key. Use the unchanged key file.",
  );
}

function asJwk(source: unknown): Jwk | undefined {
  if (typeof source === "object" && source !== null) return source;
  if (typeof source !== "string") throw new JwsError("key_malformed", "A key must be a JWK or a PEM text.");
  if (source.length > MAX_CHARS) {
    throw new JwsError(
      "key_malformed",
      `The text of the key is ${source.length} characters long; at most ${MAX_CHARS} are allowed. Give only the ` +
        "key file.",
    );
  }
  if (!source.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(source) as Jwk;
  } catch {
    // Drop the parser's own message, because it could quote a private key.
    throw new JwsError("key_malformed", "The key looks like a JWK but is not JSON.");
  }
}

function publicPointOf(jwk: Jwk): Uint8Array {
  if (PRIVATE_MEMBERS.some((name) => (jwk as Record<string, unknown>)[name] !== undefined)) {
    throw isPrivate("JWK");
  }
  checkUse(jwk, "verify");
  return pointOf(jwk);
}

function privateNumbersOf(jwk: Jwk): PrivateKey {
  const point = pointOf(jwk);
  if (jwk.d === undefined) throw isPublic("JWK");
  checkUse(jwk, "sign");
  const d = readNumber(jwk.d, "d");
  checkPrivateNumber(d);
  return { d, points: [point] };
}

function choosePublicBlock(blocks: readonly PemBlock[]): Uint8Array {
  if (blocks.some(({ label }) => label.endsWith("PRIVATE KEY"))) throw isPrivate("PEM file");
  return decodePem(onlyBlock(blocks, ["PUBLIC KEY"]));
}

function choosePrivateBlock(blocks: readonly PemBlock[]): PrivateKey {
  const labels = Object.keys(PRIVATE_READERS);
  if (
    blocks.some(({ label }) => label === "PUBLIC KEY") && !blocks.some(({ label }) => labels.includes(label))
  ) {
    throw isPublic("PEM file");
  }
  const block = onlyBlock(blocks, labels);
  return PRIVATE_READERS[block.label]!(decodePem(block));
}

function onlyBlock(blocks: readonly PemBlock[], labels: readonly string[]): PemBlock {
  const [block, ...others] = blocks.filter(({ label }) => labels.includes(label));
  if (block && others.length === 0) return block;
  const wanted = labels.join('" or "');
  const found = blocks.map(({ label }) => label).join(", ") || "no PEM block";
  throw new JwsError(
    block || blocks.length === 0 ? "key_malformed" : "key_unsupported",
    `Exactly one PEM block "${wanted}" is needed, but the text has ${found}. ` +
      "openssl x509 -pubkey -noout takes the public key out of a certificate; openssl pkey decrypts a private key.",
  );
}

function isPrivate(form: string): JwsError {
  return new JwsError(
    "key_is_private",
    `This ${form} contains a private key. Never send it to anyone. Send the public key (openssl pkey -in key.pem -pubout). ` +
      "If anyone else has received the private key, make a new key pair.",
  );
}

function isPublic(form: string): JwsError {
  return new JwsError(
    "key_is_public",
    `This ${form} contains only a public key. To sign, give the private key.`,
  );
}
