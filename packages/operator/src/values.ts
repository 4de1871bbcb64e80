import type { Values } from "./command.ts";
import { usage } from "./failure.ts";

/** An option's text, or the usage error that names it. */
export function required(values: Values, name: string): string {
  const value = values[name];
  if (typeof value !== "string" || value === "") throw usage(`--${name} is missing.`);
  return value;
}

export function optional(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

export function repeated(values: Values, name: string): string[] {
  const value = values[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

export function wholeNumber(text: string, name: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw usage(`--${name} is a whole number above 0, not ${text}.`);
  return Number(text);
}
