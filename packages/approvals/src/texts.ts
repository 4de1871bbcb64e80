import { canonicalJson, type CanonicalValue } from "@gold-partner/canonical";

/** The namespaces of the two signatures. A signature of one role does not hold for the other. */
export const PROPOSAL_NAMESPACE = "gold-proposal";
export const APPROVAL_NAMESPACE = "gold-approval";

export interface Proposal {
  /** The id of the deployment, or null for a text of version 1, which names none. */
  readonly deployment: string | null;
  readonly id: string;
  readonly kind: string;
  readonly proposer: string;
  /** As 2026-01-31T09:30:00.000Z, like `expiresAt`. */
  readonly proposedAt: string;
  readonly expiresAt: string;
  readonly content: CanonicalValue;
}

interface Approval {
  readonly deployment: string | null;
  readonly id: string;
  readonly sha256: string;
  readonly approver: string;
}

const lines = (...parts: readonly string[]): string => parts.map((part) => `${part}\n`).join("");

/** Version 2 names the deployment in its second line. */
const first = (name: string, deployment: string | null): readonly string[] =>
  deployment === null ? [`${name} 1`] : [`${name} 2`, deployment];

/** The text that the proposer signs and whose hash is approved. proposal_text.sql builds the same text. */
export const proposalText = (
  { deployment, id, kind, proposer, proposedAt, expiresAt, content }: Proposal,
): string =>
  lines(
    ...first("gold proposal", deployment),
    ...[id, kind, proposer, proposedAt, expiresAt, canonicalJson(content)],
  );

/** The text that the approver signs. It names the approver, so that nobody can sign for another login. */
export const approvalText = ({ deployment, id, sha256, approver }: Approval): string =>
  lines(...first("gold approval", deployment), id, sha256, approver);
