import { formatGrams, formatHalalas, formatPrice } from "@gold-partner/protocol";
import type { Row } from "../command.ts";
import { isAwaited } from "../commands/prices/price_change.ts";
import { instantOf } from "../output.ts";
import type { Query } from "../query.ts";
import type { OpenQuotes, Trades } from "./trade_day.ts";

/** Returns the start of the current day in Riyadh. */
export async function startOfDay(query: Query): Promise<Date> {
  const [row] = await query`
    select date_trunc('day', clock_timestamp() at time zone 'Asia/Riyadh') at time zone 'Asia/Riyadh' as start`;
  return row!.start;
}

const grams = (value: string | null): string | null => value === null ? null : formatGrams(BigInt(value));
const sar = (value: string): string => formatHalalas(BigInt(value));

/** The price, and whether quotes can be made. */
export async function readPrice(query: Query): Promise<Row> {
  const [price] = await query`
    select source, buy::text, sell::text, mid::text, spread_basis_points, ticked_at, as_of, stale, market_open, halted_at
    from gold.current_price`;
  if (!price || isAwaited(price.ticked_at)) return { market: "no price" };
  const closed = price.halted_at ? "halted" : price.market_open ? undefined : "closed";
  return {
    buy: formatPrice(BigInt(price.buy)),
    sell: formatPrice(BigInt(price.sell)),
    mid: formatPrice(BigInt(price.mid)),
    spread_basis_points: price.spread_basis_points,
    source: price.source,
    as_of: instantOf(price.as_of),
    market: closed ?? (price.stale ? "stale" : "open"),
  };
}

/** Sums up the trades of a day that began at an instant. */
export function sumTrades({ minutes: all }: Trades, since: Date): Row {
  const minutes = all.filter(({ at }) => at * 1000 >= since.getTime());
  const total = (member: "bought" | "sold" | "sarIn" | "sarOut") =>
    minutes.reduce((sum, minute) => sum + minute[member], 0n);
  return {
    orders: minutes.reduce((sum, { orders }) => sum + orders, 0),
    bought_grams: formatGrams(total("bought")),
    sold_grams: formatGrams(total("sold")),
    received_sar: formatHalalas(total("sarIn")),
    paid_sar: formatHalalas(total("sarOut")),
  };
}

/** What partners bought minus what they sold since the day began, the open quotes, and the limit of both. */
export const sumPosition = ({ nets }: Trades, { buys, sells, maximum }: OpenQuotes): Row => ({
  position_grams: formatGrams([...nets.values()].reduce((sum, net) => sum + net, 0n)),
  open_buys_grams: grams(buys),
  open_sells_grams: grams(sells),
  limit_grams: grams(maximum),
});

/** The gold in the vault, what is owed and free, and for how many days the free gold lasts at the week's pace. */
export async function readStock(query: Query): Promise<Row> {
  const [row] = await query`
    select bars::int, fine::text, owed::text, free::text, sold_in_week::text from gold.stock()`;
  const [free, sold] = [BigInt(row!.free), BigInt(row!.sold_in_week)];
  return {
    bars: row!.bars,
    fine_grams: grams(row!.fine),
    owed_grams: grams(row!.owed),
    free_grams: grams(row!.free),
    sold_in_week_grams: grams(row!.sold_in_week),
    days_left: sold > 0n ? Number(free * 7n / sold) : null,
  };
}

/** The money and gold of each partner, and what it bought minus what it sold today; the largest net first. */
export async function readPositions(query: Query, { nets }: Trades): Promise<readonly Row[]> {
  const rows = await query`
    select client, client_id, name, gold::text, sar_available::text, sar_held::text, last_posted_at
    from gold.holdings()`;
  return rows
    .map((row) => ({ row, net: nets.get(row.client) ?? 0n }))
    .sort((a, b) => Number(b.net - a.net) || (a.row.client_id < b.row.client_id ? -1 : 1))
    .map(({ row, net }) => ({
      client_id: row.client_id,
      name: row.name,
      net_grams: formatGrams(net),
      gold_grams: grams(row.gold),
      sar_available: sar(row.sar_available),
      sar_held: sar(row.sar_held),
      last_posted_at: instantOf(row.last_posted_at),
    }));
}

/** The SAR owed to partners. */
export async function readOwed(query: Query): Promise<Row> {
  const [row] = await query`
    select coalesce(sum(sar_available), 0)::text as available, coalesce(sum(sar_held), 0)::text as held
    from gold.holdings()`;
  return { sar_available: sar(row!.available), sar_held: sar(row!.held) };
}

/** The refusals that bound their key, by code, most frequent first. */
export async function countRefusals(query: Query, since: Date): Promise<readonly Row[]> {
  const rows = await query`
    select code, refusals::int from gold.count_refusals(${since.toISOString()}::text::timestamptz)`;
  return rows.map(({ code, refusals }) => ({ code, refusals }));
}

/** What waits for a person: proposals, and withdrawals by status. */
export async function readWaiting(query: Query): Promise<readonly Row[]> {
  const [proposals] = await query`
    select count(*)::int as count, min(proposed_at) as oldest from gold.proposal_overview where status = 'pending'`;
  const withdrawals = await query`
    select status, count(*)::int as withdrawals, sum(amount)::text as amount, min(created_at) as oldest
    from gold.open_withdrawals() group by status order by status`;
  return [
    { waiting: "proposals", count: proposals!.count, sar: null, oldest: instantOf(proposals!.oldest) },
    ...withdrawals.map((row) => ({
      waiting: `withdrawals, ${row.status}`,
      count: row.withdrawals,
      sar: sar(row.amount),
      oldest: instantOf(row.oldest),
    })),
  ];
}
