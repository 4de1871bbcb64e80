import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  customType,
  integer,
  smallint,
  text,
  timestamp,
} from "drizzle-orm/pg-core";

/** A quantity in minor units. It is a bigint in Postgres and in TypeScript, so it never becomes a float. */
export const amount = () => bigint({ mode: "bigint" });

export const instant = () => timestamp({ withTimezone: true, precision: 3, mode: "date" });

export const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

/** Text that is compared and sorted byte by byte, independently of any language. */
export const code = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

/** The columns that identify a row's client, by bucket and number. Most keys begin with these columns. */
export const owner = () => ({ bucket: smallint().notNull(), clientId: integer().notNull() });

/**
 * The index columns for lists: a client's records by sequence. The client is an expression here, so that a
 * lookup by owner and id can never use this index. Otherwise the planner might use it and read all records of
 * a client to find one. The planner assumes that bucket and client are independent, so an index that starts
 * with both looks as good as the primary key.
 */
export const newest = (t: { readonly clientId: AnyPgColumn; readonly sequence: AnyPgColumn }) =>
  [sql`(${t.clientId} + 0)`, t.sequence] as const;

/**
 * The texts that a partner may give a record; null if it gave none. Their form is checked by constraints that
 * drizzle-kit cannot write, because they are NOT VALID: `partner_texts` in 0000_release_0_5_0.sql, and one for each
 * later text in record_members.sql.
 */
export const partnerTexts = () => ({ reference: text(), accountLabel: text() });
