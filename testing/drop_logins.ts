import { until } from "./until.ts";

/**
 * The error code of Postgres if two sessions change the same row of a catalog. Here, this session runs DROP
 * ROLE while another test's session runs DROP DATABASE.
 */
const CONCURRENT_CATALOG_CHANGE = "XX000";

/**
 * Drops the logins of a test. Each migration gives every operator's login its session limits, so the
 * databases of other tests hold settings of these logins, too. DROP ROLE fails while one of those databases
 * is being dropped.
 */
export async function dropLogins(
  sql: { unsafe(statement: string): PromiseLike<unknown> },
  ...logins: readonly string[]
): Promise<void> {
  const drop = async () => {
    try {
      await sql.unsafe(`drop role if exists ${logins.join(", ")}`);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== CONCURRENT_CATALOG_CHANGE) throw error;
      return false;
    }
  };
  await until(drop);
}
