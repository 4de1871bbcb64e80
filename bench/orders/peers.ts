import { readFileSync } from "node:fs";
import postgres from "postgres";
import { peerTaker, type Taker } from "./contenders.ts";
import type { House } from "./house.ts";

const DATABASE = "peer";
const CONNECTIONS = 64;

/**
 * Two that know nothing of this service, in a database of their own on the same Postgres: the order as eight statements, and one
 * bare row.
 */
export async function openPeers(
  house: House,
): Promise<{ takers: readonly [eightStatements: Taker, oneRow: Taker]; close(): Promise<void> }> {
  await house.sql.unsafe(`create database ${DATABASE}`);
  const databaseUrl = house.databaseUrl(DATABASE);
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(readFileSync(new URL("../peers/eight_statements_schema.sql", import.meta.url), "utf8"));
  const peer = (script: string, table: string) =>
    peerTaker(house, {
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
    close: () => sql.end(),
  };
}
