import { formatGrams, formatHalalas, parseGrams, parseHalalas } from "@gold-partner/protocol";
import type { Metrics } from "../operations/metrics.ts";

/** Counts one booking by the body of its reply. */
export type CountBooked = (body: string) => void;

const SIDES = ["buy", "sell"] as const;
/** Finds the side, grams and total of a quote or an order, in the order in which record_members.sql writes them. */
const TRADE = /"side":"(buy|sell)","gold_grams":([0-9.]+),"price_per_gram_sar":[0-9.]+,"total_sar":([0-9.]+)/;

/** Shows the sums from the start, so that Prometheus sees the increase by the first order. */
export function countOrders(metrics: Metrics): CountBooked {
  const sums = { buy: noOrders(), sell: noOrders() };
  for (const side of SIDES) {
    const sum = sums[side];
    metrics.counter("gold_orders_executed_total", () => `${sum.orders}`, { side });
    metrics.counter("gold_orders_grams_total", () => formatGrams(sum.goldTenthMilligrams), { side });
    metrics.counter("gold_orders_sar_total", () => formatHalalas(sum.amountHalalas), { side });
  }
  return (body) => {
    const [, side, grams, sar] = TRADE.exec(body) ?? [];
    if (side === undefined) return;
    const sum = sums[side as keyof typeof sums];
    sum.orders += 1n;
    sum.goldTenthMilligrams += parseGrams(grams!);
    sum.amountHalalas += parseHalalas(sar!);
  };
}

const noOrders = () => ({ orders: 0n, goldTenthMilligrams: 0n, amountHalalas: 0n });

export function countQuotes(metrics: Metrics): CountBooked {
  for (const side of SIDES) metrics.count("gold_quotes_given_total", { side }, 0);
  return (body) => {
    const side = TRADE.exec(body)?.[1];
    if (side !== undefined) metrics.count("gold_quotes_given_total", { side });
  };
}
