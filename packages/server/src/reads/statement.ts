import { formatGrams, formatHalalas } from "@gold-partner/protocol";
import type { AccountReads, Holdings, StatementLine, StatementRange } from "./account_reads.ts";

/** As many events as are read at once: about a thousand transfers, whatever the statement's length. */
const PAGE_EVENTS = 500n;

interface Days {
  readonly from: string;
  readonly to: string;
}

/** The lines of a range, page by page: what has been sent is not kept. */
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

/** The members of the reply's schema, in its order. */
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

const lineJson = ({ posted_at, id, type, account, change, balance_after }: StatementLine): string =>
  `{"posted_at":"${posted_at}","id":"${id}","type":"${type}","account":"${account}","change":${change},"balance_after":${balance_after}}`;

/**
 * RFC 4180. The opening balances stand before the postings and the closing balances after them, so a table that was cut off shows.
 * Every cell is an instant, an id, a name of ours or a number: none needs quotes, and none is a formula to a spreadsheet.
 */
export async function* writeStatementCsv(
  reads: AccountReads,
  client: number,
  range: StatementRange,
): AsyncGenerator<string> {
  yield "posted_at,id,type,account,change,balance_after\r\n" + balanceRows("opening_balance", range.opening);
  for await (const lines of pagesOf(reads, client, range)) yield lines.map(lineRow).join("");
  yield balanceRows("closing_balance", range.closing);
}

const balanceRows = (name: string, holdings: Holdings): string =>
  balancesOf(holdings).map(([account, balance]) => `,,${name},${account},,${balance}\r\n`).join("");

const lineRow = ({ posted_at, id, type, account, change, balance_after }: StatementLine): string =>
  `${posted_at},${id},${type},${account},${change},${balance_after}\r\n`;

const balancesOf = (
  { sarAvailable, sarHeld, gold }: Holdings,
): readonly (readonly [StatementLine["account"], string])[] => [
  ["available_sar", formatHalalas(sarAvailable)],
  ["held_sar", formatHalalas(sarHeld)],
  ["gold_grams", formatGrams(gold)],
];
