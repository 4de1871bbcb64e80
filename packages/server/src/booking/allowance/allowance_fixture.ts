import type { Sql } from "postgres";
import { valueOf } from "../../../testing/rows.ts";

/** Limits as gold.limit_partner takes them: grams in 0.0001 g, null is unlimited. */
export interface Limits {
  readonly open_quotes?: number | null;
  readonly open_grams?: number | null;
  readonly daily_records?: number | null;
  readonly net_grams?: number | null;
  readonly daily_withdrawals?: number | null;
  /** In halalas. */
  readonly daily_withdrawn?: number | null;
}

export async function limitClient(sql: Sql, client: number, limits: Limits): Promise<void> {
  await sql`
    select gold.limit_partner(p.public_id, ${
    JSON.stringify(limits)
  }::text::jsonb) from gold.partner p where p.id = ${client}`;
}

/** The row with its version, so that a test also sees a write that changes no value. */
export async function readAllowance(sql: Sql, client: number): Promise<string> {
  return await valueOf(sql`
    select concat(t.xmin, ' ', t.ctid, ' ', t) as text from gold.allowance t where client_id = ${client}`);
}
