import { sql } from "drizzle-orm";
import { type AnyPgColumn, bigint, customType, integer, smallint, timestamp } from "drizzle-orm/pg-core";

/** Minor units are bigint on both sides; a driver never sees them as floats. */
export const amount = () => bigint({ mode: "bigint" });

export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: "date" });

export const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

/** Text that is compared byte by byte and never sorted for a person. */
export const code = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

/** The two columns that lead every key of a hot table: the shard, then the client. */
export const owner = () => ({ bucket: smallint().notNull(), clientId: integer().notNull() });

/**
 * Behind the lists: a client's records by their sequence. The client stands in it as an expression, so that a look-up by
 * owner and id can never take this index: the planner takes bucket and client for independent, holds any index that leads
 * with both for as good as the primary key, and may read all records of a client to find one.
 */
export const newest = (t: { readonly clientId: AnyPgColumn; readonly sequence: AnyPgColumn }) =>
  [sql`(${t.clientId} + 0)`, t.sequence] as const;
