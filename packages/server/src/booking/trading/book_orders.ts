import { ID_PREFIX, type OrderRequest, uuidOfId } from "@gold-partner/protocol";
import type { Query } from "../../database/query.ts";
import { byteaLiteral, column } from "../../database/array_literal.ts";
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
        wait => ${wait}, settle => ${settle},
        clients => ${column(items, ({ client }) => client)}::text::int[],
        admissions => ${column(items, ({ admissionVersion }) => admissionVersion)}::text::bigint[],
        nonces => ${column(items, ({ nonce }) => nonce)}::text::uuid[],
        keys => ${column(items, ({ key }) => key)}::text::text[],
        fingerprints => ${column(items, ({ fingerprint }) => `\\x${fingerprint}`)}::text::bytea[],
        quotes => ${column(items, ({ asked }) => quoteOf(asked))}::text::uuid[],
        requests => ${column(items, ({ requestId }) => requestId)}::text::uuid[],
        partner_references => ${column(items, ({ asked }) => asked.reference)}::text::text[],
        account_labels => ${column(items, ({ asked }) => asked.account_label)}::text::text[],
        signed_requests => ${
      column(items, ({ signedRequest }) => byteaLiteral(signedRequest))
    }::text::bytea[],
        thumbprints => ${column(items, ({ thumbprint }) => `\\x${thumbprint}`)}::text::bytea[])
      order by item`;
  };
}

/** The quote's uuid; null if the quote_id is malformed, which is handled like an unknown quote. */
const quoteOf = ({ quote_id }: OrderRequest) => uuidOfId(ID_PREFIX.quote, quote_id) ?? null;
