import { JsonNumber, type JsonValue } from "@gold-partner/canonical";

/**
 * Writes a value of `readJson()` as JSON text. A number is written as its source text, so no quantity becomes
 * a double.
 *
 * @param value The value, with a `JsonNumber` for each number.
 * @example
 * ```ts
 * import { JsonNumber } from "@gold-partner/canonical";
 * import { writeJson } from "@gold-partner/protocol";
 *
 * console.log(writeJson({ gold_grams: new JsonNumber("1.50") })); // {"gold_grams":1.50}
 * ```
 */
export function writeJson(value: JsonValue): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (value instanceof JsonNumber) return value.source;
  if (isList(value)) return `[${value.map(writeJson).join(",")}]`;
  const members = Object.entries(value).map(([name, member]) =>
    `${JSON.stringify(name)}:${writeJson(member)}`
  );
  return `{${members.join(",")}}`;
}

/** `Array.isArray()` does not narrow a readonly array. */
export function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
