import { AMOUNT_MAX_HALALAS, type WithdrawalRequest } from "@gold-partner/protocol";
import { byteaLiteral } from "../../database/array_literal.ts";
import type { Query } from "../../database/query.ts";
import type { SignedWrite } from "../../admission/admitted_write.ts";
import type { Send } from "../batcher.ts";
import type { Outcome } from "../outcome.ts";
import { capped } from "../capped.ts";

export interface WithdrawalItem extends SignedWrite {
  readonly asked: WithdrawalRequest;
  readonly id: string;
}

/** Withdrawals are rare: each is sent alone and always waits for the account's lock. */
export function sendWithdrawal(sql: Query): Send<WithdrawalItem> {
  return async ([item], { settle }) => {
    const {
      client,
      admissionVersion,
      nonce,
      key,
      fingerprint,
      asked,
      id,
      requestId,
      signedRequest,
      thumbprint,
    } = item!;
    const amount = capped(asked.amountHalalas, AMOUNT_MAX_HALALAS);
    return await sql<Outcome[]>`
      select outcome, status, body from gold.book_withdrawal(${settle}, ${client}::int, ${admissionVersion}::text::bigint, ${nonce}::uuid,
        ${key}::text, ${`\\x${fingerprint}`}::text::bytea, ${`${amount}`}::text::bigint, ${`${AMOUNT_MAX_HALALAS}`}::text::bigint,
        ${asked.reference ?? null}::text, ${id}::uuid, ${requestId}::uuid, ${
      asked.account_label ?? null
    }::text,
        ${byteaLiteral(signedRequest)}::text::bytea, ${`\\x${thumbprint}`}::text::bytea)`;
  };
}

export interface CancellationItem extends SignedWrite {
  /** Null for an id that no withdrawal can have. */
  readonly id: string | null;
}

export function sendCancellation(sql: Query): Send<CancellationItem> {
  return async ([item], { settle }) => {
    const { client, admissionVersion, nonce, key, fingerprint, id, requestId, signedRequest, thumbprint } =
      item!;
    return await sql<Outcome[]>`
      select outcome, status, body from gold.cancel_withdrawal(${settle}, ${client}::int, ${admissionVersion}::text::bigint, ${nonce}::uuid,
        ${key}::text, ${`\\x${fingerprint}`}::text::bytea, ${id}::uuid, ${requestId}::uuid,
        ${byteaLiteral(signedRequest)}::text::bytea, ${`\\x${thumbprint}`}::text::bytea)`;
  };
}
