import { formatGrams, formatPrice } from "@gold-partner/protocol";
import type { Invocation } from "../command.ts";
import { startOfDay } from "../views/figures.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const PRICE_HOURS = 24;

/** Columns for a chart, as decimal numbers: seconds, then one list for each line. */
interface Series {
  readonly price: readonly (readonly string[])[];
  readonly orders: readonly (readonly string[])[];
}

/** Reads the price of the last 24 hours and the trades of the last hour, minute by minute. */
export async function readSeries({ read, trades, now }: Invocation): Promise<Series> {
  const since = (hours: number) => new Date(now().getTime() - hours * HOUR_MS);
  const [bars, day] = await Promise.all([
    read`
      select extract(epoch from minute)::int::text as at, last::text from gold.price_bars(${
      since(PRICE_HOURS).toISOString()
    }::text::timestamptz)`,
    startOfDay(read).then((start) => trades.read(read, start)),
  ]);
  const known = new Map(day.minutes.map((minute) => [minute.at, minute]));
  const newest = Math.floor(now().getTime() / MINUTE_MS) * 60;
  // A minute without an order is a zero.
  const minutes = Array.from({ length: 60 }, (_, index) => {
    const at = newest - (59 - index) * 60;
    return { at, orders: 0, bought: 0n, sold: 0n, ...known.get(at) };
  });
  return {
    price: [bars.map(({ at }) => at), bars.map(({ last }) => formatPrice(BigInt(last)))],
    orders: [
      minutes.map(({ at }) => `${at}`),
      minutes.map(({ orders }) => `${orders}`),
      minutes.map(({ bought, sold }) => formatGrams(bought + sold)),
    ],
  };
}
