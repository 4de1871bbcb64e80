import { parameterErrors } from "@gold-partner/protocol";
import { z } from "zod";
import { Refusal } from "../../refusal.ts";

/** What keeps the request target as it was sent. */
interface Targeted {
  get(name: "target"): string;
}

const NO_PARAMETERS = z.strictObject({}, {
  error: "This operation takes no query parameters; leave it out.",
});

/** The query's parameters, each sent once and spelt so that every reader reads the same. */
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

/** For operations that take none: what is asked for is never quietly left out of the answer. */
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
  // A space to who reads it as a form, a plus to who reads it as a URL.
  if (text.includes("+")) throw refusal(name, "A plus here can be read in two ways; write %2B or %20.");
  try {
    return decodeURIComponent(text);
  } catch {
    throw refusal(name, "The percent-encoding is broken; write %25 for a percent sign itself.");
  }
}

function refusal(name: string, detail: string): Refusal {
  const errors = parameterErrors([{ code: "custom", path: [name], message: detail, input: undefined }]);
  return new Refusal("invalid_request", detail, errors);
}
