import type { Query } from "../../database/query.ts";
import { column } from "../../database/array_literal.ts";
import type { BatchItem, Send } from "../batcher.ts";
import { LIMIT_STATUS, type Outcome } from "../outcome.ts";

export interface NonceItem extends BatchItem {
  readonly admissionVersion: string;
  /** The first 16 bytes of the nonce's SHA-256, as a uuid. */
  readonly nonce: string;
  readonly requestId: string;
}

/** Spends 1 to 128 nonces in one round trip, by the function in spend_nonces.sql. */
export function sendNonces(sql: Query): Send<NonceItem> {
  return async (items, { wait }) => {
    const [row] = await sql<[{ words: string }]>`
      select array_to_string(gold.spend_nonces(
        wait => ${wait},
        clients => ${column(items, ({ client }) => client)}::text::int[],
        admissions => ${column(items, ({ admissionVersion }) => admissionVersion)}::text::bigint[],
        nonces => ${column(items, ({ nonce }) => nonce)}::text::uuid[],
        requests => ${column(items, ({ requestId }) => requestId)}::text::uuid[]), chr(10)) as words`;
    return row.words.split("\n").map((word) =>
      word.startsWith("{")
        ? { outcome: "answered", status: LIMIT_STATUS, body: word }
        : { outcome: word as Outcome["outcome"], status: null, body: null }
    );
  };
}
