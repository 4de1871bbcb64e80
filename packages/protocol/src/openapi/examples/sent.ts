// The headers of the example requests. Every request has its own nonce, key and signature, as the service
// demands it.
import { hostBytes } from "../../bytes.ts";
import { SIGNATURES } from "./signatures.ts";

/** The base URL in the examples. */
export const BASE_URL = "https://gold.example";

/** What the headers of an example request hold besides its token. */
export interface SentExample {
  readonly idempotencyKey: string;
  readonly timestamp: string;
  readonly nonce: string;
  /** Empty for a request that is not signed. */
  readonly signature: string;
}

const nameOf = (purpose: string, operation: string, name: string) =>
  hostBytes.sha256Hex(hostBytes.utf8(`${purpose} of ${operation} ${name}`)).slice(0, 32);

/** Returns the headers of an example request, by the operation's id and the example's name. */
export function sentExample(operation: string, name: string): SentExample {
  return {
    idempotencyKey: nameOf("key", operation, name),
    timestamp: "1769851875",
    nonce: nameOf("nonce", operation, name),
    signature: SIGNATURES[`${operation} ${name}`] ?? "",
  };
}
