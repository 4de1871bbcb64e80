import { formatInstant } from "@gold-partner/protocol";
import type { Sql } from "postgres";
import { arrayLiteral } from "../booking/array_literal.ts";

/** A webhook secret as the database has it. */
export interface SealedSecret {
  readonly id: number;
  /** Base64. */
  readonly sealed: string;
  readonly sealing_key: string;
  readonly retire_at: string | null;
}

/** An endpoint that a worker holds, as it is now. */
export interface EndpointRow {
  readonly client: number;
  readonly url: string;
  /** Which claim it is. */
  readonly tenure: number;
  /** Every event up to this number was delivered, or is tried again by itself. */
  readonly passed: string;
  readonly failures: number;
  readonly disabled: boolean;
  readonly secrets: readonly SealedSecret[];
}

/** What a worker has room for. */
export interface Want {
  readonly client: number;
  readonly tenure: number;
  /** New events are wanted beyond this number. */
  readonly after: number;
  readonly room: number;
}

export interface EventRow {
  readonly client: number;
  readonly sequence: string;
  readonly id: string;
  /** Null where the number is passed over: the event is tried by itself. */
  readonly body: string | null;
  readonly tries: number;
  /** Of an event that is tried by itself: until when it is this worker's, as it is given back. */
  readonly ticket: string | null;
}

/** An attempt as it went, and what is to become of its event. */
export interface AttemptEntry {
  readonly client: number;
  readonly sequence: number;
  readonly ticket: string | null;
  /** With this one. */
  readonly tries: number;
  /** By the database's time. */
  readonly attemptedAtMs: number;
  readonly durationMs: number;
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  /** Null where it was delivered or is parked. */
  readonly againInMs: number | null;
}

/** What became of an endpoint. */
export interface EndpointEntry {
  readonly client: number;
  readonly tenure: number;
  /** What the database has for `passed` until now: where it has something else, somebody else decided. */
  readonly from: number;
  readonly passed: number;
  readonly failures: number;
  /** Null where it does not rest. */
  readonly restMs: number | null;
  /** It wants nothing any more. What enables it again is a test that arrives: the database sees that by itself. */
  readonly disabled: boolean;
  /** Given back, so that whoever finds work for it may hold it. */
  readonly released: boolean;
}

/** What one worker asks of the database and tells it: the functions of these names, beside this file. */
export interface DeliveryStore {
  /** Takes endpoints that have work and that nobody holds: of these clients, or of any. */
  claim(clients: readonly number[] | null, most: number): Promise<readonly EndpointRow[]>;
  /** Shows that the worker is alive; what it still holds. */
  renew(): Promise<readonly EndpointRow[]>;
  take(wants: readonly Want[]): Promise<readonly EventRow[]>;
  /** Returns the clients whose endpoints are not the worker's any more. */
  settle(attempts: readonly AttemptEntry[], endpoints: readonly EndpointEntry[]): Promise<readonly number[]>;
  dismiss(): Promise<void>;
}

/** `beat` is one connection that listens: each beat has it listen again, so it is never deaf for longer than one, whatever is lost. */
export function openDeliveryStore(
  { work, beat }: { readonly work: Sql; readonly beat: Sql },
  worker: string,
): DeliveryStore {
  return {
    claim: (clients, most) =>
      work<EndpointRow[]>`
        select * from gold.claim_endpoints(${worker}::uuid, ${
        clients && arrayLiteral(clients)
      }::text::int[], ${most}::int)`,
    async renew() {
      const [, held] = await Promise.all([
        // A pooler in between may not know it; then the worker looks once a second.
        beat.unsafe("listen gold_event; listen gold_endpoint").catch(() => {}),
        beat<EndpointRow[]>`select * from gold.renew_endpoints(${worker}::uuid)`,
      ]);
      return held;
    },
    take: (wants) =>
      work<EventRow[]>`
        select client, sequence, id, body, tries, ticket::text from gold.take_events(${worker}::uuid,
          ${arrayLiteral(wants.map(({ client }) => client))}::text::int[],
          ${arrayLiteral(wants.map(({ tenure }) => tenure))}::text::int[],
          ${arrayLiteral(wants.map(({ after }) => after))}::text::bigint[],
          ${arrayLiteral(wants.map(({ room }) => room))}::text::int[])`,
    async settle(attempts, endpoints) {
      const rows = await work<{ client: number }[]>`
        select client from gold.settle_attempts(${worker}::uuid,
          ${arrayLiteral(attempts.map(({ client }) => client))}::text::int[],
          ${arrayLiteral(attempts.map(({ sequence }) => sequence))}::text::bigint[],
          ${arrayLiteral(attempts.map(({ ticket }) => ticket))}::text::timestamptz[],
          ${
        arrayLiteral(attempts.map(({ attemptedAtMs }) => formatInstant(attemptedAtMs)))
      }::text::timestamptz[],
          ${arrayLiteral(attempts.map(({ durationMs }) => durationMs))}::text::int[],
          ${arrayLiteral(attempts.map(({ httpStatus }) => httpStatus))}::text::int[],
          ${arrayLiteral(attempts.map(({ error }) => error))}::text::text[],
          ${arrayLiteral(attempts.map(({ answer }) => answer))}::text::text[],
          ${arrayLiteral(attempts.map(({ tries }) => tries))}::text::int[],
          ${arrayLiteral(attempts.map(({ againInMs }) => againInMs))}::text::int[],
          ${arrayLiteral(endpoints.map(({ client }) => client))}::text::int[],
          ${arrayLiteral(endpoints.map(({ tenure }) => tenure))}::text::int[],
          ${arrayLiteral(endpoints.map(({ from }) => from))}::text::bigint[],
          ${arrayLiteral(endpoints.map(({ passed }) => passed))}::text::bigint[],
          ${arrayLiteral(endpoints.map(({ failures }) => failures))}::text::int[],
          ${arrayLiteral(endpoints.map(({ restMs }) => restMs))}::text::int[],
          ${arrayLiteral(endpoints.map(({ disabled }) => disabled))}::text::boolean[],
          ${arrayLiteral(endpoints.map(({ released }) => released))}::text::boolean[]) client`;
      return rows.map(({ client }) => client);
    },
    async dismiss() {
      await work`select gold.dismiss_worker(${worker}::uuid)`;
    },
  };
}
