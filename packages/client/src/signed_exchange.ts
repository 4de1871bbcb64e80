import { REQUEST_HEADER } from "@gold-partner/protocol";
import type { TransportReply, TransportRequest } from "./transport.ts";

/**
 * One try of an order or a withdrawal: the signed request, and its reply if one arrived. It contains no
 * secret: the token is not part of it, and the nonce of the signature is spent.
 */
export interface SignedExchange {
  readonly idempotency_key: string;
  readonly method: string;
  /** The path and query, as they were sent. */
  readonly target: string;
  /** The headers X-Timestamp, X-Nonce and X-JWS-Signature. */
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
  readonly body: string;
  /** 201 for an execution, 200 for the repeated reply to one; null: no reply arrived. */
  readonly status: number | null;
  readonly request_id: string | null;
  /** The body of the reply. */
  readonly reply: string | null;
}

/** The exchange of one try of a signed write. */
export function signedExchange(
  { target, idempotencyKey }: { readonly target: string; readonly idempotencyKey: string },
  { method, headers, body }: Pick<TransportRequest, "method" | "headers" | "body">,
  reply: TransportReply | undefined,
): SignedExchange {
  return {
    idempotency_key: idempotencyKey,
    method,
    target,
    timestamp: headers[REQUEST_HEADER.timestamp]!,
    nonce: headers[REQUEST_HEADER.nonce]!,
    signature: headers[REQUEST_HEADER.signature]!,
    body: textOf(body),
    status: reply?.status ?? null,
    request_id: reply?.headers.get("X-Request-Id") ?? null,
    reply: reply ? textOf(reply.body) : null,
  };
}

const textOf = (bytes: Uint8Array | undefined) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
