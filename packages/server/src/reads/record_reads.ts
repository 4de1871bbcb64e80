import type { Query } from "../database/query.ts";
import { sinceEpoch } from "./since_epoch.ts";

/** A record as JSON text, and the event number by which lists are sorted. */
interface Listed {
  readonly sequence: string;
  readonly body: string;
}

/**
 * A row without a body ends a search that stopped before the end of the list. The next page starts below it.
 */
export interface ListedOrRest {
  readonly sequence: string;
  readonly body: string | null;
}

/** The filters of a list. A null filter does not apply. */
export interface ListBounds {
  readonly createdAfter: string | null;
  readonly createdBefore: string | null;
  readonly idempotencyKey: string | null;
  /** The partner's own texts. Fundings have none. */
  readonly reference: string | null;
  readonly accountLabel: string | null;
  /** If set, only records with a lower event number are read. */
  readonly below: string | null;
}

export type ListedKind = "order" | "withdrawal" | "funding";
export type RecordKind = ListedKind | "quote" | "event";

/** Reads one record by its uuid, or a page of records. Each record is JSON text. */
export interface RecordReads {
  /** Undefined if the client has no such record with this uuid. */
  find(kind: RecordKind, client: number, uuid: string): Promise<string | undefined>;
  /** Newest first. */
  list(kind: ListedKind, client: number, bounds: ListBounds, most: number): Promise<ListedOrRest[]>;
  /** Oldest first. */
  events(client: number, after: number, most: number): Promise<Listed[]>;
  /** The same events with the text that a webhook has. */
  eventBodies(client: number, after: bigint, most: number): Promise<Listed[]>;
  /** The number of each client's newest event. */
  newestEvents(clients: readonly number[]): Promise<ReadonlyMap<number, bigint>>;
}

type Find = (sql: Query, client: number, uuid: string) => Promise<{ readonly body: string | null }[]>;

const FIND: Readonly<Record<RecordKind, Find>> = {
  order: (sql, client, uuid) => sql`select gold.find_order(${client}, ${uuid}::uuid) as body`,
  withdrawal: (sql, client, uuid) => sql`select gold.find_withdrawal(${client}, ${uuid}::uuid) as body`,
  funding: (sql, client, uuid) => sql`select gold.find_funding(${client}, ${uuid}::uuid) as body`,
  quote: (sql, client, uuid) => sql`select gold.find_quote(${client}, ${uuid}::uuid) as body`,
  event: (sql, client, uuid) => sql`select gold.find_event(${client}, ${uuid}::uuid) as body`,
};

/** `after` and `before` as sinceEpoch() writes them. */
type Bounds = Omit<ListBounds, "createdAfter" | "createdBefore"> & {
  readonly after: string | null;
  readonly before: string | null;
};

type List = (sql: Query, client: number, bounds: Bounds, most: number) => Promise<ListedOrRest[]>;

const LIST: Readonly<Record<ListedKind, List>> = {
  order: (sql, client, { after, before, idempotencyKey, below, reference, accountLabel }, most) =>
    sql`select sequence::text, body from gold.list_orders(${client}, ${after}::text::timestamptz,
      ${before}::text::timestamptz, ${idempotencyKey}::text, ${below}::text::bigint, ${most}::int,
      ${reference}::text, ${accountLabel}::text)`,
  withdrawal: (sql, client, { after, before, idempotencyKey, below, reference, accountLabel }, most) =>
    sql`select sequence::text, body from gold.list_withdrawals(${client}, ${after}::text::timestamptz,
      ${before}::text::timestamptz, ${idempotencyKey}::text, ${below}::text::bigint, ${most}::int,
      ${reference}::text, ${accountLabel}::text)`,
  funding: (sql, client, { after, before, idempotencyKey, below }, most) =>
    sql`select sequence::text, body from gold.list_fundings(${client}, ${after}::text::timestamptz,
      ${before}::text::timestamptz, ${idempotencyKey}::text, ${below}::text::bigint, ${most}::int)`,
};

export function openRecordReads(sql: Query): RecordReads {
  return {
    async find(kind, client, uuid) {
      const [row] = await FIND[kind](sql, client, uuid);
      return row?.body ?? undefined;
    },
    async list(kind, client, bounds, most) {
      const { createdAfter, createdBefore, ...others } = bounds;
      const after = createdAfter && sinceEpoch(createdAfter);
      const before = createdBefore && sinceEpoch(createdBefore);
      return await LIST[kind](sql, client, { ...others, after, before }, most);
    },
    async events(client, after, most) {
      return await sql<Listed[]>`
        select sequence::text, body from gold.list_events(${client}, ${`${after}`}::text::bigint, ${most}::int)`;
    },
    async eventBodies(client, after, most) {
      return await sql<Listed[]>`
        select sequence::text, body from gold.event_bodies(${client}, ${`${after}`}::text::bigint, ${most}::int)`;
    },
    async newestEvents(clients) {
      const rows = await sql<{ client: number; sequence: string }[]>`
        select client, sequence::text from gold.newest_events(${`{${clients}}`}::text::int[])`;
      return new Map(rows.map(({ client, sequence }) => [client, BigInt(sequence)]));
    },
  };
}
