// Postgres array literals. Each array is sent as one text and cast in the statement. Describing and binding
// each item in the driver would take longer than the booking itself.

export function arrayLiteral(values: readonly (string | number | bigint | boolean | null)[]): string {
  return `{${values.map(literal).join(",")}}`;
}

function literal(value: string | number | bigint | boolean | null): string {
  if (value === null) return "null";
  if (typeof value !== "string") return `${value}`;
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
