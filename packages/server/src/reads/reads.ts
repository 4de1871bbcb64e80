import type { Sql } from "postgres";
import { type AccountReads, openAccountReads } from "./account_reads.ts";
import { type HouseReads, openHouseReads } from "./house_reads.ts";
import { openRecordReads, type RecordReads } from "./record_reads.ts";
import { createTurns } from "./turns.ts";

/** What is read without a write to the books: views and functions, never tables. */
export interface Reads extends HouseReads, AccountReads, RecordReads {
  /** Whether the database answers. */
  ping(): Promise<void>;
}

/** As many of one client's reads wait for its account. */
const TURNS = 512;

export function openReads(sql: Sql, holding: Sql): Reads {
  const [account, records] = [openAccountReads(sql), openRecordReads(sql)];
  const [accountHeld, recordsHeld, turn] = [
    openAccountReads(holding),
    openRecordReads(holding),
    createTurns(TURNS),
  ];
  return {
    ...openHouseReads(sql),
    ...account,
    ...records,
    balances: (client) => turn(client, () => accountHeld.balances(client)),
    balancesAt: (client, at) => turn(client, () => accountHeld.balancesAt(client, at)),
    statementRange: (client, from, to) => turn(client, () => accountHeld.statementRange(client, from, to)),
    events: (client, after, most) => turn(client, () => recordsHeld.events(client, after, most)),
    find: (kind, client, uuid) =>
      kind === "quote" || kind === "event"
        ? turn(client, () => recordsHeld.find(kind, client, uuid))
        : records.find(kind, client, uuid),
    async ping() {
      await sql`select 1`;
    },
  };
}
