// Postgres array literals. Each array is sent as one text and cast in the statement. If the driver described
// and bound each item, that would cost more than the booking.

export function arrayLiteral(values: readonly (string | number | bigint | boolean | null)[]): string {
  return `{${values.map(literal).join(",")}}`;
}

function literal(value: string | number | bigint | boolean | null): string {
  if (value === null) return "null";
  if (typeof value !== "string") return `${value}`;
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
