import { ID_PREFIX, type OrderRequest, uuidOfId } from "@gold-partner/protocol";
import type { Query } from "../../database/query.ts";
import { arrayLiteral, byteaLiteral } from "../../database/array_literal.ts";
import type { SignedWrite } from "../../admission/admitted_write.ts";
import type { Send } from "../batcher.ts";
import type { Outcome } from "../outcome.ts";

export interface OrderItem extends SignedWrite {
  readonly asked: OrderRequest;
}

/** Books 1 to 64 orders in one round trip, by the function in book_orders.sql. */
export function sendOrders(sql: Query): Send<OrderItem> {
  return async (items, { wait, settle }) => {
    return await sql<(Outcome & { item: number })[]>`
      select item, outcome, status, body from gold.book_orders(
        ${wait}, ${settle},
        ${arrayLiteral(items.map(({ client }) => client))}::text::int[],
        ${arrayLiteral(items.map(({ admissionVersion }) => admissionVersion))}::text::bigint[],
        ${arrayLiteral(items.map(({ nonce }) => nonce))}::text::uuid[],
        ${arrayLiteral(items.map(({ key }) => key))}::text::text[],
        ${arrayLiteral(items.map(({ fingerprint }) => `\\x${fingerprint}`))}::text::bytea[],
        ${arrayLiteral(items.map(({ asked }) => quoteOf(asked)))}::text::uuid[],
        ${arrayLiteral(items.map(({ request }) => request))}::text::uuid[],
        ${arrayLiteral(items.map(({ asked }) => asked.reference))}::text::text[],
        ${arrayLiteral(items.map(({ asked }) => asked.account_label))}::text::text[],
        ${arrayLiteral(items.map(({ signedRequest }) => byteaLiteral(signedRequest)))}::text::bytea[],
        ${arrayLiteral(items.map(({ thumbprint }) => `\\x${thumbprint}`))}::text::bytea[])
      order by item`;
  };
}

/** The quote's uuid; null if the quote_id is malformed, which is handled like an unknown quote. */
const quoteOf = ({ quote_id }: OrderRequest) => uuidOfId(ID_PREFIX.quote, quote_id) ?? null;
