// Quote and order requests, as a partner's program sends them.
import { ordersAccepted, ordersUnaccounted } from "./counters.ts";
import { isDone, newName, settle } from "./session.ts";

/** The grams of one order. The amount is small, so that a run of several hours moves little gold. */
const GRAMS = "0.01";

let side: "buy" | "sell" = "buy";

export const quoteCall = () =>
  ({
    step: "quote",
    target: "/v1/quotes",
    body: `{"side":"${side}","gold_grams":${GRAMS}}`,
    key: newName(),
  }) as const;

export const orderBody = (quoteId: string): string => `{"quote_id":"${quoteId}"}`;

export const orderCall = (quoteId: string) =>
  ({ step: "order", target: "/v1/orders", body: orderBody(quoteId), key: newName(), signed: true }) as const;

/** Returns the order's id, or undefined if the quote or the order was refused. */
export async function trade(): Promise<string | undefined> {
  const quote = await settle(quoteCall());
  if (!isDone(quote)) return undefined;
  const order = await settle(orderCall(quote.json("quote_id") as string));
  if (!isDone(order)) return undefined;
  accept();
  return order.json("order_id") as string;
}

/**
 * Counts an executed order; call this once for each. Switches the side, so that a VU sells the gold that it
 * bought and its funds last for hours.
 */
export function accept(): void {
  ordersAccepted.add(1);
  ordersUnaccounted.add(1);
  side = side === "buy" ? "sell" : "buy";
}
