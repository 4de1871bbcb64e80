import { type CryptoKey, isP256, signData } from "./es256.ts";
import { JwsError } from "./errors.ts";
import { checkSignature } from "./signature.ts";

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
      `This ${key.type} ${key.algorithm.name} key for [${key.usages}] cannot sign with ES256. ` +
        'Give a private P-256 ECDSA key with the usage "sign".',
    );
  }
  const sign = (data: Uint8Array): Promise<Uint8Array> => signData(data, key);
  return kid === undefined ? { sign } : { kid, sign };
}

/** Checks the form of a signer's answer: a mistake shows here, not at the receiver. */
export function checkAnswer(signature: unknown): Uint8Array {
  if (!(signature instanceof Uint8Array)) {
    throw new JwsError(
      "signature_length",
      "The signer gave no Uint8Array. It must give the 64 bytes r || s; wrap an ArrayBuffer in new Uint8Array().",
    );
  }
  checkSignature(signature);
  return signature;
}
