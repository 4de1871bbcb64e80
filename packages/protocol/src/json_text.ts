import { JsonNumber, type JsonValue } from "@gold-partner/canonical";

/** `readJson()` back to text. A number is written as its own source text, so no quantity passes through a double. */
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
