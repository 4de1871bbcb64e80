import {
  IDEMPOTENCY_KEY_FORM,
  NONCE_FORM,
  REQUEST_HEADER,
  SIGNATURE_FORM,
  TIMESTAMP_FORM,
} from "@gold-partner/protocol";
import { Refusal } from "../../http/refusal.ts";
import { stamp, type Ticket } from "../ticket.ts";

/** Reads one header. The values of a repeated header are joined with a comma and a space. */
type HeaderReader = (name: string) => string | undefined;

/** The three signature headers, each in its documented format. */
export type SignatureForms = Ticket<"SignatureForms", {
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
}>;

export type IdempotencyKey = Ticket<"IdempotencyKey", string>;

export function readIdempotencyKey(header: HeaderReader): IdempotencyKey {
  const key = header(REQUEST_HEADER.idempotencyKey);
  if (key === undefined) throw new Refusal("idempotency_key_missing");
  if (!IDEMPOTENCY_KEY_FORM.test(key)) throw new Refusal("idempotency_key_invalid");
  return stamp<IdempotencyKey>(key);
}

/** Checks the format of the three signature headers, before anything is computed from them. */
export function readSignatureForms(header: HeaderReader): SignatureForms {
  const timestamp = required(header, REQUEST_HEADER.timestamp);
  const nonce = required(header, REQUEST_HEADER.nonce);
  const signature = required(header, REQUEST_HEADER.signature);
  if (!TIMESTAMP_FORM.test(timestamp)) throw new Refusal("timestamp_invalid");
  if (!NONCE_FORM.test(nonce)) throw new Refusal("nonce_invalid");
  if (signature.includes(",")) {
    throw new Refusal(
      "invalid_request",
      `${REQUEST_HEADER.signature} was sent more than once; send it once.`,
    );
  }
  if (!SIGNATURE_FORM.test(signature)) {
    throw new Refusal(
      "signature_invalid",
      `${REQUEST_HEADER.signature} must be <header>..<86 base64url characters>.`,
    );
  }
  return stamp<SignatureForms>({ timestamp, nonce, signature });
}

/**
 * Returns the header, or refuses the request as unsigned. A request that lacks one of the three headers
 * counts as unsigned, even if it has the other two.
 */
function required(header: HeaderReader, name: string): string {
  const value = header(name);
  if (value === undefined) throw new Refusal("signature_missing", `${name} is missing.`);
  return value;
}
