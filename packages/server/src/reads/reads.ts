import type { Sql } from "postgres";
import { type AccountReads, openAccountReads } from "./account_reads.ts";
import { type HouseReads, openHouseReads } from "./house_reads.ts";
import { openRecordReads, type RecordReads } from "./record_reads.ts";

/** What is read without a write to the books: views and functions, never tables. */
export interface Reads extends HouseReads, AccountReads, RecordReads {
  /** Whether the database answers. */
  ping(): Promise<void>;
}

export function openReads(sql: Sql): Reads {
  return {
    ...openHouseReads(sql),
    ...openAccountReads(sql),
    ...openRecordReads(sql),
    async ping() {
      await sql`select 1`;
    },
  };
}
