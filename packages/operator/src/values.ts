import { IbanError, parseInstant, QuantityError } from "@gold-partner/protocol";
import type { Values } from "./command.ts";
import { EXIT, Failure, usage } from "./failure.ts";

const UUID_FORM = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TEXT_MAX_CHARACTERS = 140;
// Invisible characters and line breaks. A text with them can look like another text to the person who
// approves it.
const UNPRINTABLE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u;

/** Returns an option's text, or throws a usage error that names the option. */
export function required(values: Values, name: string): string {
  const value = values[name];
  if (typeof value !== "string" || value === "") throw usage(`--${name} is missing.`);
  return value;
}

export function optional(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/**
 * Returns an option's parsed value, or undefined if the option is missing. Throws a usage error that names
 * the option if its value is invalid.
 */
export function parsed<T>(values: Values, name: string, parse: (text: string) => T): T | undefined {
  const text = optional(values, name);
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof IbanError || error instanceof QuantityError)) throw error;
    throw usage(`--${name} is invalid. ${error.message}`);
  }
}

/** Like parsed(), for an option that must be given. */
export function parsedRequired<T>(values: Values, name: string, parse: (text: string) => T): T {
  required(values, name);
  return parsed(values, name, parse)!;
}

export function repeated(values: Values, name: string): string[] {
  const value = values[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

export const wholeNumber = (text: string, option: string): number => wholeArgument(text, `--${option}`);

/** Reads the same from an argument that has no option. */
export function wholeArgument(text: string, name: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw usage(`${name} must be a whole number from 1 to 999999999; got ${text}.`);
}

/** Reads an instant in the format that all commands print. */
export function instantText(text: string, name: string): string {
  if (parseInstant(text) !== undefined) return text;
  throw usage(
    `--${name} must be a UTC time with milliseconds, such as 2026-01-31T09:30:00.000Z; got ${text}.`,
  );
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

/** Reads a span of time such as 30m, 24h, 7d or 0, and returns seconds. */
export function spanSeconds(text: string, name: string): number {
  if (text === "0") return 0;
  const [, count, unit] = /^([1-9][0-9]{0,5})([mhd])$/.exec(text) ?? [];
  if (unit === undefined) throw usage(`--${name} must be a duration such as 30m, 24h, 7d or 0; got ${text}.`);
  return Number(count) * UNIT_SECONDS[unit]!;
}

const OVERLAP_MAX_SECONDS = 90 * UNIT_SECONDS.d!;

/** Reads for how many seconds the older credentials stay valid beside the new one. */
export function overlapSecondsOf(values: Values): number {
  const seconds = spanSeconds(required(values, "overlap"), "overlap");
  if (seconds <= OVERLAP_MAX_SECONDS) return seconds;
  throw usage(`--overlap must be at most 90d; got ${values.overlap}.`);
}

/** Reads one line of text for people and banks, without the spaces around it. */
export function line(values: Values, name: string): string {
  const text = required(values, name).normalize("NFC").trim();
  const characters = [...text].length;
  if (characters < 1 || characters > TEXT_MAX_CHARACTERS || UNPRINTABLE.test(text)) {
    throw usage(`--${name} must be 1 to ${TEXT_MAX_CHARACTERS} visible characters on one line.`);
  }
  return text;
}

/** Reads a certificate's SHA-256 in hex, with or without the colons and capitals of openssl's format. */
export function fingerprintOf(text: string): string {
  return text.replaceAll(":", "").toLowerCase();
}

/** Reads one of a few allowed words. */
export function oneOf<W extends string>(text: string, name: string, words: readonly W[]): W {
  const word = words.find((one) => one === text);
  if (word === undefined) throw usage(`--${name} must be one of ${words.join(", ")}; got ${text}.`);
  return word;
}

/** Returns the UUID of an id. A malformed id is reported as not found, like an unknown id. */
export function uuidOf(noun: string, prefix: string, id: string): string {
  const uuid = id.slice(prefix.length);
  if (id.startsWith(prefix) && UUID_FORM.test(uuid)) return uuid;
  throw new Failure(
    EXIT.refused,
    "not_found",
    `There is no ${noun} ${id}: this is not a valid ${noun} id.`,
  );
}
