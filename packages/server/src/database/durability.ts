import type { Sql } from "postgres";

const REQUIRED = ["fsync", "full_page_writes", "synchronous_commit"] as const;
const STANDBYS = "synchronous_standby_names";

/**
 * What the service acknowledges must survive a power cut, and with `standby` the loss of the server: it does not serve from a database that
 * may lose it.
 */
export async function requireDurability(sql: Sql, standby: boolean): Promise<void> {
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name in ${sql([...REQUIRED, STANDBYS])}`;
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const off = REQUIRED.filter((name) => /^(off|local)$/.test(settings.get(name) ?? "off"));
  if (off.length > 0) {
    throw new Error(
      `The database runs with ${
        off.join(", ")
      } off; switch it on: an acknowledged order must survive a crash.`,
    );
  }
  const acknowledgedBy = settings.get("synchronous_commit");
  if (standby && (settings.get(STANDBYS) === "" || acknowledgedBy === "remote_write")) {
    throw new Error(
      `HA is on, but an acknowledged order could be lost with the server: ${STANDBYS} is "${
        settings.get(STANDBYS)
      }" and synchronous_commit is ${acknowledgedBy}; name a standby, and set it to on or remote_apply.`,
    );
  }
}
