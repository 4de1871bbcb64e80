import { Buffer } from "node:buffer";
import { JwsError, signatureFromDer } from "@gold-partner/jws";

/** The parts of a signature header that are needed to verify it, even if the header's format is wrong. */
export interface LooseSignature {
  /** The protected header's text as it was sent. The signature covers this text, even if it is wrong. */
  readonly header: string;
  /** 64 bytes, r ‖ s. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly der: boolean;
}

const SIGNATURE_BYTES = 64;

/**
 * Reads detached and ordinary JWS, r ‖ s and DER, base64url and base64. Returns undefined if it finds no
 * signature.
 */
export function readLooseSignature(value: string): LooseSignature | undefined {
  const [header, _payload, text, ...others] = value.split(".");
  if (!header || !text || others.length > 0) return undefined;
  const bytes = new Uint8Array(Buffer.from(text, "base64"));
  if (bytes.length === SIGNATURE_BYTES) return { header, bytes, der: false };
  try {
    return { header, bytes: new Uint8Array(signatureFromDer(bytes)), der: true };
  } catch (error) {
    if (error instanceof JwsError) return undefined;
    throw error;
  }
}
