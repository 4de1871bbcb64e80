import { parameterErrors } from "@gold-partner/protocol";
import { z } from "zod";
import { Refusal } from "../../http/refusal.ts";

/** Gives access to the request target as it was sent, for example a Hono context. */
interface Targeted {
  get(name: "target"): string;
}

const AMBIGUOUS_PLUS = "A plus sign is ambiguous in a query; write %2B for a plus or %20 for a space.";
const NO_PARAMETERS = z.strictObject({}, {
  error: "This operation takes no query parameters; remove this one.",
});

/**
 * Reads the query's parameters. Refuses a repeated parameter, and a spelling that parsers decode differently.
 */
export function readQuery<Schema extends z.ZodType>(c: Targeted, schema: Schema): z.output<Schema> {
  const parameters = new Map<string, string>();
  for (const [name, value] of pairsOf(c.get("target"))) {
    if (parameters.has(name)) throw refusal(name, "This parameter was sent more than once; send it once.");
    parameters.set(name, value);
  }
  const result = schema.safeParse(Object.fromEntries(parameters));
  if (result.success) return result.data;
  const errors = parameterErrors(result.error.issues);
  throw new Refusal("invalid_request", errors[0]?.detail ?? "The query is not as documented.", errors);
}

/**
 * Refuses every query, for operations without query parameters. If a parameter were ignored, the caller could
 * get an unexpected answer.
 */
export function refuseQuery(c: Targeted): void {
  if (c.get("target").includes("?")) readQuery(c, NO_PARAMETERS);
}

function* pairsOf(target: string): Generator<[name: string, value: string]> {
  const start = target.indexOf("?");
  if (start < 0) return;
  for (const pair of target.slice(start + 1).split("&")) {
    const [name = "", ...value] = pair.split("=");
    yield [decode(name, name), decode(value.join("="), name)];
  }
}

function decode(text: string, name: string): string {
  // Refuse a plus, which form decoders read as a space and URL decoders as a plus.
  if (text.includes("+")) throw refusal(name, AMBIGUOUS_PLUS);
  try {
    return decodeURIComponent(text);
  } catch {
    throw refusal(name, "The percent-encoding is invalid; write %25 for a literal percent sign.");
  }
}

function refusal(name: string, detail: string): Refusal {
  const errors = parameterErrors([{ code: "custom", path: [name], message: detail, input: undefined }]);
  return new Refusal("invalid_request", detail, errors);
}
