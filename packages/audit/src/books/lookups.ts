// The first pass looks these rows up by id. They are from tables that have few rows compared with orders.
import type { Row } from "../snapshot.ts";
import { selectFrom, type Table } from "../tables.ts";
import { type Books, clientKey } from "./context.ts";
import { type Range, whereRange } from "./range.ts";

/** The rows of one client that are looked up by id. */
export interface Lookups {
  readonly withdrawals: Map<string, Row>;
  readonly notices: Map<string, Row>;
  /** By sequence number. */
  readonly changes: Map<bigint, Row>;
  /** By sequence number. */
  readonly days: Map<bigint, Row>;
  readonly deposits: Map<string, Row>;
  /** Fundings of this client that come from deposits, by id. */
  readonly fundings: Map<string, Row>;
  /** Replies that contain an event, by the event's id. */
  readonly eventReplies: Map<string, Row[]>;
  /** Notices and reversed deposits that an event reported. */
  readonly reported: Set<string>;
  /** The newest step of each withdrawal so far. */
  readonly lastSteps: Map<string, Row>;
  /** The day on which the bank is to pay, for each withdrawal that was submitted so far. */
  readonly expectedOn: Map<string, string>;
}

export const emptyLookups = (): Lookups => ({
  withdrawals: new Map(),
  notices: new Map(),
  changes: new Map(),
  days: new Map(),
  deposits: new Map(),
  fundings: new Map(),
  eventReplies: new Map(),
  reported: new Set(),
  lastSteps: new Map(),
  expectedOn: new Map(),
});

/** Reads these rows for all clients of the range. */
export async function readLookups({ sql }: Books, range: Range): Promise<Map<string, Lookups>> {
  const lookups = new Map<string, Lookups>();
  const of = ({ bucket, client_id }: Row) => {
    const key = clientKey({ bucket, client: client_id });
    if (!lookups.has(key)) lookups.set(key, emptyLookups());
    return lookups.get(key)!;
  };
  const read = (table: Table, where = "") => sql.unsafe(selectFrom(table, whereRange(range, table, where)));
  for (const row of await read("withdrawal")) of(row).withdrawals.set(row.id, row);
  for (const row of await read("expiry_notice")) of(row).notices.set(row.id, row);
  for (const row of await read("partner_change")) of(row).changes.set(row.sequence, row);
  for (const row of await read("closed_day")) of(row).days.set(row.sequence, row);
  for (const row of await read("deposit")) of(row).deposits.set(row.id, row);
  for (const row of await read("funding", "id in (select d.id from gold.deposit d)")) {
    of(row).fundings.set(row.id, row);
  }
  for (const row of await read("idempotency_key", "result_kind = 'event'")) {
    const replies = of(row).eventReplies;
    replies.set(row.result_id, [...replies.get(row.result_id) ?? [], row]);
  }
  return lookups;
}
