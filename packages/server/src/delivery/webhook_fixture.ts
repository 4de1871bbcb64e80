import { type Delivery, type TestReceiver, testReceiver } from "../../testing/receiver.ts";
import type { TestPartner } from "../../testing/partner.ts";
import { type TestOptions, type TestService, testService } from "../../testing/service.ts";
import { setUp } from "../../testing/set_up.ts";
import { parseWebhookSecret, verifyWebhook } from "@gold-partner/protocol";
import { until } from "../../../../tools/testing/until.ts";
import { valueOf } from "../../testing/rows.ts";

/**
 * Fixtures for end-to-end delivery tests: they cause events as partners do, and read the delivery state from
 * the database.
 */

/** Returns a receiver and a service that sends to it the events of its first partner. */
export function suiteDelivery(
  options: TestOptions = {},
): { readonly service: TestService; readonly receiver: TestReceiver } {
  const receiver = setUp(() => testReceiver());
  const service = setUp(() => testService({ deliver: true, webhook: receiver.url, ...options }));
  return { service, receiver };
}

export interface EventBody {
  readonly type: string;
  readonly id: string;
  readonly sequence: number;
  readonly previous_sequence: number | null;
  readonly client_id: string;
}

export const eventOf = (delivery: Delivery) => JSON.parse(delivery.body) as EventBody;
export const sequencesOf = (deliveries: readonly Delivery[]) =>
  deliveries.map((delivery) => eventOf(delivery).sequence);

/** Causes one event per funding. */
export async function fund(service: TestService, times = 1, partner?: TestPartner): Promise<void> {
  const sending = { body: '{"amount_sar":1000}', ...partner && { partner } };
  for (let n = 0; n < times; n++) {
    const { status } = await service.send("/sandbox/fund", sending);
    if (status !== 201) throw new Error(`/sandbox/fund answered ${status}; expected 201.`);
  }
}

/** Causes this many events in one transaction. A worker finds them together, at its next heartbeat. */
export async function fundAtOnce({ books, partner }: TestService, times: number, { client } = partner) {
  await books.sql`
    select gold.book_funding(false, client_id, admission_version, gen_random_uuid()::text, '\\x00', 100000, 100000,
      gen_random_uuid(), gen_random_uuid())
    from gold.account, generate_series(1, ${times}) where client_id = ${client}`;
}

/** Executes an order, which causes an event. Returns the order's id. */
export async function order(service: TestService): Promise<string> {
  const quoted = await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":0.001}' });
  const { quote_id } = await quoted.json() as { quote_id: string };
  const reply = await service.signed("/v1/orders", JSON.stringify({ quote_id }));
  if (reply.status !== 201) throw new Error(`/v1/orders answered ${reply.status}: ${await reply.text()}`);
  return (await reply.json() as { order_id: string }).order_id;
}

/** Throws unless the delivery has a current signature by this secret. */
export function verify(service: TestService, { body, headers }: Delivery, secret: string): void {
  verifyWebhook(body, headers, [parseWebhookSecret(secret)], { nowSeconds: service.now() / 1000 });
}

interface DeliveryState {
  readonly passed: number;
  readonly worker: string | null;
  readonly failures: number;
  readonly restsMs: number;
  readonly disabled: boolean;
}

/** Returns a partner's delivery state. */
export async function stateOf(service: TestService, partner = service.partner): Promise<DeliveryState> {
  const [row] = await service.books.sql`
    select passed::int, worker, failures, disabled_at is not null as disabled,
      greatest(0, coalesce(extract(epoch from rests_until - clock_timestamp()) * 1000, 0))::int as "restsMs"
    from gold.endpoint where client_id = ${partner.client}`;
  return row as unknown as DeliveryState;
}

/** Waits until the state meets the condition; returns that state. */
export async function untilState(
  service: TestService,
  so: (state: DeliveryState) => boolean,
  partner = service.partner,
): Promise<DeliveryState> {
  let state: DeliveryState | undefined;
  await until(async () => {
    state = await stateOf(service, partner);
    return state && so(state);
  }, () => state);
  return state!;
}

/** Returns when a worker last sent a heartbeat, in seconds since 1970. */
export async function lastBeat({ books }: TestService): Promise<number> {
  return await valueOf(books.sql`
    select extract(epoch from max(seen_at))::float8 as seconds from gold.delivery_worker`);
}

/**
 * Waits until most of seven events in a row are delivered without a heartbeat in between, so that a
 * notification must have caused the delivery. Without notifications, each event waits for the next heartbeat,
 * almost a second after the last delivery. `deliver` causes one event and waits for its delivery.
 */
export async function untilNotified(service: TestService, deliver: () => Promise<unknown>): Promise<void> {
  await until(async () => {
    let notified = 0;
    for (let n = 0; n < 7; n++) {
      const before = await lastBeat(service);
      await deliver();
      if (await lastBeat(service) === before) notified++;
    }
    return notified > 3;
  });
}

export async function attemptsOf(service: TestService, sequence: number, partner = service.partner) {
  const rows = await service.books.sql`
    select http_status, error, answer from gold.attempt
    where client_id = ${partner.client} and sequence = ${sequence} order by attempted_at`;
  return rows.map(({ http_status, error, answer }) => [http_status, error, answer]);
}

/** Returns number, tries and state of each event that has a row in `retry`. */
export async function retriesOf(service: TestService, partner = service.partner) {
  const rows = await service.books.sql`
    select sequence::int, tries, case when parked_at is not null then 'parked' when due_at is not null then 'due' else 'delivered' end as state
    from gold.retry where client_id = ${partner.client} order by sequence`;
  return rows.map(({ sequence, tries, state }) => [sequence, tries, state]);
}

/** Ends all waits: retries are due now, and the endpoint no longer rests. */
export async function endWaits({ books, partner }: TestService): Promise<void> {
  await books
    .sql`update gold.retry set due_at = clock_timestamp() - interval '1 second'
      where due_at is not null and client_id = ${partner.client}`;
  await books.sql`update gold.endpoint set rests_until = null where client_id = ${partner.client}`;
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
