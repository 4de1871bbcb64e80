import { arrayLiteral } from "./array_literal.ts";
import type { Query } from "./query.ts";

const REQUIRED = ["fsync", "full_page_writes", "synchronous_commit"] as const;
const STANDBYS = "synchronous_standby_names";

/**
 * Throws if the database could lose an acknowledged write in a power cut. With `standby`, also throws if the
 * loss of the server could lose an acknowledged write. The service then does not start.
 */
export async function requireDurability(sql: Query, standby: boolean): Promise<void> {
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name = any(${
    arrayLiteral([...REQUIRED, STANDBYS])
  }::text::text[])`;
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const lossy = REQUIRED.filter((name) => /^(off|local)$/.test(settings.get(name) ?? "off"));
  if (lossy.length > 0) {
    const found = lossy.map((name) => `${name} is ${settings.get(name)}`).join(", ");
    throw new Error(
      `The database can lose an acknowledged order in a crash: ${found}. Set each of them to on.`,
    );
  }
  const acknowledgedBy = settings.get("synchronous_commit");
  if (standby && (settings.get(STANDBYS) === "" || acknowledgedBy === "remote_write")) {
    throw new Error(
      `HA is on, but an acknowledged order could be lost with the server: ${STANDBYS} is "${
        settings.get(STANDBYS)
      }" and synchronous_commit is ${acknowledgedBy}. ` +
        `Name a standby, and set synchronous_commit to on or remote_apply.`,
    );
  }
}
