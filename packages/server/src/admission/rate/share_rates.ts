import type { Query } from "../../database/query.ts";
import type { RateUses, ShareRates } from "./shared_rates.ts";

/** Exchanges uses over the database. `id` names this process among the others. */
export const shareRates = (sql: Query, id: string): ShareRates => async (uses) => {
  const rows = await sql<{ used: RateUses }[]>`
    select used from gold.share_rates(${id}::text::uuid, ${JSON.stringify(uses)}::text::jsonb) used`;
  return rows.map(({ used }) => used);
};
