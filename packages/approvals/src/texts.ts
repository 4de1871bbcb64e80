import { canonicalJson, type CanonicalValue } from "@gold-partner/canonical";

/** The namespaces of the two signatures. A signature of one role does not hold for the other. */
export const PROPOSAL_NAMESPACE = "gold-proposal";
export const APPROVAL_NAMESPACE = "gold-approval";

export interface Proposal {
  readonly id: string;
  readonly kind: string;
  readonly proposer: string;
  /** As 2026-01-31T09:30:00.000Z, like `expiresAt`. */
  readonly proposedAt: string;
  readonly expiresAt: string;
  readonly content: CanonicalValue;
}

const lines = (...parts: readonly string[]): string => parts.map((part) => `${part}\n`).join("");

/** The text that the proposer signs and whose hash is approved. proposal_text.sql builds the same text. */
export const proposalText = ({ id, kind, proposer, proposedAt, expiresAt, content }: Proposal): string =>
  lines("gold proposal 1", id, kind, proposer, proposedAt, expiresAt, canonicalJson(content));

/** The text that the approver signs. It names the approver, so that nobody can sign for another login. */
export const approvalText = (
  { id, sha256, approver }: { readonly id: string; readonly sha256: string; readonly approver: string },
): string => lines("gold approval 1", id, sha256, approver);
