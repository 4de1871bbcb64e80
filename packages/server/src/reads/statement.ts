import {
  formatGrams,
  formatHalalas,
  POSTING_TEXTS,
  type StatementReply,
  statementReply,
} from "@gold-partner/protocol";
import type { AccountReads, Holdings, StatementLine, StatementRange } from "./account_reads.ts";

/** The number of events per query: about a thousand transfers, however long the statement is. */
const PAGE_EVENTS = 500n;

/** The columns of a line, in the order of the reply's schema. */
const COLUMNS = Object.entries(statementReply.shape.postings.element.shape).map(([name, { type }]) => ({
  name: name as keyof StatementLine,
  isNumber: type === "number",
}));

interface Days {
  readonly from: string;
  readonly to: string;
}

/** Reads the lines of a range page by page, so that only one page is in memory. */
async function* pagesOf(
  reads: AccountReads,
  client: number,
  { above, last }: StatementRange,
): AsyncGenerator<readonly StatementLine[]> {
  for (let start = above; start < last; start += PAGE_EVENTS) {
    const end = start + PAGE_EVENTS < last ? start + PAGE_EVENTS : last;
    const lines = await reads.statementLines(client, start, end);
    if (lines.length > 0) yield lines;
  }
}

/** Writes the members of the reply's schema, in the schema's order. */
export async function* writeStatementJson(
  reads: AccountReads,
  client: number,
  { from, to }: Days,
  range: StatementRange,
): AsyncGenerator<string> {
  yield `{"from":"${from}","to":"${to}","time_zone":"Asia/Riyadh","opening_balance":${
    balanceJson(range.opening)
  },` +
    `"closing_balance":${balanceJson(range.closing)},"postings":[`;
  let separator = "";
  for await (const lines of pagesOf(reads, client, range)) {
    yield separator + lines.map(lineJson).join(",");
    separator = ",";
  }
  yield "]}";
}

const balanceJson = (holdings: Holdings): string =>
  `{${balancesOf(holdings).map(([account, balance]) => `"${account}":${balance}`).join(",")}}`;

const lineJson = (line: StatementLine): string => {
  const members = COLUMNS.filter(({ name }) => line[name] !== undefined).map(({ name, isNumber }) =>
    `"${name}":${isNumber ? line[name] : JSON.stringify(line[name])}`
  );
  return `{${members.join(",")}}`;
};

/**
 * Writes CSV (RFC 4180). The opening balances come before the postings and the closing balances after them. A
 * file without closing balances is therefore incomplete.
 */
export async function* writeStatementCsv(
  reads: AccountReads,
  client: number,
  range: StatementRange,
): AsyncGenerator<string> {
  yield rowOf(COLUMNS.map(({ name }) => name)) + balanceRows("opening_balance", range.opening);
  for await (const lines of pagesOf(reads, client, range)) yield lines.map(lineRow).join("");
  yield balanceRows("closing_balance", range.closing);
}

const balanceRows = (type: string, holdings: Holdings): string =>
  balancesOf(holdings).map(([account, balance_after]) => lineRow({ type, account, balance_after })).join("");

const lineRow = (line: Partial<StatementLine>): string =>
  rowOf(COLUMNS.map(({ name }) => name in POSTING_TEXTS ? textCell(line[name]) : line[name]));

/**
 * The partner's own texts are the only cells that may need quotes. A spreadsheet would read a text that
 * begins with = + - or @ as a formula, so an apostrophe goes before it. The JSON statement has the text
 * unchanged.
 */
function textCell(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const safe = /^[=+@-]/.test(text) ? `'${text}` : text;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const rowOf = (cells: readonly (string | undefined)[]): string => `${cells.join(",")}\r\n`;

const balancesOf = (
  { sarAvailable, sarHeld, gold }: Holdings,
): readonly (readonly [keyof StatementReply["closing_balance"], string])[] => [
  ["available_sar", formatHalalas(sarAvailable)],
  ["held_sar", formatHalalas(sarHeld)],
  ["gold_grams", formatGrams(gold)],
];
