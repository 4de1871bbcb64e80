// Postgres array literals. Arrays travel as one text each and are cast in the statement: a driver that describes and
// binds them item by item costs more than the booking.

export function arrayLiteral(values: readonly (string | number | bigint | boolean | null)[]): string {
  return `{${values.map(literal).join(",")}}`;
}

function literal(value: string | number | bigint | boolean | null): string {
  if (value === null) return "null";
  if (typeof value !== "string") return `${value}`;
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}
