import type { z } from "zod";
import type { TokenProblemCode } from "../problem_registry.ts";

/** A value of the description, as JSON holds it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json };

export type Examples = Readonly<Record<string, Json>>;

export const TAGS = {
  Access: "Health, tokens, keys, and whether your signatures are right.",
  Trading: "Prices, firm quotes and the orders that execute them.",
  Money: "SAR that comes in and goes out.",
  Books: "Balances, events, statements, and the gold behind them.",
} as const;

/** What is sent or answered. A request and a reply that belong together have examples of the same name. */
interface Content {
  readonly schema: z.ZodType;
  readonly examples: Examples;
}

interface RequestContent extends Content {
  readonly mediaType: "application/json" | "application/x-www-form-urlencoded" | "*/*";
  /** No body at all says the same. */
  readonly optional?: true;
}

interface ReplyContent extends Content {
  /** Unless it is JSON. */
  readonly mediaType?: "text/html";
  /** The same as a table, for who asks for it by Accept: its description and an example. */
  readonly csv?: { readonly description: string; readonly example: string };
  readonly description: string;
}

/** One operation: the router, the description and the catalogue of errors are made from it. */
export interface Endpoint {
  readonly method: "GET" | "POST";
  /** Its parameters as `{name}`. */
  readonly path: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description: string;
  /** Besides the certificate, which every operation needs; `checked`: not needed, but one that is sent must be right. */
  readonly token: "none" | "checked" | "required";
  /** `judged`: the three headers may be missing or wrong, for the reply says what is wrong with them. */
  readonly signature?: "required" | "judged";
  /** Takes an Idempotency-Key: answers 201, and a repeat 200 with the first body. */
  readonly idempotent?: true;
  /** In production the path does not exist. */
  readonly sandboxOnly?: true;
  /** The same bytes while the service runs, under a tag by which they are asked for again. */
  readonly fixed?: true;
  readonly query?: z.ZodObject;
  readonly request?: RequestContent;
  readonly reply: ReplyContent;
  /** The problems of its own, besides those of everything that it needs. */
  readonly refusals: readonly TokenProblemCode[];
  /** Refuses in OAuth's form, whatever the status. */
  readonly oauth?: true;
}

export type EndpointFamily = Readonly<Record<string, Endpoint>>;

/** `/v1/orders/{order_id}` → `order_id`. */
export function pathParameters({ path }: Endpoint): string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name!);
}
