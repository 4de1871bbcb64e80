import { until } from "./until.ts";

/** The error code of Postgres if two sessions change the same row of a catalog. */
const CONCURRENT_CATALOG_CHANGE = "XX000";

/**
 * Repeats `change` until no other session changes the same rows of a catalog. DROP ROLE needs this, because
 * it fails while another test's database is being dropped: that database holds settings of the login, because
 * each migration sets the session limits of every operator's login.
 */
export async function retryCatalogChange(change: () => PromiseLike<unknown>): Promise<void> {
  await until(async () => {
    try {
      await change();
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== CONCURRENT_CATALOG_CHANGE) throw error;
      return false;
    }
  });
}

/** Drops the logins of a test. */
export const dropLogins = (
  sql: { unsafe(statement: string): PromiseLike<unknown> },
  ...logins: readonly string[]
): Promise<void> => retryCatalogChange(() => sql.unsafe(`drop role if exists ${logins.join(", ")}`));
