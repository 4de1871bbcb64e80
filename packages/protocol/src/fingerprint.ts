import { canonicalJson, type CanonicalValue, JsonNumber, type JsonValue } from "@gold-partner/canonical";
import { isList } from "./json_text.ts";
import { formatDecimal, parseDecimal } from "./quantity.ts";
import { GRAM_DECIMALS } from "./quantity_range.ts";
import type { BytePrimitives } from "./request/byte_primitives.ts";

export interface WriteRequest {
  readonly method: string;
  /** The path of the request target, as it was sent. */
  readonly path: string;
  /** The body as `readJson()` gave it, once its schema has accepted it; `{}` where there is none. */
  readonly params: JsonValue;
}

/**
 * What an idempotency key is bound to: the SHA-256, in lower-case hex, of the RFC 8785 text of
 * `{"method":…,"params":…,"path":…}`. A quantity stands there as its shortest decimal text (`"1.5"`), so `1.5`,
 * `1.50` and `15e-1`, or another order of members, are the same request; and so is an empty text as if its member
 * were left out, since no schema tells the two apart in a body that it accepts.
 */
export function idempotencyFingerprint(
  { method, path, params }: WriteRequest,
  bytes: BytePrimitives,
): string {
  return bytes.sha256Hex(bytes.utf8(canonicalJson({ method, params: exactParams(params), path })));
}

function exactParams(value: JsonValue): CanonicalValue {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof JsonNumber) return exactDecimal(value.source);
  if (isList(value)) return value.map(exactParams);
  const said = Object.entries(value).filter(([, member]) => member !== "");
  return Object.fromEntries(said.map(([name, member]) => [name, exactParams(member)]));
}

/** Every number of an accepted body is a quantity; those of gold have the most decimals. */
function exactDecimal(source: string): string {
  return formatDecimal(parseDecimal(source, GRAM_DECIMALS), GRAM_DECIMALS);
}
