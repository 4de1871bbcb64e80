import type { Sql } from "postgres";
import { until } from "./until.ts";

/** Ends a session and waits until Postgres does not list it any more, which is a little later. */
export async function endSession(sql: Sql, session: Sql): Promise<void> {
  const [row] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await session.end();
  await until(async () => (await sql`select from pg_stat_activity where pid = ${row!.pid}`).length === 0);
}
