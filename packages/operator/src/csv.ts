import type { Row } from "./command.ts";

const BOM = "\uFEFF";
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;
/** What a spreadsheet would take for a formula, also after a separator of its own. */
const FORMULA = /(^|[;\t\r\n])([=+\-@])/g;

/** Formats these members of rows as CSV (RFC 4180), in UTF-8 with its mark. A formula gets an apostrophe. */
export function csvOf(rows: readonly Row[], names: readonly string[]): string {
  const lines = rows.map((row) => names.map((name) => cellOf(`${row[name] ?? ""}`)).join(","));
  return BOM + [names.join(","), ...lines, ""].join("\r\n");
}

const cellOf = (text: string): string =>
  text === "" || NUMBER.test(text) ? text : `"${text.replace(FORMULA, "$1'$2").replaceAll('"', '""')}"`;
