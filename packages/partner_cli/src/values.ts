import type { Invocation } from "./command.ts";
import { usage } from "./failure.ts";

type Values = Invocation["values"];

/** Returns an option's text; undefined if the option is missing. */
export function optional(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns an option's text, or throws a usage error that names the option. */
export function required(values: Values, name: string): string {
  const value = optional(values, name);
  if (value) return value;
  throw usage(`--${name} is missing.`);
}

export function wholeNumber(text: string, name: string, from: number): number {
  if (/^(0|[1-9][0-9]{0,14})$/.test(text) && Number(text) >= from) return Number(text);
  throw usage(`--${name} must be a whole number from ${from}; got ${text}.`);
}

/** Reads the URL of a receiver. Plain http is for a receiver on this machine. */
export function receiverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw usage(`The receiver's URL must begin with https:// or http://; got ${text}.`);
}
