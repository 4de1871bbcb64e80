import { type ChangeKind, OPEN_CHANGES_MAX } from "@gold-partner/protocol";
import type { SignedWrite } from "../../admission/admitted_write.ts";
import { byteaLiteral } from "../../database/array_literal.ts";
import type { Query } from "../../database/query.ts";
import type { Send } from "../batcher.ts";
import type { Outcome } from "../outcome.ts";

export interface ChangeItem extends SignedWrite {
  readonly id: string;
  readonly kind: ChangeKind;
  /** The body of the request, in the form of RFC 8785. */
  readonly content: string;
  /** The members that the answering change must have, in the form of RFC 8785. */
  readonly wanted: string;
}

/** Requests for changes are rare: each is sent alone and always waits for the account's lock. */
export function sendChange(sql: Query): Send<ChangeItem> {
  return async ([item], { settle }) => {
    const {
      client,
      admissionVersion,
      nonce,
      key,
      fingerprint,
      id,
      kind,
      content,
      wanted,
      requestId,
      signedRequest,
      thumbprint,
    } = item!;
    return await sql<Outcome[]>`
      select outcome, status, body from gold.request_change(${settle}, ${client}::int,
        ${admissionVersion}::text::bigint, ${nonce}::uuid, ${key}::text, ${`\\x${fingerprint}`}::text::bytea,
        ${id}::uuid, ${kind}::text, ${content}::text,
        ${OPEN_CHANGES_MAX}::int, ${requestId}::uuid, ${
      byteaLiteral(signedRequest)
    }::text::bytea, ${`\\x${thumbprint}`}::text::bytea, ${wanted}::text)`;
  };
}
