// Fixtures that call the SQL functions of delivery as a delivery worker does, and read a partner's delivery
// state.
import { randomUUID } from "node:crypto";
import type { TestBooks } from "../../testing/books.ts";
import { bookFunding, fundingItem } from "../booking/fixture.ts";
import {
  type AttemptEntry,
  type DeliveryStore,
  type EndpointEntry,
  type EventRow,
  openDeliveryStore,
  type Want,
} from "./delivery_store.ts";
import { valueOf } from "../../testing/rows.ts";

export interface TestWorker extends Omit<DeliveryStore, "take"> {
  readonly id: string;
  /**
   * Takes events under the worker's newest claim. To use another claim, a want gives that claim's `tenure`.
   */
  take(wants: readonly (Omit<Want, "tenure"> & Partial<Want>)[]): Promise<readonly EventRow[]>;
}

/** Creates a worker and sends its first heartbeat, unless `seen` is false. */
export async function createWorker(
  books: TestBooks,
  { seen = true }: { readonly seen?: boolean } = {},
): Promise<TestWorker> {
  const id = randomUUID();
  const store = openDeliveryStore({ work: books.delivery, beat: books.delivery }, id);
  if (seen) await store.renew();
  const tenures = new Map<number, number>();
  return {
    id,
    ...store,
    async claim(clients, most) {
      // Renew the heartbeat first, because a slow test may have let it expire.
      if (seen) await store.renew();
      const rows = await store.claim(clients, most);
      for (const { client, tenure } of rows) tenures.set(client, tenure);
      return rows;
    },
    take: (wants) => store.take(wants.map((want) => ({ tenure: tenures.get(want.client) ?? 0, ...want }))),
  };
}

/** Makes the worker's last heartbeat this many seconds old. */
export async function ageHeartbeat(books: TestBooks, { id }: TestWorker, seconds: number): Promise<void> {
  await books.sql`
    update gold.delivery_worker set seen_at = clock_timestamp() - make_interval(secs => ${seconds}::float8) where id = ${id}`;
}

/** Creates a partner that has this many events. */
export async function createReceiver(books: TestBooks, events: number): Promise<number> {
  const client = await books.createClient();
  await postEvents(books, client, events);
  return client;
}

export async function postEvents(books: TestBooks, client: number, events: number): Promise<void> {
  for (let n = 0; n < events; n++) await bookFunding(books.api, fundingItem(client, 1n));
}

/** Requests a redelivery, as a partner does. The event is then due now and its tries are reset. */
export async function redeliver(books: TestBooks, client: number, sequence: number): Promise<void> {
  await books.sql`select gold.ask_delivery(${client}::int, ${sequence}::bigint)`;
}

/** Requests a test event, as a partner does. */
export async function askForTest(books: TestBooks, client: number): Promise<void> {
  const id = randomUUID();
  await books
    .api`select gold.book_webhook_test(false, ${client}, 1, ${id}, '\\x00', ${id}::uuid, ${id}::uuid)`;
}

let attemptedAtMs = Date.now();

/** Builds a successful attempt. `given` replaces some of its values. */
export const attemptOf = (event: EventRow, given: Partial<AttemptEntry> = {}): AttemptEntry => ({
  client: event.client,
  sequence: Number(event.sequence),
  follows: event.follows === null ? null : Number(event.follows),
  ticket: event.ticket,
  tries: event.tries + 1,
  attemptedAtMs: attemptedAtMs++,
  durationMs: 7,
  httpStatus: 204,
  error: null,
  answer: null,
  againInMs: null,
  ...given,
});

export const FAILED = { httpStatus: 500, error: "refused", againInMs: 60_000 } as const;
export const PARKED = { ...FAILED, againInMs: null } as const;

export const endpointAt = (
  client: number,
  from: number,
  passed: number,
  given: Partial<EndpointEntry> = {},
): EndpointEntry => ({
  client,
  tenure: 1,
  from,
  passed,
  failures: 0,
  restMs: null,
  disabled: false,
  released: false,
  ...given,
});

export const numbersOf = (events: readonly EventRow[]): number[] =>
  events.map(({ sequence }) => Number(sequence));

/** Returns the delivery state in words: `passed 3, held, 2 failures, rests, disabled`. */
export async function standingOf(books: TestBooks, client: number): Promise<string> {
  return await valueOf(books.sql`
    select concat_ws(', ', 'passed ' || passed, case when worker is not null then 'held' end,
      case when failures > 0 then failures || ' failures' end, case when rests_until > clock_timestamp() then 'rests' end,
      case when disabled_at is not null then 'disabled' end) as summary
    from gold.endpoint where client_id = ${client}`);
}

/** Returns the rows of `retry` in words: `2 due, 3 waits, 4 parked, 5 delivered`. */
export async function retriesOf(books: TestBooks, client: number): Promise<string> {
  const [row] = await books.sql`
    select string_agg(sequence || case when parked_at is not null then ' parked' when due_at is null then ' delivered'
      when due_at > clock_timestamp() then ' waits' else ' due' end, ', ' order by sequence) as summary
    from gold.retry where client_id = ${client}`;
  return row!.summary ?? "";
}
