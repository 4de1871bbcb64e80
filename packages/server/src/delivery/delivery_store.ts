import { formatInstant } from "@gold-partner/protocol";
import type { Query } from "../database/query.ts";
import { arrayLiteral, column } from "../database/array_literal.ts";

/** A webhook secret as the database stores it, encrypted. */
export interface SealedSecret {
  readonly id: number;
  /** Base64. */
  readonly sealed: string;
  readonly sealing_key: string;
  readonly retire_at: string | null;
}

/**
 * An endpoint that a worker holds, in its current state. Here and in all calls, `client` is the endpoint's id. For a
 * partner's first endpoint, that is the partner's number.
 */
export interface EndpointRow {
  readonly client: number;
  readonly partner: number;
  /** The endpoint's number among those of its partner. */
  readonly number: number;
  readonly url: string;
  /** The number of this claim. Each claim of the endpoint increases it by one. */
  readonly tenure: number;
  /** The mark: every event up to this number was delivered, has a row in `retry`, or is not taken. */
  readonly passed: string;
  readonly failures: number;
  readonly disabled: boolean;
  readonly secrets: readonly SealedSecret[];
}

/** How many events a worker can take for one endpoint. */
export interface Want {
  readonly client: number;
  readonly tenure: number;
  /** New events start after this sequence number. */
  readonly after: number;
  readonly room: number;
}

export interface EventRow {
  readonly client: number;
  readonly sequence: string;
  readonly id: string;
  /** Null if nothing is to be sent for this number: the event is sent through its row in `retry`, or not taken. */
  readonly body: string | null;
  readonly tries: number;
  /**
   * The instant until which the worker owns the event. Set only for an event from `retry`. The settlement
   * must send this value back unchanged.
   */
  readonly ticket: string | null;
  /**
   * The number after which this event is the next for the endpoint; null for an event from `retry`. The numbers between
   * them are events that the endpoint does not take.
   */
  readonly follows: string | null;
}

/** A finished attempt, and what happens to its event next. */
export interface AttemptEntry {
  readonly client: number;
  readonly sequence: number;
  readonly follows: number | null;
  readonly ticket: string | null;
  /** Including this attempt. */
  readonly tries: number;
  /** Unix milliseconds by the database's clock. */
  readonly attemptedAtMs: number;
  readonly durationMs: number;
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  /** Milliseconds until the next attempt; null if the event was delivered or is parked. */
  readonly againInMs: number | null;
}

/** The new state of an endpoint. */
export interface EndpointEntry {
  readonly client: number;
  readonly tenure: number;
  /**
   * The mark that the worker expects in the database. The database applies the entry only if its mark has
   * this value or the value of `passed`. Any other value means that a replay or another worker has moved the
   * mark.
   */
  readonly from: number;
  readonly passed: number;
  readonly failures: number;
  /** Milliseconds; null if the endpoint does not rest. */
  readonly restMs: number | null;
  /**
   * True disables the endpoint, false changes nothing. No entry enables an endpoint: the database does so
   * when a test is delivered.
   */
  readonly disabled: boolean;
  /**
   * True releases the endpoint, so that any worker can claim it later. The database ignores this if the
   * endpoint has work now.
   */
  readonly released: boolean;
}

/** One worker's calls to the database. Each one runs an SQL function that is defined beside this file. */
export interface DeliveryStore {
  /**
   * Claims at most `most` endpoints that have work and that no live worker holds. With null for `clients`,
   * all endpoints can be claimed.
   */
  claim(clients: readonly number[] | null, most: number): Promise<readonly EndpointRow[]>;
  /** Records a heartbeat. Returns the endpoints that the worker still holds. */
  renew(): Promise<readonly EndpointRow[]>;
  take(wants: readonly Want[]): Promise<readonly EventRow[]>;
  /** Returns the endpoints that this worker no longer holds. */
  settle(attempts: readonly AttemptEntry[], endpoints: readonly EndpointEntry[]): Promise<readonly number[]>;
  dismiss(): Promise<void>;
}

/**
 * `beat` is one connection, which listens for notifications. Each heartbeat repeats LISTEN, so a lost
 * subscription is restored within one heartbeat.
 */
export function openDeliveryStore(
  { work, beat }: { readonly work: Query; readonly beat: Query },
  worker: string,
): DeliveryStore {
  return {
    claim: (clients, most) =>
      work<EndpointRow[]>`
        select * from gold.claim_receivers(${worker}::uuid, ${
        clients && arrayLiteral(clients)
      }::text::int[], ${most}::int)`,
    async renew() {
      const [, , held] = await Promise.all([
        // Ignore a failure, because a connection pooler may not support LISTEN. The worker then finds new
        // events by its heartbeat, once a second.
        beat`listen gold_event`.catch(() => {}),
        beat`listen gold_endpoint`.catch(() => {}),
        beat<EndpointRow[]>`select * from gold.renew_receivers(${worker}::uuid)`,
      ]);
      return held;
    },
    take: (wants) =>
      work<EventRow[]>`
        select client, sequence, id, body, tries, ticket::text, follows from gold.take_deliveries(
          worker => ${worker}::uuid,
          clients => ${column(wants, ({ client }) => client)}::text::int[],
          tenures => ${column(wants, ({ tenure }) => tenure)}::text::int[],
          afters => ${column(wants, ({ after }) => after)}::text::bigint[],
          rooms => ${column(wants, ({ room }) => room)}::text::int[])`,
    async settle(attempts, endpoints) {
      const rows = await work<{ client: number }[]>`
        select client from gold.settle_attempts(
          worker => ${worker}::uuid,
          clients => ${column(attempts, ({ client }) => client)}::text::int[],
          sequences => ${column(attempts, ({ sequence }) => sequence)}::text::bigint[],
          tickets => ${column(attempts, ({ ticket }) => ticket)}::text::timestamptz[],
          attempted_ats => ${
        column(attempts, ({ attemptedAtMs }) => formatInstant(attemptedAtMs))
      }::text::timestamptz[],
          durations_ms => ${column(attempts, ({ durationMs }) => durationMs)}::text::int[],
          statuses => ${column(attempts, ({ httpStatus }) => httpStatus)}::text::int[],
          errors => ${column(attempts, ({ error }) => error)}::text::text[],
          answers => ${column(attempts, ({ answer }) => answer)}::text::text[],
          tries => ${column(attempts, ({ tries }) => tries)}::text::int[],
          waits_ms => ${column(attempts, ({ againInMs }) => againInMs)}::text::int[],
          held => ${column(endpoints, ({ client }) => client)}::text::int[],
          tenures => ${column(endpoints, ({ tenure }) => tenure)}::text::int[],
          froms => ${column(endpoints, ({ from }) => from)}::text::bigint[],
          passeds => ${column(endpoints, ({ passed }) => passed)}::text::bigint[],
          failures => ${column(endpoints, ({ failures }) => failures)}::text::int[],
          rests_ms => ${column(endpoints, ({ restMs }) => restMs)}::text::int[],
          disableds => ${column(endpoints, ({ disabled }) => disabled)}::text::boolean[],
          releases => ${column(endpoints, ({ released }) => released)}::text::boolean[]) client`;
      return rows.map(({ client }) => client);
    },
    async dismiss() {
      await work`select gold.dismiss_worker(${worker}::uuid)`;
    },
  };
}
