import type { Sql } from "postgres";
import type { LaneItem, Send } from "../lane.ts";
import type { Outcome } from "../outcome.ts";

export interface NonceItem extends LaneItem {
  readonly admissionVersion: string;
  readonly nonce: string;
}

export function sendNonce(sql: Sql): Send<NonceItem> {
  return async ([item]) => {
    const { client, admissionVersion, nonce } = item!;
    return await sql<Outcome[]>`
      select outcome, status, body from gold.spend_nonce(${client}::int, ${admissionVersion}::text::bigint, ${nonce}::uuid)`;
  };
}
