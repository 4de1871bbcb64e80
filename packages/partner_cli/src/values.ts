import { X509Certificate } from "node:crypto";
import type { Invocation, Term } from "./command.ts";
import { usage } from "./failure.ts";
import { readNamed } from "./named_file.ts";
import type { Receiver } from "./receiver/deliver.ts";

type Values = Invocation["values"];

/**
 * Returns an option's text, or undefined if the option is missing. Throws if it is empty, as an unset shell
 * variable makes it.
 */
export function optional(values: Values, name: string): string | undefined {
  const value = values[name];
  if (value === "") throw usage(`--${name} is empty. Give it a value, or leave it out.`);
  return typeof value === "string" ? value : undefined;
}

/** Returns an option's text, or throws a usage error that names the option. */
export function required(values: Values, name: string): string {
  const value = optional(values, name);
  if (value !== undefined) return value;
  throw usage(`--${name} is missing.`);
}

export function wholeNumber(text: string, name: string, from: number): number {
  if (/^(0|[1-9][0-9]{0,14})$/.test(text) && Number(text) >= from) return Number(text);
  throw usage(`--${name} must be a whole number, at least ${from}; got ${text}.`);
}

export const CA_TERM: Term = ["--ca FILE", "PEM of the CA to trust for an https receiver"];

/**
 * Reads the URL of a receiver, and the option --ca. The URL may be plain http, for a receiver on this
 * machine.
 */
export async function receiverOf(
  text: string,
  { values, path }: Pick<Invocation, "values" | "path">,
): Promise<Receiver> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usage(`The receiver's URL must begin with https:// or http://; got ${text}.`);
  }
  const file = optional(values, "ca");
  if (file === undefined) return { url };
  const ca = new TextDecoder().decode(await readNamed("--ca", path(file)));
  try {
    new X509Certificate(ca);
  } catch {
    throw usage(`--ca must name a PEM file with the certificate of a CA; ${file} has none.`);
  }
  return { url, ca };
}
