import { Refusal } from "../refusal.ts";
import type { Sql } from "postgres";
import type { BookingPools } from "./pools.ts";
import { fateOf, InDoubtError, Lane, type Send } from "./lane.ts";
import { type FundingItem, sendFunding } from "./funding/book_funding.ts";
import { type NonceItem, sendNonce } from "./nonce/spend_nonce.ts";
import type { Outcome } from "./outcome.ts";
import { type OrderItem, sendOrders } from "./trading/book_orders.ts";
import { type QuoteItem, sendQuotes } from "./trading/book_quotes.ts";
import { sendWithdrawal, type WithdrawalItem } from "./withdrawal/book_withdrawal.ts";

/** The door to the books: each call is one transaction, or a share of one. */
export interface Booking {
  order(item: OrderItem): Promise<Outcome>;
  quote(item: QuoteItem): Promise<Outcome>;
  fund(item: FundingItem): Promise<Outcome>;
  withdraw(item: WithdrawalItem): Promise<Outcome>;
  /** Spends a nonce that comes with nothing to book. */
  spend(item: NonceItem): Promise<Outcome>;
  /** How many orders and quotes wait for a lane. */
  waiting(): number;
}

const BATCH_ITEMS = 64;
const QUEUE_ITEMS = 2048;
const CLIENT_QUEUE_ITEMS = 512;

export function openBooking(pools: BookingPools, lanes: number): Booking {
  const options = {
    lanes,
    batchItems: BATCH_ITEMS,
    queueItems: QUEUE_ITEMS,
    clientQueueItems: CLIENT_QUEUE_ITEMS,
    overloaded: () =>
      new Refusal("service_unavailable", "The service has more work waiting than it takes on."),
  };
  const orders = new Lane(byPatience(sendOrders, pools), options);
  const quotes = new Lane(byPatience(sendQuotes, pools), options);
  const single = { ...options, batchItems: 1, waits: true };
  const fundings = new Lane(sendFunding(pools.waiting), single);
  const withdrawals = new Lane(sendWithdrawal(pools.waiting), single);
  const nonces = new Lane(sendNonce(pools.waiting), single);
  return {
    order: (item) => orders.submit(item),
    quote: (item) => quotes.submit(item),
    fund: (item) => fundings.submit(item),
    withdraw: (item) => withdrawals.submit(item),
    spend: (item) => nonces.submit(item),
    waiting: () => orders.waiting + quotes.waiting,
  };
}

/** What waits for a locked account does so on connections of its own. */
function byPatience<Item>(sendOn: (sql: Sql) => Send<Item>, { lanes, waiting }: BookingPools): Send<Item> {
  const [prompt, patient] = [sendOn(lanes), sendOn(waiting)];
  return (items, sending) => (sending.wait ? patient : prompt)(items, sending);
}

/** What an error of the database means to the caller; undefined where something is wrong with the service itself. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof InDoubtError) {
    return new Refusal(
      "upstream_timeout",
      "The connection to the database was lost while the request was under way, so its outcome is unknown.",
    );
  }
  if (fateOf(error) === "final") return undefined;
  return new Refusal(
    "service_unavailable",
    "The database cannot be reached, or is too busy; nothing was executed.",
  );
}
