import type { Sql } from "postgres";
import { columnOf, rolledBack } from "../../../testing/rows.ts";

/**
 * Corrupts the books with the statements in `plant`, which bypass the triggers. Returns the names of the
 * broken verification rules, and rolls back.
 */
export async function rulesBrokenBy(sql: Sql, plant: string): Promise<string> {
  return await rolledBack(sql, async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql.unsafe(plant);
    const rules = await columnOf(sql`
      select distinct rule from (select rule from gold.verify_ledger() union all select rule from gold.verify_chain()) found order by rule`);
    return rules.join(" ");
  });
}

/**
 * Statements that make an order or a withdrawal one that 0.3.0 booked: without its signed request, in a line of
 * version 1.
 */
export const unsign = (id: string): string => `
  alter table gold.idempotency_key drop constraint if exists idempotency_key_signed;
  update gold.idempotency_key set request = null, signing_thumbprint = null where result_id = '${id}';
  update gold.orders set answer = null where id = '${id}';
  update gold.withdrawal set answer = null where id = '${id}';
  update gold.event set line = 1 where subject = '${id}'`;
