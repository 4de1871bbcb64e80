import { Quantity } from "./quantity.ts";

/** Converts a value back to plain JSON values. Each quantity becomes a number. */
export function toPlain(value: unknown): unknown {
  if (value instanceof Quantity) return Number(`${value}`);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlain(member)]));
}
