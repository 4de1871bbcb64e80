import type { Sql } from "postgres";
import { arrayLiteral } from "../array_literal.ts";
import type { LaneItem, Send } from "../lane.ts";
import type { Outcome } from "../outcome.ts";

export interface OrderItem extends LaneItem {
  readonly admissionVersion: string;
  /** The first 16 bytes of the nonce's SHA-256, as a uuid. */
  readonly nonce: string;
  readonly key: string;
  /** Lower-case hex. */
  readonly fingerprint: string;
  /** The quote's uuid; null if the quote_id is malformed, which is handled like an unknown quote. */
  readonly quote: string | null;
  readonly request: string;
}

/** Books 1 to 64 orders in one round trip, by the function in book_orders.sql. */
export function sendOrders(sql: Sql): Send<OrderItem> {
  return async (items, { wait, settle }) => {
    const rows = await sql<(Outcome & { item: number })[]>`
      select item, outcome, status, body from gold.book_orders(
        ${wait}, ${settle},
        ${arrayLiteral(items.map(({ client }) => client))}::text::int[],
        ${arrayLiteral(items.map(({ admissionVersion }) => admissionVersion))}::text::bigint[],
        ${arrayLiteral(items.map(({ nonce }) => nonce))}::text::uuid[],
        ${arrayLiteral(items.map(({ key }) => key))}::text::text[],
        ${arrayLiteral(items.map(({ fingerprint }) => `\\x${fingerprint}`))}::text::bytea[],
        ${arrayLiteral(items.map(({ quote }) => quote))}::text::uuid[],
        ${arrayLiteral(items.map(({ request }) => request))}::text::uuid[])
      order by item`;
    return rows;
  };
}
