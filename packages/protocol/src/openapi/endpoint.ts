import type { z } from "zod";
import type { TokenProblemCode } from "../problem_registry.ts";

/** A JSON value of the OpenAPI document. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json };

export type Examples = Readonly<Record<string, Json>>;

export const TAGS = {
  Access: "Tokens, credentials and checks of your signatures.",
  Trading: "Prices, firm quotes and the orders that execute them.",
  Money: "Incoming and outgoing SAR.",
  Books: "Balances, events, statements, and the gold behind them.",
  Sandbox: "Simulations of the bank, the operator, the market and the network. Only in the sandbox.",
  Discovery: "Health, the service's own keys and metadata, and this description.",
} as const;

/** What streams have in common. */
export const STREAM =
  "When there is nothing to send for ten seconds, a comment comes. The last event is `end`: its `reason` is `drain`, " +
  "`time_limit` (600 s), `token_expired`, `suspended` or `revoked`. After any other end, the connection was lost. Then open another stream.";

/** The body of a request or a reply. When examples of both belong together, they have the same name. */
interface Content {
  readonly schema: z.ZodType;
  readonly examples: Examples;
}

interface RequestContent extends Content {
  readonly mediaType: "application/json" | "application/x-www-form-urlencoded" | "*/*";
  /** The body may be left out. A request without a body means the same as a request with the example. */
  readonly optional?: true;
}

interface ReplyContent extends Content {
  /** Default: application/json. */
  readonly mediaType?: "text/html" | "text/event-stream";
  /** The description and an example of the reply as CSV, if a request's Accept header can ask for CSV. */
  readonly csv?: { readonly description: string; readonly example: string };
  readonly description: string;
}

/** One operation. The router, the OpenAPI document and the catalogue of errors are made from it. */
export interface Endpoint {
  readonly method: "GET" | "POST";
  /** The path, with its parameters as `{name}`. */
  readonly path: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description: string;
  /**
   * Whether the operation needs a token. Every operation also needs a certificate. `none`: a token is
   * ignored. `checked`: no token is needed, but a token that is sent must be valid.
   */
  readonly token: "none" | "checked" | "required";
  /**
   * `diagnosed`: X-Timestamp, X-Nonce and X-JWS-Signature may be missing or wrong, because the reply says
   * what is wrong with them.
   */
  readonly signature?: "required" | "diagnosed";
  /** Takes an Idempotency-Key. The first success has the status 201, a repeat has 200 and the first body. */
  readonly idempotent?: true;
  /** The path does not exist in production. */
  readonly sandboxOnly?: true;
  /** The bytes of the reply do not change while the service runs. The reply has an ETag for If-None-Match. */
  readonly fixed?: true;
  readonly query?: z.ZodObject;
  readonly request?: RequestContent;
  readonly reply: ReplyContent;
  /**
   * The operation's own problems. `problemCodesOf()` adds the problems that every operation has, and the
   * problems of the token, the signature, the Idempotency-Key and the media type.
   */
  readonly refusals: readonly TokenProblemCode[];
  /** Every refusal by the service has OAuth's form. A refusal by the proxy has the form of a problem. */
  readonly oauth?: true;
}

export type EndpointFamily = Readonly<Record<string, Endpoint>>;

/** `/v1/orders/{order_id}` → `order_id`. */
export function pathParameters({ path }: Endpoint): string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name!);
}
