import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "@gold-partner/dev/postgres";
import postgres from "postgres";
import { peerTaker, type Taker } from "./contenders.ts";
import { POSTGRES_SETTINGS } from "./postgres_settings.ts";
import type { Stack } from "./stack.ts";

const CONNECTIONS = 64;

/**
 * Starts two pgbench programs to compare with (peers) that use nothing of this service. One books an order
 * with eight statements, and the other inserts one bare row. They have their own Postgres with the same
 * settings. Their transactions stay open while they are paused, and on a shared server these would make every
 * snapshot of the service larger.
 */
export async function openPeers(
  { dir }: Stack,
): Promise<{ takers: readonly [eightStatements: Taker, oneRow: Taker]; close(): Promise<void> }> {
  const server = await startPostgres({ dataDir: join(dir, "peers_postgres"), settings: POSTGRES_SETTINGS });
  const databaseUrl = server.superuserUrl();
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(readFileSync(new URL("../peers/eight_statements_schema.sql", import.meta.url), "utf8"));
  const peer = (script: string, table: string) =>
    peerTaker({ sql, postgresPid: server.pid }, {
      script,
      connections: CONNECTIONS,
      databaseUrl,
      async count() {
        const [row] = await sql.unsafe(`select last_value::int as last from peer.${table}_id_seq`);
        return row!.last as number;
      },
    });
  return {
    takers: [peer("eight_statements.sql", "trade"), peer("one_row.sql", "one_row")],
    async close() {
      await sql.end();
      await server.stop();
    },
  };
}
