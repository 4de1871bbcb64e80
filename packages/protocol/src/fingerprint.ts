import { canonicalJson, type CanonicalValue, JsonNumber, type JsonValue } from "@gold-partner/canonical";
import { isList } from "./json_text.ts";
import { DECIMAL_TEXT, formatDecimal, parseSignedDecimal } from "./quantity.ts";
import { GRAM_DECIMALS } from "./quantity_range.ts";
import { unitOfMember } from "./quantity_unit.ts";
import type { BytePrimitives } from "./request/byte_primitives.ts";

export interface WriteRequest {
  readonly method: string;
  /** The path of the request target, as it was sent. */
  readonly path: string;
  /** The body from `readJson()`, after its schema has accepted it. `{}` when there is no body. */
  readonly params: JsonValue;
}

/**
 * Computes the fingerprint of a write: the SHA-256, in lower-case hex, of the RFC 8785 text of
 * `{"method":…,"params":…,"path":…}`. An idempotency key is bound to one fingerprint.
 *
 * Requests with the same meaning have the same fingerprint. A quantity is written as its shortest decimal
 * text, so `1.5`, `1.50`, `15e-1` and the string `"1.50"` are the same. The order of members does not matter. An empty text counts
 * as a missing member, because no schema accepts both with different meanings.
 *
 * @param request The method, the path and the accepted body.
 * @param bytes The byte primitives of the host, for example `hostBytes`.
 * @throws QuantityError when a number in the body has more than 4 decimals, is -0 or is too large.
 * @example
 * ```ts
 * import { readJson } from "@gold-partner/canonical";
 * import { hostBytes, idempotencyFingerprint } from "@gold-partner/protocol";
 *
 * const fingerprintOf = (body: string) => {
 *   const params = readJson(hostBytes.utf8(body));
 *   return idempotencyFingerprint({ method: "POST", path: "/v1/quotes", params }, hostBytes);
 * };
 * const first = fingerprintOf('{"side":"buy","gold_grams":1.50}');
 * console.log(first === fingerprintOf('{"gold_grams":1.5,"side":"buy"}')); // true
 * ```
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
  const present = Object.entries(value).filter(([, member]) => member !== "");
  return Object.fromEntries(present.map(([name, member]) => [name, exactMember(name, member)]));
}

/** A quantity that is a decimal string is the same parameter as the number. A text of another member stays. */
function exactMember(name: string, value: JsonValue): CanonicalValue {
  const isDecimal = typeof value === "string" && unitOfMember(name) !== undefined && DECIMAL_TEXT.test(value);
  return isDecimal ? exactDecimal(value) : exactParams(value);
}

/**
 * Every number in an accepted body is a quantity or a whole number. GRAM_DECIMALS fits all of them, because
 * no quantity has more decimals than grams.
 */
function exactDecimal(source: string): string {
  return formatDecimal(parseSignedDecimal(source, GRAM_DECIMALS), GRAM_DECIMALS);
}
