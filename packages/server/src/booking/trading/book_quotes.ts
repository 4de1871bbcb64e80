import {
  AMOUNT_MAX_HALALAS,
  GOLD_MAX_TENTH_MILLIGRAMS,
  GOLD_MIN_TENTH_MILLIGRAMS,
  type QuoteRequest,
} from "@gold-partner/protocol";
import type { Query } from "../../database/query.ts";
import { arrayLiteral } from "../../database/array_literal.ts";
import type { AdmittedWrite } from "../../admission/admitted_write.ts";
import type { Send } from "../batcher.ts";
import type { Outcome } from "../outcome.ts";
import { capped } from "../capped.ts";

export interface QuoteItem extends AdmittedWrite {
  readonly asked: QuoteRequest;
  readonly maximumTenthMilligrams: bigint;
  readonly id: string;
}

export function sendQuotes(sql: Query): Send<QuoteItem> {
  return async (items, { wait, settle }) => {
    return await sql<(Outcome & { item: number })[]>`
      select item, outcome, status, body from gold.book_quotes(
        ${wait}, ${settle},
        ${arrayLiteral(items.map(({ client }) => client))}::text::int[],
        ${arrayLiteral(items.map(({ admissionVersion }) => admissionVersion))}::text::bigint[],
        ${arrayLiteral(items.map(({ key }) => key))}::text::text[],
        ${arrayLiteral(items.map(({ fingerprint }) => `\\x${fingerprint}`))}::text::bytea[],
        ${arrayLiteral(items.map(({ asked }) => asked.side))}::text::gold.side[],
        ${arrayLiteral(items.map(({ asked }) => gramsOf(asked)))}::text::bigint[],
        ${arrayLiteral(items.map(({ asked }) => amountOf(asked)))}::text::bigint[],
        ${arrayLiteral(items.map(() => GOLD_MIN_TENTH_MILLIGRAMS))}::text::bigint[],
        ${arrayLiteral(items.map(({ maximumTenthMilligrams }) => maximumTenthMilligrams))}::text::bigint[],
        ${arrayLiteral(items.map(({ id }) => id))}::text::uuid[],
        ${arrayLiteral(items.map(({ request }) => request))}::text::uuid[],
        ${arrayLiteral(items.map(({ asked }) => asked.reference))}::text::text[],
        ${arrayLiteral(items.map(({ asked }) => asked.account_label))}::text::text[])
      order by item`;
  };
}

const gramsOf = (asked: QuoteRequest) =>
  asked.by === "grams" ? capped(asked.goldTenthMilligrams, GOLD_MAX_TENTH_MILLIGRAMS) : null;
const amountOf = (asked: QuoteRequest) =>
  asked.by === "amount" ? capped(asked.amountHalalas, AMOUNT_MAX_HALALAS) : null;
