import { until } from "./until.ts";

/**
 * The error code of Postgres if two sessions change the same row of a catalog, for example when one test's
 * session runs DROP ROLE while another's runs DROP DATABASE.
 */
export const CONCURRENT_CATALOG_CHANGE = "XX000";

/**
 * Drops the logins of a test. DROP ROLE fails while another test's database is being dropped, so this
 * function retries. That database holds settings of these logins, because each migration sets the session
 * limits of every operator's login.
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
