import { formatInstant } from "@gold-partner/protocol";
import type { Sql } from "postgres";
import type { Use } from "./usage_recorder.ts";

export async function recordUse(sql: Sql, uses: readonly Use[]): Promise<void> {
  const rows = uses.map(({ kind, partner, id, atMs }) => ({ kind, partner, id, at: formatInstant(atMs) }));
  await sql`select gold.record_use(${JSON.stringify(rows)}::text::jsonb)`;
}
