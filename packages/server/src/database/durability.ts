import type { Sql } from "postgres";

const REQUIRED = ["fsync", "full_page_writes", "synchronous_commit"] as const;

/** What the service acknowledges must survive a power cut, so it does not serve from a database that may lose it. */
export async function requireDurability(sql: Sql): Promise<void> {
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name in ${sql(REQUIRED)}`;
  const off = rows.filter(({ setting }) => setting === "off" || setting === "local").map(({ name }) => name);
  if (rows.length !== REQUIRED.length || off.length > 0) {
    throw new Error(
      `The database runs with ${
        off.join(", ")
      } off; switch it on: an acknowledged order must survive a crash.`,
    );
  }
}
