import { formatGrams, formatHalalas } from "@gold-partner/protocol";
import type { Command, Result, Row } from "../../command.ts";
import { usage } from "../../failure.ts";
import { csvOf } from "../../csv.ts";
import { withNewFile } from "../../new_file.ts";
import type { Query } from "../../query.ts";
import { optional, parsed } from "../../values.ts";
import { findPartner } from "../partners/registered_partner.ts";

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
/** Events that one statement of the database reads. */
const PAGE_EVENTS = 500n;
/** Text output shows this many postings and the rest of their page. JSON and CSV contain all postings. */
const MOST_SHOWN = 1_000;

/** The columns of a statement as CSV. They are fixed, so that an empty statement has the same header. */
const POSTING_COLUMNS =
  "posted_at id type account change balance_after reference account_label reserves_list_id".split(" ");

const statement: Command = {
  words: "statement",
  usage: "statement ID [--from DAY] [--to DAY] [--csv FILE]",
  does:
    "shows a partner's postings of some days in Riyadh, both included, with the balances before and after; " +
    "without --from, of the current month; with --csv, writes them to a file for a spreadsheet",
  options: { from: { type: "string" }, to: { type: "string" }, csv: { type: "string" } },
  takes: ["ID"],
  async run({ values, read, path, positionals: [id] }) {
    const partner = await findPartner(read, id!);
    const [days] = await read`
      select to_char(now() at time zone 'Asia/Riyadh', 'YYYY-MM-DD') as today,
        to_char(now() at time zone 'Asia/Riyadh', 'YYYY-MM-01') as month`;
    const from = readDay(optional(values, "from") ?? days!.month, "from");
    const to = readDay(optional(values, "to") ?? days!.today, "to");
    if (from > to) throw usage(`--from must not be after --to; got ${from} and ${to}.`);
    const [range] = await read`
      select above::int8::text, last::int8::text, opening::text[] as opening, closing::text[] as closing
      from gold.days_range(${partner.id}, ${from}::text::date, ${to}::text::date)`;
    const pages = readPages(read, partner.id, BigInt(range!.above), BigInt(range!.last));
    const balances = [balancesOf("opening", range!.opening), balancesOf("closing", range!.closing)];
    const object = { client_id: id!, name: partner.name, from, to, time_zone: "Asia/Riyadh" };
    const file = parsed(values, "csv", path);
    if (file !== undefined) {
      await withNewFile(file, statementCsv({ rest: pages, lists: { balances } }), () => Promise.resolve());
      return { object: { ...object, file }, lists: { balances } };
    }
    const items: Row[] = [];
    let next = await pages.next();
    for (; !next.done && items.length < MOST_SHOWN; next = await pages.next()) items.push(...next.value);
    const result = { object, items, lists: { balances } };
    if (next.done) return result;
    return {
      ...result,
      rest: withFirst(next.value, pages),
      notice: `Only the first ${items.length} postings are shown. CSV and JSON have all.`,
    };
  },
};

async function* withFirst<T>(first: T, others: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* others;
}

/** Reads postings page by page, in the order of the books. */
async function* readPages(
  read: Query,
  partner: number,
  first: bigint,
  last: bigint,
): AsyncGenerator<readonly Row[], undefined> {
  for (let above = first; above < last; above += PAGE_EVENTS) {
    const end = above + PAGE_EVENTS < last ? above + PAGE_EVENTS : last;
    const lines = await read`
      select line
      from gold.list_postings(${partner}, ${`${above}`}::text::bigint, ${`${end}`}::text::bigint) line`;
    if (lines.length > 0) yield lines.map(({ line }) => line);
  }
}

/** Formats a statement as CSV. The closing balances are the last lines: a file without them is incomplete. */
export function statementCsv({ items = [], rest, lists }: Pick<Result, "items" | "rest" | "lists">) {
  const [opening, closing] = lists!.balances!.map(({ balance, ...accounts }) =>
    Object.entries(accounts).map(([account, balance_after]) => ({
      type: `${balance}_balance`,
      account,
      balance_after,
    }))
  );
  async function* pages() {
    yield opening!;
    yield items;
    yield* rest ?? [];
    yield closing!;
  }
  return csvOf(pages(), POSTING_COLUMNS);
}

export const STATEMENT_COMMANDS: readonly Command[] = [statement];

function readDay(text: string, name: string): string {
  const day = new Date(`${text}T00:00:00Z`);
  if (DAY.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)) return text;
  throw usage(`--${name} must be a day such as 2026-01-31; got ${text}.`);
}

const balancesOf = (balance: string, [available, held, gold]: readonly string[]): Row => ({
  balance,
  available_sar: formatHalalas(BigInt(available!)),
  held_sar: formatHalalas(BigInt(held!)),
  gold_grams: formatGrams(BigInt(gold!)),
});
