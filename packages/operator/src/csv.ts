import type { Row } from "./command.ts";

const BOM = "\uFEFF";
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;
/** What a spreadsheet would take for a formula, also after a separator of its own. */
const FORMULA = /(^|[;\t\r\n])([=+\-@])/g;

/**
 * Formats these members of rows as CSV (RFC 4180) in UTF-8 with a byte order mark, page by page. Puts an
 * apostrophe before a formula, so that a spreadsheet does not run it.
 */
export async function* csvOf(
  pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  names: readonly string[],
): AsyncGenerator<string> {
  yield `${BOM}${names.join(",")}\r\n`;
  for await (const rows of pages) {
    yield rows.map((row) => `${names.map((name) => cellOf(`${row[name] ?? ""}`)).join(",")}\r\n`).join("");
  }
}

const cellOf = (text: string): string =>
  text === "" || NUMBER.test(text) ? text : `"${text.replace(FORMULA, "$1'$2").replaceAll('"', '""')}"`;
