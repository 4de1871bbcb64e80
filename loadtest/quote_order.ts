// The hot path: a quote, then its signed order. Buys and sells alternate.
//   k6 run loadtest/quote_order.ts
import { closeBooks, openBooks } from "./lib/books.ts";
import { runOptions, summaryOf } from "./lib/run.ts";
import { partner } from "./lib/session.ts";
import { trade } from "./lib/trade.ts";

export const options = runOptions("quote_order", partner);
export const setup = openBooks;
export const teardown = closeBooks;
export const handleSummary = summaryOf("quote_order", partner);

export default async function (): Promise<void> {
  await trade();
}
