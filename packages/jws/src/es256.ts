import { JwsError } from "./errors.ts";
import { checkSignature } from "./signature.ts";

/** Web Crypto's key type, derived so that it works with every runtime's type library. */
export type CryptoKey = Parameters<typeof crypto.subtle.verify>[1];

/** The keys to verify with: one, several during a rotation, or a function from the header's `kid` to keys. */
export type KeySource =
  | CryptoKey
  | readonly CryptoKey[]
  | ((kid: string | undefined) => readonly CryptoKey[]);

const ES256 = { name: "ECDSA", hash: "SHA-256" };

/** The algorithm argument of `crypto.subtle.importKey`. */
export const P256_KEY = { name: "ECDSA", namedCurve: "P-256" };

/** Signs `data` and returns the 64 bytes r ‖ s. */
export function signData(data: Uint8Array, key: CryptoKey): Promise<Uint8Array> {
  // Return a promise without `async`. On an interpreted engine, each async function on this path costs
  // microseconds.
  return crypto.subtle.sign(ES256, key, wholeBuffer(data)).then((signature) => new Uint8Array(signature));
}

/** Returns the first of `keys` that verifies `signature` over `data`. Throws a `JwsError` if none does. */
export async function verifySignature(
  data: Uint8Array,
  signature: Uint8Array,
  keys: readonly CryptoKey[],
): Promise<CryptoKey> {
  checkSignature(signature);
  const signatureBuffer = wholeBuffer(signature);
  const dataBuffer = wholeBuffer(data);
  for (const key of keys) {
    if (await tryKey(key, signatureBuffer, dataBuffer)) return key;
  }
  throw keys.length === 0
    ? new JwsError(
      "key_unknown",
      "No key is registered for this signature: its kid is unknown, or the key is retired. Sign with a registered key.",
    )
    : new JwsError(
      "signature_mismatch",
      "The signature does not match these bytes and this key: another key signed them, or other bytes were signed. " +
        "Compare the bytes that were signed with the bytes that were verified.",
    );
}

export function keysOf(source: KeySource, kid: string | undefined): readonly CryptoKey[] {
  const keys = typeof source === "function" ? source(kid) : source;
  // Treat any other value, from a JavaScript caller, as one key. Web Crypto then refuses it.
  return isList(keys) ? keys : [keys];
}

export function isP256(key: CryptoKey): boolean {
  const algorithm = key?.algorithm as { name: string; namedCurve?: string } | undefined;
  // Convert the curve's name with String(), because k6 gives it as an object.
  return algorithm?.name === P256_KEY.name && String(algorithm.namedCurve) === P256_KEY.namedCurve;
}

/** Describes a key as the subject of an error message. The value may be something other than a key. */
export function describeKey(key: CryptoKey): string {
  if (!key?.algorithm) return "This value is not a CryptoKey and";
  return `This ${key.type} ${key.algorithm.name} key for [${key.usages}]`;
}

// Array.isArray does not narrow a readonly array.
function isList(keys: CryptoKey | readonly CryptoKey[]): keys is readonly CryptoKey[] {
  return Array.isArray(keys);
}

async function tryKey(
  key: CryptoKey,
  signature: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    return await crypto.subtle.verify(ES256, key, signature, data);
  } catch (cause) {
    throw new JwsError(
      "key_unusable",
      `${
        describeKey(key)
      } cannot verify with ES256. Give public P-256 ECDSA keys, or an empty list if no key matches.`,
      { cause },
    );
  }
}

/** Copies a view of part of a buffer, because k6 hashes and signs the whole buffer under a view. */
function wholeBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength
    ? bytes as Uint8Array<ArrayBuffer>
    : new Uint8Array(bytes);
}
