import { formatGrams, parseGrams } from "@gold-partner/protocol";
import type { Sql } from "postgres";
import type { Row as Printed, Values } from "../command.ts";
import type { Limits } from "../database.ts";
import { usage } from "../failure.ts";
import { parsed, wholeNumber } from "../values.ts";

/** The options that limit a partner's open quotes and stored records; `unlimited` takes a limit away. */
export const LIMIT_OPTIONS = {
  "open-quotes": { type: "string" },
  "open-grams": { type: "string" },
  "daily-records": { type: "string" },
} as const;
export const LIMIT_NAMES = Object.keys(LIMIT_OPTIONS);
export const LIMIT_USAGE =
  "[--open-quotes N|unlimited] [--open-grams G|unlimited] [--daily-records N|unlimited]";

/** A thousand tonnes, in 0.0001 g. */
const OPEN_TENTH_MILLIGRAMS_AT_MOST = 10_000_000_000_000n;

/** Returns the limits whose options are given. Null means unlimited. */
export function readLimits(values: Values): Limits {
  const limit = <T>(name: keyof typeof LIMIT_OPTIONS, parse: (text: string) => T): T | null | undefined =>
    parsed(values, name, (text) => text === "unlimited" ? null : parse(text));
  const limits = {
    open_quotes: limit("open-quotes", (text) => wholeNumber(text, "open-quotes")),
    open_grams: limit("open-grams", (text) => `${readOpenGrams(text)}`),
    daily_records: limit("daily-records", (text) => wholeNumber(text, "daily-records")),
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

function readOpenGrams(text: string): bigint {
  const grams = parseGrams(text);
  if (grams > OPEN_TENTH_MILLIGRAMS_AT_MOST) {
    throw usage(
      `--open-grams must be at most ${
        formatGrams(OPEN_TENTH_MILLIGRAMS_AT_MOST)
      }, or unlimited for no limit; got ${text}.`,
    );
  }
  return grams;
}

/** Formats limits as `gold` prints them: in grams, and `unlimited` if there is no limit. */
export function printLimits(limits: Limits): Printed {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => {
      if (value === null) return [name, "unlimited"];
      return [name, name === "open_grams" ? formatGrams(BigInt(value)) : value];
    }),
  );
}

export async function limitPartner(sql: Pick<Sql, "unsafe">, id: string, limits: Limits): Promise<void> {
  await sql.unsafe("select gold.limit_partner($1, $2::text::jsonb)", [id, JSON.stringify(limits)]);
}
