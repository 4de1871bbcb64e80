import { formatGrams, formatHalalas } from "@gold-partner/protocol";
import type { Command, Row } from "../../command.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { csvOf } from "../../csv.ts";
import { withNewFile } from "../../new_file.ts";
import { optional, parsed } from "../../values.ts";
import { findPartner } from "../partners/registered_partner.ts";

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
/** Events that one statement of the database reads. */
const PAGE_EVENTS = 500;
/** A statement is one answer, so it must fit into memory. */
const MOST_RECORDS = 100_000n;

/** The columns of a statement as CSV. They are fixed, so that an empty statement has the same header. */
export const POSTING_COLUMNS =
  "posted_at id type account change balance_after reference account_label reserves_list_id".split(" ");

const statement: Command = {
  words: "statement",
  usage: "statement ID [--from DAY] [--to DAY] [--csv FILE]",
  does:
    "shows a partner's postings of some days in Riyadh, both included, with the balances before and after; " +
    "without --from, of the current month; with --csv, writes the postings to a file for a spreadsheet",
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
    const records = BigInt(range!.last) - BigInt(range!.above);
    if (records > MOST_RECORDS) {
      throw new Failure(
        EXIT.refused,
        "refused",
        `These days have ${records} records; gold shows at most ${MOST_RECORDS}. Give fewer days.`,
      );
    }
    const items: Row[] = [];
    for (let above = BigInt(range!.above); above < BigInt(range!.last); above += BigInt(PAGE_EVENTS)) {
      const end = above + BigInt(PAGE_EVENTS);
      const last = end < BigInt(range!.last) ? end : range!.last;
      const lines = await read`
        select line
        from gold.list_postings(${partner.id}, ${`${above}`}::text::bigint, ${`${last}`}::text::bigint) line`;
      items.push(...lines.map(({ line }) => line));
    }
    const file = parsed(values, "csv", path);
    if (file !== undefined) {
      await withNewFile(file, csvOf(items, POSTING_COLUMNS), () => Promise.resolve());
    }
    const object = { client_id: id!, name: partner.name, from, to, time_zone: "Asia/Riyadh" };
    return {
      object: file === undefined ? object : { ...object, file },
      items,
      lists: { balances: [balancesOf("opening", range!.opening), balancesOf("closing", range!.closing)] },
    };
  },
};

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
