// Databases of programs that use nothing of this service. They have a Postgres of their own with the same settings,
// because a paused pgbench keeps transactions open.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { startPostgres } from "@gold-partner/dev/postgres";
import postgres, { type Sql } from "postgres";
import { peerTaker, type Taker } from "../orders/contenders.ts";
import { POSTGRES_SETTINGS } from "../orders/postgres_settings.ts";
import type { Stack } from "../orders/stack.ts";

/** The parts of pgledger 0.7.0 (MIT licence, commit 17ecd30), in the order of their installation. */
const PGLEDGER_FILES = [
  "vendor/scoville-pgsql-ulid/ulid-to-uuid.sql",
  "vendor/scoville-pgsql-ulid/uuid-to-ulid.sql",
  "pgledger.sql",
];
const PGLEDGER_SHA256 = "cf8384a51446f48684307fdd85235d02a55781e89424207ea16d7a2e9f525f95";
export const PGLEDGER_MISSING =
  "pgledger was not measured. To measure it, set PGLEDGER to the folder of a clone: " +
  "git clone --branch v0.7.0 https://github.com/pgr0ss/pgledger";
const TPCB = "pgbench: tpcb-like, 64 connections";

/**
 * Returns a contender per program, by its name. Without PGLEDGER, pgledger is not among them. `closing` registers
 * what is stopped in the end, the last one first.
 */
export async function openDatabases(
  { dir }: Stack,
  closing: (close: () => unknown) => void,
): Promise<Record<string, Taker>> {
  const server = await startPostgres({ dataDir: join(dir, "peers_postgres"), settings: POSTGRES_SETTINGS });
  closing(server.stop);
  const connect = (database: string): Sql => {
    const sql = postgres(server.superuserUrl(database), { max: 1, onnotice: () => {} });
    closing(() => sql.end());
    return sql;
  };
  const root = connect("postgres");
  const fill = async (database: string, schema: string): Promise<Sql> => {
    await root.unsafe(`create database ${database}`);
    const sql = connect(database);
    await sql.unsafe(schema);
    await sql.unsafe("vacuum analyze");
    return sql;
  };
  /** `operations` is an expression in SQL. */
  const taker = (sql: Sql, script: string, operations: string, connections: number, variables = {}): Taker =>
    peerTaker({ sql, postgresPid: server.pid }, {
      ...{ script, connections, variables },
      databaseUrl: server.superuserUrl(sql.options.database),
      count: async () => (await sql.unsafe(`select (${operations})::int as done`))[0]!.done as number,
    });

  const tpcb = await fill("tpcb", readSchema("tpcb_schema.sql"));
  const clone = process.env["PGLEDGER"];
  const ledger = clone === undefined
    ? undefined
    : await fill("pgledger", readPgledger(clone) + readSchema("pgledger_schema.sql"));
  const takers = { [TPCB]: taker(tpcb, "tpcb-like", "select count(*) from pgbench_history", 64) };
  if (!ledger) return takers;
  const pgledger = (connections: number, houses: number, orders: number) =>
    taker(ledger, "pgledger.sql", "select count(*) / 2 from pgledger_transfers", connections, {
      houses,
      orders,
    });
  return {
    ...takers,
    "pgledger, one house": pgledger(64, 1, 1),
    "pgledger, 1,000 houses": pgledger(64, 1000, 1),
    "pgledger, one house, 64 orders a call": pgledger(2, 1, 64),
  };
}

const readSchema = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

function readPgledger(clone: string): string {
  const text = PGLEDGER_FILES.map((file) => readFileSync(join(clone, file), "utf8")).join("");
  const found = createHash("sha256").update(text).digest("hex");
  if (found === PGLEDGER_SHA256) return text;
  throw new Error(`PGLEDGER must name a clone with the tag v0.7.0; the files in ${clone} are others.`);
}
