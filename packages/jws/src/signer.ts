import { type CryptoKey, describeKey, isP256, signData } from "./es256.ts";
import { JwsError } from "./errors.ts";

/** Whatever signs: a key in memory, or a call to an HSM or a key service. */
export interface Signer {
  /** Names the key in the protected header. */
  readonly kid?: string;
  /** The 64 bytes r ‖ s of ECDSA over P-256 and SHA-256. DER is converted with `signatureFromDer()`. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

/** A signer over a Web Crypto private key. */
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
    "The signer has no function sign(). Make one with keySigner(), or give { kid, sign } over your HSM.",
  );
}
