import type { Sql } from "postgres";
import { sinceEpoch } from "./since_epoch.ts";

/** A record as JSON text, and the event number by which lists are sorted. */
export interface Listed {
  readonly sequence: string;
  readonly body: string;
}

/** The filters of a list. A null filter does not apply. */
export interface ListBounds {
  readonly createdAfter: string | null;
  readonly createdBefore: string | null;
  readonly idempotencyKey: string | null;
  /** Only records with a lower event number. */
  readonly below: string | null;
}

export type ListedKind = "order" | "withdrawal" | "funding";
export type RecordKind = ListedKind | "quote" | "event";

/** Reads one record by its uuid, or a page of records. Each record is JSON text. */
export interface RecordReads {
  /** Undefined if the client has no such record with this uuid. */
  find(kind: RecordKind, client: number, uuid: string): Promise<string | undefined>;
  /** Newest first. */
  list(kind: ListedKind, client: number, bounds: ListBounds, most: number): Promise<Listed[]>;
  /** Oldest first. */
  events(client: number, after: number, most: number): Promise<Listed[]>;
}

export function openRecordReads(sql: Sql): RecordReads {
  return {
    async find(kind, client, uuid) {
      const [row] = await sql<{ body: string | null }[]>`
        select gold.${sql(`find_${kind}`)}(${client}, ${uuid}::uuid) as body`;
      return row?.body ?? undefined;
    },
    async list(kind, client, { createdAfter, createdBefore, idempotencyKey, below }, most) {
      return await sql<Listed[]>`
        select sequence::text, body from gold.${sql(`list_${kind}s`)}(${client},
          ${createdAfter && sinceEpoch(createdAfter)}::text::timestamptz, ${
        createdBefore && sinceEpoch(createdBefore)
      }::text::timestamptz,
          ${idempotencyKey}::text, ${below}::text::bigint, ${most}::int)`;
    },
    async events(client, after, most) {
      return await sql<Listed[]>`
        select sequence::text, body from gold.list_events(${client}, ${`${after}`}::text::bigint, ${most}::int)`;
    },
  };
}
