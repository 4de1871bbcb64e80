import { Buffer } from "node:buffer";
import type { webcrypto } from "node:crypto";
import { equalBytes } from "./der.ts";
import { PkiError } from "./errors.ts";
import { readPemBlocks, writePem } from "./pem.ts";

export const EC_P256 = { name: "ECDSA", namedCurve: "P-256" } as const;
export const ECDSA_SHA256 = { name: "ECDSA", hash: "SHA-256" } as const;

// A P-256 key with a named curve and an uncompressed point consists of exactly these bytes and 64 more. Other
// first bytes mean another algorithm, another curve, another encoding or explicit parameters.
const SPKI_HEAD = Uint8Array.from(
  Buffer.from("3059301306072a8648ce3d020106082a8648ce3d03010703420004", "hex"),
);
const SPKI_BYTES = SPKI_HEAD.length + 64;

interface KeyPair {
  readonly publicKeySpki: Uint8Array<ArrayBuffer>;
  readonly publicKey: webcrypto.CryptoKey;
  readonly privateKey: webcrypto.CryptoKey;
  /** PKCS#8 */
  readonly privateKeyPem: string;
}

/**
 * Returns imported copies of the generated keys. Node 20 can deadlock when it exports a generated key as a
 * JWK: garbage collection may free the job that generated the key during the export.
 */
export async function generateKeyPair(): Promise<KeyPair> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(EC_P256, true, ["sign", "verify"]);
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
  return {
    publicKeySpki: spki,
    publicKey: await crypto.subtle.importKey("spki", spki, EC_P256, true, ["verify"]),
    privateKey: await crypto.subtle.importKey("pkcs8", pkcs8, EC_P256, true, ["sign"]),
    privateKeyPem: writePem("PRIVATE KEY", pkcs8),
  };
}

/** Returns the public key, or null if the bytes are not a P-256 key in the only accepted encoding. */
export async function importPublicKey(spki: Uint8Array<ArrayBuffer>): Promise<webcrypto.CryptoKey | null> {
  if (spki.length !== SPKI_BYTES || !equalBytes(spki.subarray(0, SPKI_HEAD.length), SPKI_HEAD)) return null;
  try {
    const key = await crypto.subtle.importKey("spki", spki, EC_P256, true, ["verify"]);
    // Use the key once, because only then does Deno check that the point is on the curve.
    await crypto.subtle.verify(ECDSA_SHA256, key, new Uint8Array(64), new Uint8Array());
    return key;
  } catch {
    return null;
  }
}

export async function importPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  const keys = readPemBlocks(pem).filter((block) => block.label.endsWith("PRIVATE KEY"));
  const [key] = keys;
  if (key === undefined || keys.length > 1) {
    throw new PkiError(
      "authority_key_invalid",
      `The CA key's file holds ${keys.length} private keys; it must hold exactly one, as a PEM block "PRIVATE KEY" (PKCS#8).`,
    );
  }
  if (key.label === "ENCRYPTED PRIVATE KEY") {
    throw new PkiError(
      "authority_key_invalid",
      "The CA key is encrypted, and gold never asks for a passphrase. Use a signing command (--command) that can read the encrypted key, or decrypt it: openssl pkcs8 -in ca.key -out ca.pem.",
    );
  }
  if (key.label !== "PRIVATE KEY") {
    throw new PkiError(
      "authority_key_invalid",
      `The CA key is a PEM block "${key.label}"; gold reads only PKCS#8. Convert it: openssl pkcs8 -topk8 -nocrypt -in ca.key -out ca.pem.`,
    );
  }
  try {
    return await crypto.subtle.importKey("pkcs8", key.der, EC_P256, false, ["sign"]);
  } catch (cause) {
    throw new PkiError(
      "authority_key_invalid",
      "The CA key is not an EC key on P-256 (prime256v1), the only supported kind. Give the key that belongs to the CA certificate.",
      { cause },
    );
  }
}
