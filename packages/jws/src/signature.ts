import { DerReader, INTEGER, SEQUENCE } from "./der.ts";
import { JwsError } from "./errors.ts";
import { isScalar, SCALAR_BYTES } from "./p256.ts";

/** An ES256 signature is r ‖ s, 32 bytes each (RFC 7518, section 3.4). */
const SIGNATURE_BYTES = 64;

/** Refuses bytes that cannot be an ES256 signature. Called before a key verifies and after a signer signs. */
export function checkSignature(signature: Uint8Array): Uint8Array {
  if (!(signature instanceof Uint8Array)) {
    throw new JwsError(
      "signature_length",
      "The signature must be a Uint8Array of the 64 bytes r || s; wrap an ArrayBuffer in new Uint8Array().",
    );
  }
  if (signature.length !== SIGNATURE_BYTES) throw wrongLength(signature);
  if (!isScalar(signature, 0)) throw outOfRange("r");
  if (!isScalar(signature, SCALAR_BYTES)) throw outOfRange("s");
  return signature;
}

/**
 * Converts a DER signature to the 64 bytes r ‖ s. openssl, Java and most HSMs give DER signatures. The
 * function accepts only strict DER: shortest lengths and integers, and no bytes left over.
 *
 * @param der The DER signature.
 * @returns The 64 bytes r ‖ s.
 * @throws {JwsError} `der_malformed`: `der` is not a Uint8Array, or not strict DER of two positive integers.
 * @throws {JwsError} `signature_out_of_range`: r or s is 0, or not below the order of P-256.
 *
 * @example
 * ```ts
 * import { signatureFromDer, type Signer } from "@gold-partner/jws";
 * import { generateKeyPairSync, sign } from "node:crypto";
 *
 * const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" }); // in place of an HSM
 * const signer: Signer = {
 *   kid: "hsm-1",
 *   sign: (data) => Promise.resolve(signatureFromDer(sign("sha256", data, privateKey))),
 * };
 * ```
 */
export function signatureFromDer(der: Uint8Array): Uint8Array {
  if (!(der instanceof Uint8Array)) {
    throw new JwsError(
      "der_malformed",
      "The DER signature must be a Uint8Array; wrap an ArrayBuffer in new Uint8Array().",
    );
  }
  const outer = new DerReader(der, "der_malformed");
  const numbers = outer.enter(SEQUENCE);
  outer.end();
  const signature = new Uint8Array(SIGNATURE_BYTES);
  writeScalar(signature, SCALAR_BYTES, numbers.read(INTEGER), "r");
  writeScalar(signature, SIGNATURE_BYTES, numbers.read(INTEGER), "s");
  numbers.end();
  checkSignature(signature);
  return signature;
}

function writeScalar(signature: Uint8Array, end: number, integer: Uint8Array, name: "r" | "s"): void {
  const signBit = 0x80;
  const [first = signBit, second = signBit] = integer;
  if (first >= signBit || (first === 0 && integer.length > 1 && second < signBit)) {
    throw new JwsError(
      "der_malformed",
      `${name} is not a positive DER integer in its shortest form. Pass the DER signature exactly as the signer ` +
        "returned it.",
    );
  }
  const magnitude = first === 0 ? integer.subarray(1) : integer;
  if (magnitude.length > SCALAR_BYTES) throw outOfRange(name);
  signature.set(magnitude, end - magnitude.length);
}

function wrongLength(signature: Uint8Array): JwsError {
  const isDer = signature[0] === SEQUENCE && signature[1] === signature.length - 2 &&
    signature[2] === INTEGER;
  return isDer
    ? new JwsError(
      "signature_der",
      `The signature is ${signature.length} bytes of DER. ES256 needs the 64 bytes r || s; convert it with ` +
        "signatureFromDer().",
    )
    : new JwsError(
      "signature_length",
      `The signature is ${signature.length} bytes long. ES256 needs the 64 bytes r || s, 32 bytes each with ` +
        "leading zeros.",
    );
}

function outOfRange(name: "r" | "s"): JwsError {
  return new JwsError(
    "signature_out_of_range",
    `${name} is 0, or not below the order of P-256, which no correct signer produces. Sign again.`,
  );
}
