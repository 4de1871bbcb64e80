import {
  AMOUNT_MAX_HALALAS,
  GOLD_MAX_TENTH_MILLIGRAMS,
  GOLD_MIN_TENTH_MILLIGRAMS,
  type QuoteRequest,
} from "@gold-partner/protocol";
import type { Query } from "../../database/query.ts";
import { column } from "../../database/array_literal.ts";
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
        wait => ${wait}, settle => ${settle},
        clients => ${column(items, ({ client }) => client)}::text::int[],
        admissions => ${column(items, ({ admissionVersion }) => admissionVersion)}::text::bigint[],
        keys => ${column(items, ({ key }) => key)}::text::text[],
        fingerprints => ${column(items, ({ fingerprint }) => `\\x${fingerprint}`)}::text::bytea[],
        sides => ${column(items, ({ asked }) => asked.side)}::text::gold.side[],
        asked_grams => ${column(items, ({ asked }) => gramsOf(asked))}::text::bigint[],
        asked_amounts => ${column(items, ({ asked }) => amountOf(asked))}::text::bigint[],
        minimum_grams => ${column(items, () => GOLD_MIN_TENTH_MILLIGRAMS)}::text::bigint[],
        maximum_grams => ${
      column(items, ({ maximumTenthMilligrams }) => maximumTenthMilligrams)
    }::text::bigint[],
        ids => ${column(items, ({ id }) => id)}::text::uuid[],
        requests => ${column(items, ({ requestId }) => requestId)}::text::uuid[],
        partner_references => ${column(items, ({ asked }) => asked.reference)}::text::text[],
        account_labels => ${column(items, ({ asked }) => asked.account_label)}::text::text[])
      order by item`;
  };
}

const gramsOf = (asked: QuoteRequest) =>
  asked.by === "grams" ? capped(asked.goldTenthMilligrams, GOLD_MAX_TENTH_MILLIGRAMS) : null;
const amountOf = (asked: QuoteRequest) =>
  asked.by === "amount" ? capped(asked.amountHalalas, AMOUNT_MAX_HALALAS) : null;
