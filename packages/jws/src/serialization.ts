import { decodeBase64url } from "./encoding.ts";
import { JwsError } from "./errors.ts";
import { checkSignature } from "./signature.ts";

const SIGNATURE_CHARS = 86;

/** The three parts of a compact serialization (RFC 7515, section 7.1). The payload may be empty. */
interface Parts {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

export function splitParts(value: string, maxChars: number): Parts {
  if (typeof value !== "string") throw malformed("The signature value is not a string.");
  if (value.length > maxChars) {
    throw new JwsError(
      "jws_too_long",
      `The signature value is ${value.length} characters long; at most ${maxChars} are allowed. Send a shorter value.`,
    );
  }
  const [header, payload, signature, ...others] = value.split(".");
  if (payload === undefined || signature === undefined || others.length > 0) {
    throw malformed("The signature value does not have exactly two dots.");
  }
  if (!header) throw malformed("The protected header of the signature value is empty.");
  return { header, payload, signature };
}

/** Decodes the third part to 64 bytes. The range of r and s is checked when the signature is verified. */
export function readSignature(text: string): Uint8Array {
  const signature = decodeBase64url(text, "signature");
  if (text.length !== SIGNATURE_CHARS) checkSignature(signature);
  return signature;
}

function malformed(what: string): JwsError {
  return new JwsError(
    "jws_malformed",
    `${what} The signature value must be header.payload.signature, each part in base64url, or header..signature ` +
      "if it is detached.",
  );
}
