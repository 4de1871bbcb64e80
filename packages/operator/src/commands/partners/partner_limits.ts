import { formatGrams, formatHalalas, parseGrams, parseHalalas } from "@gold-partner/protocol";
import type { Row as Printed, Values } from "../../command.ts";
import type { Limits } from "../../database.ts";
import { usage } from "../../failure.ts";
import { parsed, wholeNumber } from "../../values.ts";

/**
 * The options that limit a partner's trading, stored records and withdrawals; `unlimited` takes a limit away.
 */
export const LIMIT_OPTIONS = {
  "open-quotes": { type: "string" },
  "open-grams": { type: "string" },
  "daily-records": { type: "string" },
  "net-grams": { type: "string" },
  "daily-withdrawals": { type: "string" },
  "daily-withdrawn": { type: "string" },
} as const;
export const LIMIT_NAMES = Object.keys(LIMIT_OPTIONS);
export const LIMIT_USAGE =
  "[--open-quotes N|unlimited] [--open-grams G|unlimited] [--daily-records N|unlimited] [--net-grams G|unlimited] [--daily-withdrawals N|unlimited] [--daily-withdrawn SAR|unlimited]";

/** A thousand tonnes, in 0.0001 g. */
const TENTH_MILLIGRAMS_AT_MOST = 10_000_000_000_000n;

/** Returns the limits whose options are given. Null means unlimited. */
export function readLimits(values: Values): Limits {
  const limit = <T>(name: keyof typeof LIMIT_OPTIONS, parse: (text: string) => T): T | null | undefined =>
    parsed(values, name, (text) => text === "unlimited" ? null : parse(text));
  const limits = {
    open_quotes: limit("open-quotes", (text) => wholeNumber(text, "open-quotes")),
    open_grams: limit("open-grams", (text) => `${readLimitGrams(text, "open-grams")}`),
    daily_records: limit("daily-records", (text) => wholeNumber(text, "daily-records")),
    net_grams: limit("net-grams", (text) => `${readLimitGrams(text, "net-grams")}`),
    daily_withdrawals: limit("daily-withdrawals", (text) => wholeNumber(text, "daily-withdrawals")),
    daily_withdrawn: limit("daily-withdrawn", (text) => `${parseHalalas(text)}`),
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/** Reads a limit in grams: at most a thousand tonnes, so that sums of grams fit into Postgres's bigint. */
export function readLimitGrams(text: string, option: string): bigint {
  const grams = parseGrams(text);
  if (grams > TENTH_MILLIGRAMS_AT_MOST) {
    throw usage(
      `--${option} must be at most ${
        formatGrams(TENTH_MILLIGRAMS_AT_MOST)
      }, or unlimited for no limit; got ${text}.`,
    );
  }
  return grams;
}

const PRINTED: Readonly<Record<string, (units: bigint) => string>> = {
  open_grams: formatGrams,
  net_grams: formatGrams,
  daily_withdrawn: formatHalalas,
};

/** Formats limits as `gold` prints them: in grams and SAR, and `unlimited` if there is no limit. */
export function printLimits(limits: Limits): Printed {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => {
      if (value === null) return [name, "unlimited"];
      return [name, PRINTED[name]?.(BigInt(value)) ?? value];
    }),
  );
}

/** How much of each limit is used. Null if nobody counts it, because the partner has no such limit. */
type LimitUse = Readonly<Record<keyof Limits, string | number | null>>;

/** Each limit of a partner beside its use. */
export const describeUse = (limits: Printed, used: LimitUse): readonly Printed[] =>
  LIMIT_NAMES.map((option) => {
    const name = option.replaceAll("-", "_") as keyof Limits;
    const use = used[name];
    return {
      limit: name,
      maximum: limits[name]!,
      used: use === null ? null : (PRINTED[name] ?? String)(BigInt(use)),
    };
  });
