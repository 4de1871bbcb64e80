// Postgres with databases that have the service's own schema. The database `full` holds millions of nonces
// that were spent before. The other databases start empty.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@gold-partner/dev/postgres";
import { migrate } from "@gold-partner/server";
import postgres, { type Sql } from "postgres";
import type { PostgresSocket } from "./spender.ts";

export const PARTNERS = 1000;
const DATABASES = ["against_redis", "empty", "empty_too", "full"] as const;
export type Database = typeof DATABASES[number];

const LOGIN = "gold_api";
const PASSWORD = "benchmark";
const ROWS_A_STATEMENT = 1_000_000;
/**
 * The checkpoint interval is longer than a run, so that no checkpoint runs during a contest.
 * prefillNonces() ends with a checkpoint. So the first change of a page in `full` after that checkpoint
 * writes the full page to the WAL.
 */
const SETTINGS = { max_connections: "100", max_wal_size: "16GB", checkpoint_timeout: "1h" };

export interface NonceStack {
  readonly postgresPid: number;
  socketOf(database: Database): PostgresSocket;
  /** A superuser's connection. */
  sql(database: Database): Sql;
  /**
   * Restarts the server with this size of shared buffers, if its current size differs. The databases stay the
   * same.
   */
  restart(sharedBuffers: string): Promise<void>;
  stop(): Promise<void>;
}

export async function openNonceStack(sharedBuffers: string): Promise<NonceStack> {
  const dataDir = mkdtempSync(join(tmpdir(), "gold-bench-"));
  const begin = (buffers: string) =>
    startPostgres({ dataDir, settings: { ...SETTINGS, shared_buffers: buffers } });
  let server = await begin(sharedBuffers);
  let pools = new Map<Database, Sql>();
  const end = async () => {
    await Promise.all([...pools.values()].map((pool) => pool.end()));
    pools = new Map();
    await server.stop();
  };
  const sql = (database: Database): Sql => {
    const pool = pools.get(database) ??
      postgres(server.superuserUrl(database), { max: 1, onnotice: () => {} });
    pools.set(database, pool);
    return pool;
  };
  let current = sharedBuffers;
  const stop = async () => {
    await end();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const maker = postgres(server.superuserUrl(), { max: 1, onnotice: () => {} });
    for (const database of DATABASES) {
      await maker.unsafe(`create database "${database}"`);
      await migrate(server.superuserUrl(database));
      await sql(database)`
        insert into gold.account (bucket, client_id) select n % 64, n from generate_series(1, ${PARTNERS}::int) n`;
    }
    await maker.unsafe(`alter role ${LOGIN} password '${PASSWORD}'`);
    await maker.end();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get postgresPid() {
      return server.pid;
    },
    socketOf(database) {
      const { socketDir, port } = server;
      if (socketDir === undefined) {
        throw new Error(
          "The path of the temporary folder is too long for a Unix socket. Set TMPDIR to a shorter path.",
        );
      }
      return { folder: socketDir, port, user: LOGIN, password: PASSWORD, database };
    },
    sql,
    async restart(buffers) {
      // Do not restart without need, because a restarted server has to read its data into memory again.
      if (buffers === current) return;
      await end();
      server = await begin(buffers);
      current = buffers;
    },
    stop,
  };
}

/**
 * Inserts nonces as partners would have spent them: in random order, so that the index is as loosely filled
 * as in production.
 */
export async function prefillNonces(sql: Sql, rows: number): Promise<void> {
  const startMs = performance.now();
  for (let made = 0; made < rows; made += ROWS_A_STATEMENT) {
    const last = Math.min(rows, made + ROWS_A_STATEMENT);
    await sql`
      insert into gold.nonce (bucket, client_id, nonce)
      select client % 64, client, gen_random_uuid()
      from (select 1 + n % ${PARTNERS}::int as client from generate_series(${
      made + 1
    }::int, ${last}::int) n) one`;
    const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
    console.log(`${last.toLocaleString("en-US")} nonces inserted after ${seconds} s`);
  }
  await sql`vacuum analyze gold.nonce`;
  await sql`checkpoint`;
}
