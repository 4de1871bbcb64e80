import { ENDPOINTS, type OperationId } from "@gold-partner/protocol";
import type { Caller } from "./caller_fixture.ts";

/** The part of the served description that replies are compared with. */
export interface Described {
  readonly components: { readonly responses: Readonly<Record<string, DescribedReply>> };
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Reference>> }>>>
  >;
}

interface DescribedReply {
  readonly headers: Readonly<Record<string, unknown>>;
}

type Reference = DescribedReply | { readonly $ref: string };

/** Headers that every HTTP reply may have. The description does not name them. */
const OF_HTTP = [
  "cache-control",
  "connection",
  "content-length",
  "content-security-policy",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "vary",
  "x-content-type-options",
];

export async function describedBy(caller: Caller): Promise<Described> {
  return await caller.succeed("getOpenApi") as unknown as Described;
}

/** Returns the reply's headers that the description does not name for this operation and status. */
export function undescribedHeaders(
  { components, paths }: Described,
  operation: OperationId,
  reply: Response,
): string[] {
  const { method, path } = ENDPOINTS[operation];
  const found = paths[path]![method.toLowerCase()]!.responses[`${reply.status}`];
  if (!found) return [`status ${reply.status}`];
  const { headers } = "$ref" in found ? components.responses[found.$ref.split("/").at(-1)!]! : found;
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return [...reply.headers.keys()].filter((name) => !names.includes(name) && !OF_HTTP.includes(name));
}
