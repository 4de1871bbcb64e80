import { type CryptoKey, describeKey, isP256, signData } from "./es256.ts";
import { JwsError } from "./errors.ts";

/** Signs with ES256: a key in memory, or a call to an HSM or a key service. */
export interface Signer {
  /** The `kid` that names the key in the protected header. */
  readonly kid?: string;
  /** Returns the 64 bytes r ‖ s of ECDSA with P-256 and SHA-256. Convert DER with `signatureFromDer()`. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

/**
 * Makes a signer from a Web Crypto private key.
 *
 * @param key A private P-256 ECDSA key with the usage "sign", as `importSigningKey` returns it.
 * @param kid Names the key in protected headers. The signing functions accept 1 to 128 visible ASCII
 * characters.
 * @returns The signer.
 * @throws {JwsError} `key_unusable`: the key cannot sign with ES256.
 *
 * @example
 * ```ts
 * import { importSigningKey, keySigner } from "@gold-partner/jws";
 * import { readFile } from "node:fs/promises";
 *
 * const signer = keySigner(await importSigningKey(await readFile("signing_key.pem", "utf8")), "key-1");
 * ```
 */
export function keySigner(key: CryptoKey, kid?: string): Signer {
  if (!isP256(key) || !key.usages.includes("sign")) {
    throw new JwsError(
      "key_unusable",
      `${describeKey(key)} cannot sign with ES256. Give a private P-256 ECDSA key with the usage "sign".`,
    );
  }
  const sign = (data: Uint8Array): Promise<Uint8Array> => signData(data, key);
  return kid === undefined ? { sign } : { kid, sign };
}

export function checkSigner(signer: Signer): void {
  if (typeof signer?.sign === "function") return;
  throw new JwsError(
    "key_unusable",
    "The signer has no function sign(). Make a signer with keySigner(), or pass { kid, sign } that calls your HSM.",
  );
}
