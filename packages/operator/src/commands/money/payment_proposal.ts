import type { StoredApproval } from "@gold-partner/approvals";
import { dayOf } from "@gold-partner/audit";
import type { Row } from "postgres";
import type { Invocation } from "../../command.ts";
import type { Change } from "../changes/proposing.ts";

interface PreparedBatch {
  readonly id: string;
  /** As the document states it. */
  readonly preparedAt: string;
  /** The hash of the document. */
  readonly sha256: string;
  /** Rows of withdrawal_overview. */
  readonly payments: readonly Row[];
}

/** Two people sign the hash of the document and, so that they can compare it, what the document pays. */
export function describePayment({ id, preparedAt, sha256, payments }: PreparedBatch, file: string): Change {
  const ordered = [...payments].sort((one, other) => one.id < other.id ? -1 : 1);
  return {
    kind: "payment.submit",
    content: {
      batch: id,
      prepared_at: preparedAt,
      document_sha256: sha256,
      payments: ordered.map((one) => ({
        withdrawal: one.id,
        client_id: one.public_id,
        amount: one.amount,
        iban: one.iban,
      })),
    },
    // A second before midnight in Riyadh, because the document states the day on which the bank pays.
    endsAt: `${dayOf(Date.parse(preparedAt))}T20:59:59Z`,
    again: `gold withdrawal submit --out ${file} --batch ${id}`,
  };
}

/**
 * The approval with which two people submitted the batch, if there is one. Its signatures are not verified
 * here.
 */
export async function readPaymentApprovals(
  query: Invocation["query"],
  batch: string,
): Promise<readonly StoredApproval[]> {
  const rows = await query`
    select * from gold.proposal_overview
    where kind = 'payment.submit' and status = 'approved' and content ->> 'batch' = ${batch}`;
  return rows.map((row) => ({
    deployment: row.deployment,
    id: row.id,
    kind: row.kind,
    proposer: row.proposer,
    proposedAt: row.proposed_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    content: row.content,
    approver: row.decided_by,
    approvedAt: row.decided_at.toISOString(),
    proposerSignature: row.proposer_signature,
    approverSignature: row.approver_signature,
  }));
}
