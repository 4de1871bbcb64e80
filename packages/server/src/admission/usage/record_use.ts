import { formatInstant } from "@gold-partner/protocol";
import type { Query } from "../../database/query.ts";
import type { Use } from "./usage_recorder.ts";

export async function recordUse(sql: Query, uses: readonly Use[]): Promise<void> {
  const rows = uses.map(({ kind, partner, id, atMs }) => ({ kind, partner, id, at: formatInstant(atMs) }));
  await sql`select gold.record_use(${JSON.stringify(rows)}::text::jsonb)`;
}
