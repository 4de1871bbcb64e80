import { Refusal } from "../http/refusal.ts";
import type { Query } from "../database/query.ts";
import type { Pools } from "../database/pools.ts";
import { classifySqlError } from "../database/classify_sql_error.ts";
import type { WriteProbe } from "../database/write_probe.ts";
import type { Metrics } from "../operations/metrics.ts";
import {
  Batcher,
  type BatcherOptions,
  type BatchItem,
  InDoubtError,
  oldestSecondsOf,
  type Send,
} from "./batcher.ts";
import { type ChangeItem, sendChange } from "./change/request_change.ts";
import { type FundingItem, sendFunding } from "./funding/book_funding.ts";
import { type CountBooked, countOrders, countQuotes } from "./count_booked.ts";
import { type NonceItem, sendNonces } from "./nonce/spend_nonces.ts";
import type { EventNotices } from "./outbox/event_notices.ts";
import type { Outcome } from "./outcome.ts";
import {
  type RedeliveryItem,
  sendRedelivery,
  sendWebhookTest,
  type WebhookTestItem,
} from "./redelivery/book_redelivery.ts";
import {
  sendSimulation,
  type SimulationItem,
  takeFailure,
  type TakenFailure,
} from "./simulation/book_simulation.ts";
import { type OrderItem, sendOrders } from "./trading/book_orders.ts";
import { type QuoteItem, sendQuotes } from "./trading/book_quotes.ts";
import {
  type CancellationItem,
  sendCancellation,
  sendWithdrawal,
  type WithdrawalItem,
} from "./withdrawal/book_withdrawal.ts";

/** The service's entry point for booking. Each call is one transaction, or part of a batch's transaction. */
export interface Booking {
  order(item: OrderItem): Promise<Outcome>;
  /** Announces an order while its admission runs, so that a batch can wait for it. */
  expectOrder<Admitted>(admission: Promise<Admitted>): Promise<Admitted>;
  quote(item: QuoteItem): Promise<Outcome>;
  fund(item: FundingItem): Promise<Outcome>;
  withdraw(item: WithdrawalItem): Promise<Outcome>;
  cancelWithdrawal(item: CancellationItem): Promise<Outcome>;
  requestChange(item: ChangeItem): Promise<Outcome>;
  redeliver(item: RedeliveryItem): Promise<Outcome>;
  testWebhook(item: WebhookTestItem): Promise<Outcome>;
  /** Only the sandbox has simulations. */
  simulate(item: SimulationItem): Promise<Outcome>;
  /**
   * Uses up one simulated failure of the client. `codes` are the codes that the request's operation
   * documents.
   */
  takeFailure(client: number, codes: readonly string[]): Promise<TakenFailure | null>;
  /** Spends the nonce of a request that books nothing. */
  spend(item: NonceItem): Promise<Outcome>;
  /** The number of orders, quotes and nonces that wait to be sent. */
  waiting(): number;
  /** How long the oldest booking that was sent has no outcome, in seconds. */
  oldestSeconds(): number;
}

/** `batches` sends the batches. `waiting` sends the bookings that may wait for a locked account. */
type BookingPools = Pick<Pools, "batches" | "waiting">;

const BATCH_ITEMS = 64;
/**
 * The largest batch of nonces. It is larger than a batch of orders: a nonce costs a fraction of an order, so
 * the fixed cost of a statement weighs more.
 */
const NONCE_BATCH_ITEMS = 128;
const QUEUE_ITEMS = 2048;
const CLIENT_QUEUE_ITEMS = 512;

/**
 * Calls `notify` after the commit, with the client of each executed or replayed order, because an order's
 * transaction does not notify the delivery workers. All other bookings notify them in their own transactions.
 */
export function openBooking(
  pools: BookingPools,
  lanes: number,
  notify: EventNotices["notify"],
  writes: WriteProbe,
  metrics: Metrics,
): Booking {
  const options = {
    batchesInFlight: lanes,
    batchItems: BATCH_ITEMS,
    queueItems: QUEUE_ITEMS,
    clientQueueItems: CLIENT_QUEUE_ITEMS,
    overloaded: () => new Refusal("service_unavailable", "The service's queue is full."),
  };
  const batchers: { readonly oldestSeconds: number }[] = [];
  const open = <Item extends BatchItem>(
    send: Send<Item>,
    more: Partial<BatcherOptions> = {},
    count?: CountBooked,
  ) => {
    const confirmed = confirming(send, writes);
    const batcher = new Batcher(count ? counting(confirmed, count) : confirmed, { ...options, ...more });
    batchers.push(batcher);
    writes.onRefusing((refusal) => batcher.rejectWaiting(refusal));
    return batcher;
  };
  const orders = open(notifying(onOwnPool(sendOrders, pools), notify), {}, countOrders(metrics));
  const quotes = open(onOwnPool(sendQuotes, pools), {}, countQuotes(metrics));
  const nonces = open(onOwnPool(sendNonces, pools), { batchItems: NONCE_BATCH_ITEMS });
  const single = { batchItems: 1, waits: true };
  const fundings = open(sendFunding(pools.waiting), single);
  const withdrawals = open(sendWithdrawal(pools.waiting), single);
  const cancellations = open(sendCancellation(pools.waiting), single);
  const changes = open(sendChange(pools.waiting), single);
  const redeliveries = open(sendRedelivery(pools.waiting), single);
  const webhookTests = open(sendWebhookTest(pools.waiting), single);
  const simulations = open(sendSimulation(pools.waiting), single);
  return {
    order: (item) => orders.submit(item),
    expectOrder: (admission) => orders.expect(admission),
    quote: (item) => quotes.submit(item),
    fund: (item) => fundings.submit(item),
    withdraw: (item) => withdrawals.submit(item),
    cancelWithdrawal: (item) => cancellations.submit(item),
    requestChange: (item) => changes.submit(item),
    redeliver: (item) => redeliveries.submit(item),
    testWebhook: (item) => webhookTests.submit(item),
    simulate: (item) => simulations.submit(item),
    takeFailure: (client, codes) => takeFailure(pools.waiting, client, codes),
    spend: (item) => nonces.submit(item),
    waiting: () => orders.waiting + quotes.waiting + nonces.waiting,
    oldestSeconds: () => oldestSecondsOf(batchers),
  };
}

/**
 * Returns an answer of an earlier transaction only after a later commit has reached the standby. The answer
 * may be missing on the standby until then: if a transaction's wait for the standby is cancelled, other
 * sessions see its commit anyway.
 */
function confirming<Item extends BatchItem>(send: Send<Item>, writes: WriteProbe): Send<Item> {
  return async (items, sending) => {
    try {
      const outcomes = await send(items, sending);
      const isEarlier = sending.settle || outcomes.some(({ outcome }) => outcome === "replayed");
      if (isEarlier) await writes.confirm();
      return outcomes;
    } catch (error) {
      writes.onWriteFailed(error);
      throw error;
    }
  };
}

function notifying<Item extends BatchItem>(send: Send<Item>, notify: EventNotices["notify"]): Send<Item> {
  return async (items, sending) => {
    const outcomes = await send(items, sending);
    items.forEach(({ client }, index) => outcomes[index]?.status === 201 && notify(client));
    return outcomes;
  };
}

/**
 * Counts the bookings of a batch after the standby has confirmed them, so that a retry counts none of them again.
 * A replay booked nothing.
 */
function counting<Item extends BatchItem>(send: Send<Item>, count: CountBooked): Send<Item> {
  return async (items, sending) => {
    const outcomes = await send(items, sending);
    for (const { outcome, status, body } of outcomes) {
      if (outcome === "answered" && status === 201) count(body!);
    }
    return outcomes;
  };
}

/**
 * Bookings that wait for a locked account use separate connections, so that they take none from the batches.
 */
function onOwnPool<Item>(
  sendOn: (sql: Query) => Send<Item>,
  { batches, waiting }: BookingPools,
): Send<Item> {
  const [sendBatch, sendWaiting] = [sendOn(batches), sendOn(waiting)];
  return (items, sending) => (sending.wait ? sendWaiting : sendBatch)(items, sending);
}

/** Returns the refusal for a database error; undefined if the error is a defect of the service itself. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof InDoubtError) {
    return new Refusal(
      "upstream_timeout",
      "The database did not confirm the request, so its outcome is unknown.",
    );
  }
  if (classifySqlError(error) === "rejected") return undefined;
  return new Refusal(
    "service_unavailable",
    "The database cannot be reached, or is too busy; nothing was executed.",
  );
}
