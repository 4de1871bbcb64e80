import type { Columns, ExpectedTables } from "./expected.ts";
import type { Note } from "./notes.ts";

/**
 * Changes the expected rows as the noted action changed the tables. `proposal` is the id of the proposal that
 * made the change, if it needed one.
 */
export type Action = (tables: ExpectedTables, note: Note, proposal?: string) => void;

/** The audit trail has microseconds. The tables' columns round them to milliseconds. */
export function ms(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const beyond = /\.\d{3}(\d{1,3})/.exec(text)?.[1] ?? "0";
  return Date.parse(text) + (beyond.padEnd(3, "0") >= "500" ? 1 : 0);
}

export const big = (value: unknown) =>
  value === null || value === undefined ? value : BigInt(value as string | number);

/** For actions that change no row which the audit compares. */
export const nothing: Action = () => {};

export const LIMITS: Readonly<Record<string, string>> = {
  open_quotes: "maximum_open_quotes",
  open_grams: "maximum_open_grams",
  daily_records: "maximum_daily_records",
  net_grams: "maximum_net_grams",
};
export const WITHDRAWAL_LIMITS: Readonly<Record<string, string>> = {
  daily_withdrawals: "maximum_daily_withdrawals",
  daily_withdrawn: "maximum_daily_withdrawn",
};
/** The limits that the database stores as bigint. */
const BIG_LIMITS = new Set(["open_grams", "net_grams", "daily_withdrawn"]);
/** The columns of the given limits. */
export const limitColumns = (detail: Note["detail"], names: Readonly<Record<string, string>>): Columns =>
  Object.fromEntries(
    Object.entries(names).filter(([name]) => name in detail).map(([name, column]) => [
      column,
      BIG_LIMITS.has(name) ? big(detail[name]) : detail[name],
    ]),
  );
