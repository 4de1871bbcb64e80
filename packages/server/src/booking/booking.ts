import { Refusal } from "../refusal.ts";
import type { Sql } from "postgres";
import type { BookingPools } from "./pools.ts";
import { fateOf, InDoubtError, Lane, type LaneItem, type Send } from "./lane.ts";
import { type FundingItem, sendFunding } from "./funding/book_funding.ts";
import { type NonceItem, sendNonces } from "./nonce/spend_nonces.ts";
import type { EventNotices } from "./outbox/event_notices.ts";
import type { Outcome } from "./outcome.ts";
import {
  type RedeliveryItem,
  sendRedelivery,
  sendWebhookTest,
  type WebhookTestItem,
} from "./redelivery/book_redelivery.ts";
import { type OrderItem, sendOrders } from "./trading/book_orders.ts";
import { type QuoteItem, sendQuotes } from "./trading/book_quotes.ts";
import { sendWithdrawal, type WithdrawalItem } from "./withdrawal/book_withdrawal.ts";

/** The door to the books: each call is one transaction, or a share of one. */
export interface Booking {
  order(item: OrderItem): Promise<Outcome>;
  quote(item: QuoteItem): Promise<Outcome>;
  fund(item: FundingItem): Promise<Outcome>;
  withdraw(item: WithdrawalItem): Promise<Outcome>;
  redeliver(item: RedeliveryItem): Promise<Outcome>;
  testWebhook(item: WebhookTestItem): Promise<Outcome>;
  /** Spends a nonce that comes with nothing to book. */
  spend(item: NonceItem): Promise<Outcome>;
  /** How many orders, quotes and nonces wait for a lane. */
  waiting(): number;
}

const BATCH_ITEMS = 64;
/** A nonce costs a fraction of an order, so the statement's own cost weighs more. */
const NONCE_BATCH_ITEMS = 128;
const QUEUE_ITEMS = 2048;
const CLIENT_QUEUE_ITEMS = 512;

/** `told` hears of each client that has new events, after the commit; what is booked singly tells of itself in its transaction. */
export function openBooking(pools: BookingPools, lanes: number, told: EventNotices["tell"]): Booking {
  const options = {
    lanes,
    batchItems: BATCH_ITEMS,
    queueItems: QUEUE_ITEMS,
    clientQueueItems: CLIENT_QUEUE_ITEMS,
    overloaded: () =>
      new Refusal("service_unavailable", "The service has more work waiting than it takes on."),
  };
  const orders = new Lane(telling(byPatience(sendOrders, pools), told), options);
  const quotes = new Lane(byPatience(sendQuotes, pools), options);
  const nonces = new Lane(byPatience(sendNonces, pools), { ...options, batchItems: NONCE_BATCH_ITEMS });
  const single = { ...options, batchItems: 1, waits: true };
  const fundings = new Lane(sendFunding(pools.waiting), single);
  const withdrawals = new Lane(sendWithdrawal(pools.waiting), single);
  const redeliveries = new Lane(sendRedelivery(pools.waiting), single);
  const webhookTests = new Lane(sendWebhookTest(pools.waiting), single);
  return {
    order: (item) => orders.submit(item),
    quote: (item) => quotes.submit(item),
    fund: (item) => fundings.submit(item),
    withdraw: (item) => withdrawals.submit(item),
    redeliver: (item) => redeliveries.submit(item),
    testWebhook: (item) => webhookTests.submit(item),
    spend: (item) => nonces.submit(item),
    waiting: () => orders.waiting + quotes.waiting + nonces.waiting,
  };
}

function telling<Item extends LaneItem>(send: Send<Item>, told: EventNotices["tell"]): Send<Item> {
  return async (items, sending) => {
    const outcomes = await send(items, sending);
    items.forEach(({ client }, index) => outcomes[index]?.status === 201 && told(client));
    return outcomes;
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
