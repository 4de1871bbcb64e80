import type { ReservedSql, Sql, TransactionSql } from "postgres";
import { openDatabase } from "@gold-partner/database";
import { instantMs } from "./values.ts";

/** One transaction. The audit reads everything in it. */
export type Connection = Sql | TransactionSql | ReservedSql;
// deno-lint-ignore no-explicit-any
export type Row = any;

const OID = { bytea: 17, date: 1082, int8: 20, jsonb: 3802, timestamptz: 1184 } as const;

const textType = <Value>(oid: number, parse: (text: string) => Value) => ({
  to: oid,
  from: [oid],
  serialize: String,
  parse,
});

/** Reads quantities as bigint, instants as milliseconds, bytea as hex, and dates and jsonb as their text. */
const AUDIT_TYPES = {
  quantity: textType(OID.int8, BigInt),
  instant: textType(OID.timestamptz, instantMs),
  hex: textType(OID.bytea, (text) => text.slice(2)),
  day: textType(OID.date, (text) => text),
  rawJson: textType(OID.jsonb, (text) => text),
};

export function openAuditConnection(url: string): Sql {
  return openDatabase(url, {
    connect_timeout: 10,
    onnotice: () => {},
    fetch_types: false,
    prepare: false,
    types: AUDIT_TYPES as never,
    connection: {
      application_name: "gold audit full",
      TimeZone: "UTC",
      DateStyle: "ISO",
      bytea_output: "hex",
    },
  }) as unknown as Sql;
}

/**
 * Settings of the audit's transaction. With search_path = pg_catalog, no operator or function of another
 * schema can be used by accident. With row_security = off, a row security policy that hides rows is an error.
 */
export const SESSION_SETTINGS = [
  "set local search_path = pg_catalog, pg_temp",
  "set local row_security = off",
  "set local statement_timeout = 0",
  "set local idle_in_transaction_session_timeout = 0",
  "set local lock_timeout = 0",
  "set local jit = off",
  "set local cursor_tuple_fraction = 1",
  "set local work_mem = '64MB'",
];

/**
 * Opens a new snapshot, which no later commit changes. With `snapshot`, opens the snapshot that another
 * connection exported under this name. It also works on a hot standby.
 */
export async function withSnapshot<Result>(
  url: string,
  use: (sql: Connection) => Promise<Result>,
  snapshot?: string,
): Promise<Result> {
  const sql = openAuditConnection(url);
  try {
    return await sql.begin("isolation level repeatable read read only", async (connection) => {
      if (snapshot !== undefined) await connection.unsafe(`set transaction snapshot '${snapshot}'`);
      for (const setting of SESSION_SETTINGS) await connection.unsafe(setting);
      return await use(connection);
    }) as Result;
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/** Rows of one statement, in order, read in blocks through a cursor. The next block is requested early. */
export class Cursor {
  readonly #sql: Connection;
  readonly #name: string;
  #block: readonly Row[] = [];
  #next: Promise<readonly Row[]> | undefined;
  #at = 0;

  private constructor(sql: Connection, name: string) {
    this.#sql = sql;
    this.#name = name;
  }

  static async open(sql: Connection, name: string, text: string): Promise<Cursor> {
    await sql.unsafe(`declare ${name} no scroll cursor for ${text}`);
    const cursor = new Cursor(sql, name);
    await cursor.#turn();
    return cursor;
  }

  /** The current row, or undefined after the last row. */
  get row(): Row | undefined {
    return this.#block[this.#at];
  }

  /** Moves to the next row. Returns a promise only if a block has to be read. */
  advance(): Promise<void> | undefined {
    this.#at++;
    return this.#at < this.#block.length ? undefined : this.#turn();
  }

  async #turn(): Promise<void> {
    this.#block = await (this.#next ?? this.#fetch());
    this.#at = 0;
    this.#next = this.#block.length === BLOCK_ROWS ? this.#fetch() : Promise.resolve([]);
  }

  /**
   * Requests a block. The handler prevents an error that arrives before the `await` from ending the process.
   */
  #fetch(): Promise<readonly Row[]> {
    const block = this.#sql.unsafe(`fetch ${BLOCK_ROWS} from ${this.#name}`).then((rows) =>
      rows as readonly Row[]
    );
    block.catch(() => {});
    return block;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => {});
    await this.#sql.unsafe(`close ${this.#name}`);
  }
}

const BLOCK_ROWS = 2_000;
