import type { Query } from "../database/query.ts";
import { type AccountReads, openAccountReads } from "./account_reads.ts";
import { type MarketReads, openMarketReads } from "./market_reads.ts";
import { openRecordReads, type RecordReads } from "./record_reads.ts";
import { createAccountQueue } from "./account_queue.ts";

/** All reads of the service. They use views and functions, never tables, and they book nothing. */
export interface Reads extends MarketReads, AccountReads, RecordReads {
  /** Rejects if the database does not answer. */
  ping(): Promise<void>;
}

/**
 * The maximum number of one client's reads that lock its account: one runs, the others queue. Further reads
 * are refused.
 */
const QUEUED_READS_MAX = 512;

export function openReads(sql: Query, holding: Query): Reads {
  const [account, records] = [openAccountReads(sql), openRecordReads(sql)];
  const [accountHeld, recordsHeld, turn] = [
    openAccountReads(holding),
    openRecordReads(holding),
    createAccountQueue(QUEUED_READS_MAX),
  ];
  return {
    ...openMarketReads(sql),
    ...account,
    ...records,
    balances: (client) => turn(client, () => accountHeld.balances(client)),
    balancesAt: (client, at) => turn(client, () => accountHeld.balancesAt(client, at)),
    statementRange: (client, from, to) => turn(client, () => accountHeld.statementRange(client, from, to)),
    events: (client, after, most) => turn(client, () => recordsHeld.events(client, after, most)),
    eventBodies: (client, after, most) => turn(client, () => recordsHeld.eventBodies(client, after, most)),
    find: (kind, client, uuid) =>
      kind === "quote" || kind === "event"
        ? turn(client, () => recordsHeld.find(kind, client, uuid))
        : records.find(kind, client, uuid),
    async ping() {
      await sql`select 1`;
    },
  };
}
