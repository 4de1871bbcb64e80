// The second pass over a client: quotes, executed records and stored replies, in the order of their ids. An
// order has the id of its quote.
import type { Cursor, Row } from "../snapshot.ts";
import { instantText } from "../values.ts";
import { checkAllowance, newOpenQuotes, type OpenQuotes } from "./allowance.ts";
import { checkOrderList } from "./bar_lists.ts";
import { type Books, clientKey } from "./context.ts";
import { DayHashes } from "./days.ts";
import { checkQuotePrice, TOLERANCE_MS } from "./prices.ts";
import { answerOf, checkAnswer, checkExecuted, checkRequestedChange } from "./requests.ts";
import { eachClient, isAt, type Position, type Range, takeWhile, withStreams } from "./range.ts";
import { fundingReply, orderReply, quoteReply, requestedChangeReply, withdrawalReply } from "./reply_text.ts";

/** The keys that are stored as a UUID. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const STREAMS = [
  { name: "quote", table: "quote", order: "id" },
  { name: "simulated", table: "simulated_price", order: "quote_id" },
  { name: "orders", table: "orders", order: "id" },
  { name: "funding", table: "funding", order: "id" },
  { name: "withdrawal", table: "withdrawal", order: "id" },
  { name: "deposit", table: "deposit", order: "id" },
  { name: "change", table: "change_request", order: "id" },
  {
    name: "cancelled",
    table: "withdrawal_step",
    order: "withdrawal_id",
    where: "status = 'cancelled'",
  },
  // The balances after a funding, a withdrawal or its cancellation are in its transfer. Most transfers belong to orders, so
  // this reads few rows.
  {
    name: "cash",
    table: "transfer",
    order: "sequence",
    where: "asset = 'SAR' and (debit = 'bank' or 'held' in (debit, credit))",
    columns: "bucket client_id sequence sar_available_after sar_held_after gold_after",
  },
  {
    name: "reply",
    table: "idempotency_key",
    order: "result_id",
    where: "result_id is not null and result_kind <> 'event'",
  },
  { name: "day", table: "closed_day", order: "day" },
] as const;
type Cursors = Readonly<Record<typeof STREAMS[number]["name"], Cursor>>;

export async function checkReplies(books: Books, range: Range): Promise<void> {
  await withStreams(books.sql, range, STREAMS, async (cursors) => {
    await eachClient(Object.values(cursors), (position) => checkClient(books, position, cursors));
  });
}

async function checkClient(books: Books, at: Position, cursors: Cursors): Promise<void> {
  const cash = new Map<bigint, Row>();
  for (const row of await takeWhile(cursors.cash, at, () => true)) cash.set(row.sequence, row);
  const days = new DayHashes();
  const { allowance, account } = books.clients.get(clientKey(at)) ?? {};
  const open = newOpenQuotes(allowance);
  while (true) {
    let next: string | undefined;
    const consider = (id: string | undefined) => {
      if (id !== undefined && (next === undefined || id < next)) next = id;
    };
    for (
      const { row } of [
        cursors.quote,
        cursors.orders,
        cursors.funding,
        cursors.withdrawal,
        cursors.deposit,
        cursors.change,
      ]
    ) {
      if (isAt(row, at)) consider(row.id);
    }
    if (isAt(cursors.reply.row, at)) consider(cursors.reply.row.result_id);
    if (isAt(cursors.cancelled.row, at)) consider(cursors.cancelled.row.withdrawal_id);
    if (isAt(cursors.simulated.row, at)) consider(cursors.simulated.row.quote_id);
    if (next === undefined) break;
    await checkId(books, at, next, cursors, cash, open, days);
  }
  days.compare(books, at.client, "quotes", await takeWhile(cursors.day, at, () => true));
  if (allowance) checkAllowance(books.findings, allowance, account, open);
}

async function checkId(
  books: Books,
  at: Position,
  id: string,
  cursors: Cursors,
  cash: ReadonlyMap<bigint, Row>,
  open: OpenQuotes,
  days: DayHashes,
): Promise<void> {
  const { findings, now } = books;
  const take = (cursor: Cursor) => takeWhile(cursor, at, (row) => row.id === id);
  const [quote] = await take(cursors.quote);
  const [order] = await take(cursors.orders);
  const [funding] = await take(cursors.funding);
  const [withdrawal] = await take(cursors.withdrawal);
  const [deposit] = await take(cursors.deposit);
  const [change] = await take(cursors.change);
  const [simulated] = await takeWhile(cursors.simulated, at, (row) => row.quote_id === id);
  const [step] = await takeWhile(cursors.cancelled, at, (row) => row.withdrawal_id === id);
  const cancellation = step && withdrawal && { ...withdrawal, ...step };
  const replies = await takeWhile(cursors.reply, at, (row) => row.result_id === id);

  if (quote) {
    checkQuote(books, quote);
    checkQuotePrice(findings, books.prices, books.migratedAt + TOLERANCE_MS, quote, simulated);
    const reply = replies.find(({ result_kind }) => result_kind === "quote");
    if (quote.key_uuid !== null || quote.key !== null || quote.created_at > books.migratedAt + TOLERANCE_MS) {
      const inUuid = UUID.test(reply?.key ?? "");
      findings.expect("record_has_reply", `quote ${id} key_uuid`, inUuid ? reply?.key : null, quote.key_uuid);
      findings.expect("record_has_reply", `quote ${id} key`, inUuid ? null : reply?.key, quote.key);
    }
    days.add(quote.created_at, `${quoteLine(quote)}|${reply ? answerOf(reply) : ""}`, order !== undefined);
  } else if (simulated) {
    findings.add("quote_has_price", `simulated_price ${id}`, "a quote", "nothing");
  }
  if (quote && !order && quote.expires_at > now) {
    open.number++;
    open.grams += quote.grams;
    open[quote.side === "buy" ? "buys" : "sells"] += quote.grams;
    open.smallestId ??= quote.id;
    open.earliestEnd = Math.min(open.earliestEnd, quote.expires_at);
  }
  if (order) {
    if (order.executed_at >= open.dayFrom - TOLERANCE_MS) {
      open.dayOrders.push({
        at: order.executed_at,
        grams: order.side === "buy" ? order.grams : -order.grams,
      });
    }
    checkOrderList(findings, books.lists, books.migratedAt + TOLERANCE_MS, order);
    const bound = quote && [quote.side, quote.grams, quote.price, quote.total].join(" ");
    findings.expect(
      "order_is_quoted",
      `orders ${id}`,
      bound,
      [order.side, order.grams, order.price, order.total].join(" "),
    );
    if (quote && (order.executed_at < quote.created_at || order.executed_at > quote.expires_at)) {
      const firm = `${instantText(quote.created_at)} to ${instantText(quote.expires_at)}`;
      findings.add("order_is_quoted", `orders ${id} executed_at`, firm, instantText(order.executed_at));
    }
  }
  if (deposit) {
    findings.expect(
      "record_has_event",
      `deposit ${id} funding`,
      deposit.approved_at !== null,
      funding !== undefined,
    );
    if (funding && funding.amount !== deposit.amount) {
      findings.add("record_has_event", `deposit ${id} amount`, funding.amount, deposit.amount);
    }
    if (funding) {
      findings.expect(
        "record_has_event",
        `deposit ${id} approved_at`,
        instantText(funding.created_at),
        instantText(deposit.approved_at),
      );
    }
  }

  const rows: Kinds = { quote, order, funding, withdrawal, cancellation, change };
  for (const [kind, row] of Object.entries(rows)) {
    if (!row) continue;
    const count = replies.filter(({ result_kind }) => result_kind === kind).length +
      (kind === "funding" && deposit ? 1 : 0);
    if (count !== 1) {
      findings.add("record_has_reply", `${kind} ${id}`, "one stored reply", `${count} replies`);
    }
  }
  for (const reply of replies) checkReply(books, reply, rows, cash);
  for (const kind of ["order", "funding", "withdrawal", "cancellation"] as const) {
    const reply = replies.find(({ result_kind }) => result_kind === kind);
    if (rows[kind]) checkAnswer(books, kind, rows[kind], reply);
    if (rows[kind] && reply && kind !== "funding") await checkExecuted(books, kind, rows[kind], reply, quote);
  }
  // A request for a change has no event, so nothing in the hash chain commits to its reply.
  const reply = replies.find(({ result_kind }) => result_kind === "change");
  if (change && reply) await checkRequestedChange(books, change, reply);
}

/** Writes the same line as gold.day_facts() of the database. */
const quoteLine = ({ id, side, grams, price, total, created_at, expires_at }: Row): string =>
  [id, side === "buy" ? 1 : 2, grams, price, total, created_at, expires_at].join("|");

interface Kinds {
  readonly quote: Row | undefined;
  readonly order: Row | undefined;
  readonly funding: Row | undefined;
  readonly withdrawal: Row | undefined;
  /** The withdrawal with the members of the step that cancelled it. */
  readonly cancellation: Row | undefined;
  readonly change: Row | undefined;
}

function checkQuote(
  { findings }: Books,
  { id, side, grams, price, total, created_at, expires_at }: Row,
): void {
  const product = BigInt(grams) * BigInt(price);
  const exact = side === "buy" ? (product + 999_999n) / 1_000_000n : product / 1_000_000n;
  findings.expect("quote_is_exact", `quote ${id} total`, exact, total);
  if (expires_at <= created_at) {
    findings.add(
      "quote_is_exact",
      `quote ${id} expires_at`,
      `after ${instantText(created_at)}`,
      instantText(expires_at),
    );
  }
}

function checkReply({ findings }: Books, reply: Row, rows: Kinds, cash: ReadonlyMap<bigint, Row>): void {
  const row = `idempotency_key ${reply.client_id} ${reply.key}`;
  const record = rows[reply.result_kind as keyof Kinds];
  if (!record) {
    return findings.add("reply_is_record", row, `${reply.result_kind} ${reply.result_id}`, "no such record");
  }
  const { sar_available_after, sar_held_after, gold_after } = cash.get(record.sequence) ?? {};
  const balances = {
    available: sar_available_after ?? 0n,
    held: sar_held_after ?? 0n,
    gold: gold_after ?? 0n,
  };
  const body = reply.result_kind === "quote"
    ? quoteReply(record)
    : reply.result_kind === "order"
    ? orderReply(record)
    : reply.result_kind === "funding"
    ? fundingReply(record, balances)
    : reply.result_kind === "change"
    ? requestedChangeReply(record)
    : withdrawalReply(record, balances);
  if (body !== reply.body) findings.add("reply_is_record", row, body, reply.body);
  if (reply.status !== 201) findings.add("reply_is_record", `${row} status`, 201, reply.status);
  const at = record.executed_at ?? record.requested_at ?? record.at ?? record.created_at;
  if (at !== reply.created_at) {
    findings.add("reply_is_record", `${row} created_at`, instantText(at), instantText(reply.created_at));
  }
}
