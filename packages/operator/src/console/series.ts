import { formatGrams, formatPrice } from "@gold-partner/protocol";
import type { Invocation } from "../command.ts";

const HOUR_MS = 3_600_000;
const PRICE_HOURS = 24;

/** Columns for a chart, as decimal numbers: seconds, then one list for each line. */
interface Series {
  readonly price: readonly (readonly string[])[];
  readonly orders: readonly (readonly string[])[];
}

/** Reads the price of the last 24 hours and the trades of the last hour, minute by minute. */
export async function readSeries(read: Invocation["read"], now: Date): Promise<Series> {
  const since = (hours: number) => new Date(now.getTime() - hours * HOUR_MS).toISOString();
  const [bars, trades] = await Promise.all([
    read`
      select extract(epoch from minute)::int::text as at, last::text from gold.price_bars(${
      since(PRICE_HOURS)
    }::text::timestamptz)`,
    read`
      select extract(epoch from minute)::int::text as at, orders::text, (bought + sold)::text as grams
      from gold.trades_by_minute(${since(1)}::text::timestamptz)`,
  ]);
  return {
    price: [bars.map(({ at }) => at), bars.map(({ last }) => formatPrice(BigInt(last)))],
    orders: [
      trades.map(({ at }) => at),
      trades.map(({ orders }) => orders),
      trades.map(({ grams }) => formatGrams(BigInt(grams))),
    ],
  };
}
