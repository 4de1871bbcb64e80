import type { Row } from "postgres";
import type { Invocation } from "../command.ts";
import { EXIT, Failure } from "../failure.ts";

/** Finds a registered partner: a row of gold.partner_overview, with quantities as text. */
export async function findPartner(query: Invocation["query"], id: string): Promise<Row> {
  const [partner] = await query`
    select *, maximum_grams::text, maximum_open_grams::text, sar_available::text, sar_held::text, gold::text from gold.partner_overview where public_id = ${id}`;
  if (partner) return partner;
  throw new Failure(EXIT.refused, "not_found", `There is no partner ${id}.`);
}
