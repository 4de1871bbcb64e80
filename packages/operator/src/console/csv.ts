import type { Row } from "../command.ts";

/** A text that a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** Formats rows as CSV (RFC 4180). A text that would be a formula begins with an apostrophe. */
export function csvOf(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => names.map((name) => cellOf(`${row[name] ?? ""}`)).join(","));
  return [names.join(","), ...lines, ""].join("\r\n");
}

function cellOf(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
