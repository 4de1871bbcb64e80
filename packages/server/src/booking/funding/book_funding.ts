import { AMOUNT_MAX_HALALAS } from "@gold-partner/protocol";
import type { Query } from "../../database/query.ts";
import type { CertifiedWrite } from "../../admission/admitted_write.ts";
import type { Send } from "../batcher.ts";
import type { Outcome } from "../outcome.ts";
import { capped } from "../capped.ts";

export interface FundingItem extends CertifiedWrite {
  readonly amountHalalas: bigint;
  readonly id: string;
}

/** Fundings are rare: each is sent alone and always waits for the account's lock. */
export function sendFunding(sql: Query): Send<FundingItem> {
  return async ([item], { settle }) => {
    const { client, admissionVersion, key, fingerprint, amountHalalas, id, requestId } = item!;
    const amount = capped(amountHalalas, AMOUNT_MAX_HALALAS);
    return await sql<Outcome[]>`
      select outcome, status, body from gold.book_funding(${settle}, ${client}::int, ${admissionVersion}::text::bigint, ${key}::text,
        ${`\\x${fingerprint}`}::text::bytea, ${`${amount}`}::text::bigint, ${`${AMOUNT_MAX_HALALAS}`}::text::bigint, ${id}::uuid, ${requestId}::uuid)`;
  };
}
