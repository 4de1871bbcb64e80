// Postgres array literals. Each array is sent as one text and cast in the statement. Describing and binding
// each item in the driver would take longer than the booking itself.

type Item = string | number | bigint | boolean | null | undefined;

/** The argument of a batch that has this value of each item. */
export const column = <T>(items: readonly T[], valueOf: (item: T) => Item): string =>
  arrayLiteral(items.map(valueOf));

export function arrayLiteral(values: readonly Item[]): string {
  return `{${values.map(literal).join(",")}}`;
}

/**
 * A bytea whose bytes are the text in UTF-8, in Postgres's escape format. It is half as long as hex, and half
 * as many bytes are copied on the way to the database. The text must not contain NUL.
 */
export const byteaLiteral = (text: string): string => text.replaceAll("\\", "\\\\");

function literal(value: Item): string {
  if (value === null || value === undefined) return "null";
  if (typeof value !== "string") return `${value}`;
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
