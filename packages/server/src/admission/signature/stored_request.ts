import { Buffer } from "node:buffer";
import { stamp, type Ticket } from "../ticket.ts";
import type { JsonBytes } from "../body/read_body.ts";
import type { SignedRequest } from "./verify_signature.ts";

/**
 * A signed request in the form in which it is stored permanently, as text; its UTF-8 bytes are stored. It
 * later proves what the partner signed. docs/chain.md describes its bytes.
 */
export type StoredRequest = Ticket<"StoredRequest", string>;

/**
 * Joins method, target, X-Timestamp, X-Nonce, X-JWS-Signature and the body with line feeds. Only the body can
 * contain a line feed, so the parts can be separated again. The body was read as JSON, so it is valid UTF-8.
 */
export function storedRequest(
  method: string,
  target: string,
  { timestamp, nonce, signature, body }: Pick<
    SignedRequest<JsonBytes>,
    "timestamp" | "nonce" | "signature" | "body"
  >,
): StoredRequest {
  const text = Buffer.from(body).toString();
  return stamp<StoredRequest>(`${method}\n${target}\n${timestamp}\n${nonce}\n${signature}\n${text}`);
}

/** The RFC 7638 thumbprint of a key, in lower-case hex instead of base64url. */
export const thumbprintHex = (thumbprint: string): string =>
  Buffer.from(thumbprint, "base64url").toString("hex");
