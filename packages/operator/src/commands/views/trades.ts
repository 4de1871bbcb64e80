import type { Command, Invocation, Result } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import type { Query } from "../../query.ts";
import { isWholeId, resolveId } from "../../resolve_ids.ts";
import { instantText, optional, parsed, required, wholeNumber } from "../../values.ts";
import { describeRequest } from "../../views/requests.ts";
import { type Page, pageOrders, pageQuotes, type Trace, traceOrder } from "../../views/trades.ts";

const PAGE_OPTIONS = {
  partner: { type: "string" },
  after: { type: "string" },
  limit: { type: "string", default: "20" },
} as const;

const readPageOptions = async ({ values, read }: Invocation) => ({
  partner: await parsed(values, "partner", (text) => wholeId(read, text)),
  after: optional(values, "after"),
  most: wholeNumber(required(values, "limit"), "limit"),
});

async function wholeId(read: Query, text: string): Promise<string> {
  const id = await resolveId(read, "ID", text);
  if (isWholeId("ID", id)) return id;
  throw new Failure(EXIT.refused, "not_found", `There is no partner ${text}.`);
}

const ORDER_COLUMNS = "order_id client_id side gold_grams price_per_gram_sar total_sar executed_at reference"
  .split(" ");
const QUOTE_COLUMNS =
  "quote_id client_id side gold_grams price_per_gram_sar total_sar status expires_at reference".split(" ");

const order: Command = {
  words: "order",
  usage: "order [ORD] [--partner ID] [--since INSTANT] [--limit N] [--after NEXT]",
  does: "lists executed orders, newest first, or shows one order with all that belongs to it",
  options: { ...PAGE_OPTIONS, since: { type: "string" } },
  takes: ["[ORD]"],
  async run(invocation) {
    const { values, read, positionals: [id] } = invocation;
    if (id !== undefined) return await describeTrace(await traceOrder(read, id));
    const since = parsed(values, "since", (text) => instantText(text, "since"));
    const page = await pageOrders(read, { ...await readPageOptions(invocation), since });
    return describePage(page, ORDER_COLUMNS);
  },
};

const quote: Command = {
  words: "quote",
  usage: "quote [QT] [--partner ID] [--limit N] [--after NEXT]",
  does: "lists quotes, newest first, or shows one quote with the price that it was made from and its order",
  options: PAGE_OPTIONS,
  takes: ["[QT]"],
  async run(invocation) {
    const { read, positionals: [id] } = invocation;
    if (id !== undefined) return await describeTrace(await traceOrder(read, id));
    return describePage(await pageQuotes(read, await readPageOptions(invocation)), QUOTE_COLUMNS);
  },
};

export const TRADE_COMMANDS: readonly Command[] = [order, quote];

const describePage = ({ rows, next }: Page, columns: readonly string[]): Result => ({
  items: rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name] ?? null]))),
  ...(next === undefined
    ? {}
    : { object: { next }, notice: `There is more: repeat the command with --after ${next}` }),
});

async function describeTrace(trace: Trace): Promise<Result> {
  const { client_id, name, quote, price, order, request, event, chain, postings, deliveries, attempts } =
    trace;
  const described = request && await describeRequest(request);
  const parts = Object.entries({ quote, price, order, request: described, event, chain }).flatMap((
    [part, row],
  ) => row ? [[part, row]] : []);
  return {
    object: { client_id, name, status: quote.status! },
    parts: Object.fromEntries(parts),
    lists: { postings, deliveries, attempts },
  };
}
