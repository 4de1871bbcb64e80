import {
  type ApprovalDocument,
  followKeys,
  parsePublicKey,
  parseSshsig,
  type Proposal,
  PROPOSAL_NAMESPACE,
  proposalText,
  SshsigError,
  verifySshsig,
} from "@gold-partner/approvals";
import type { Invocation } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { readOperatorKeys } from "../../operator_keys_file.ts";
import { openSigning, type Signing } from "../../signing.ts";

/**
 * Verifies the proposer's signature, and returns the login and the key. Throws if the signature is invalid.
 * If the operators' first keys are given, they must lead to the key, because somebody could have edited the
 * keys in the database.
 */
export async function verifyProposer(
  invocation: Invocation,
  proposal: Proposal,
  shownText: string,
  signature: string,
): Promise<string> {
  const { query } = invocation;
  const { proposer } = proposal;
  if (proposalText(proposal) !== shownText) throw invalidSignature("Its text differs from its row.");
  try {
    const { publicKey: { fingerprint } } = await parseSshsig(signature);
    const [row] = await query`
      select public_key, ended_at from gold.operator_key_overview
      where login = ${proposer} and fingerprint = ${fingerprint}`;
    if (!row) throw invalidSignature(`${fingerprint} is not an operator key of ${proposer}.`);
    const key = await parsePublicKey(row.public_key);
    await verifySshsig(signature, { key, message: shownText, namespace: PROPOSAL_NAMESPACE });
    const roots = await readOperatorKeys(invocation);
    if (roots) {
      const [read] = await query`select gold.read_key_approvals() as approvals`;
      const verifier = await followKeys(roots, read!.approvals as ApprovalDocument);
      const fault = await verifier.verifyProposal(proposal, signature);
      if (fault !== undefined) throw invalidSignature(fault);
    }
    return `${proposer} ${fingerprint}${row.ended_at === null ? "" : " (ended)"}`;
  } catch (error) {
    if (!(error instanceof SshsigError)) throw error;
    throw invalidSignature(error.message);
  }
}

/**
 * Finds the approver's key. Returns undefined if approvals need no signatures here. Refuses an unsigned
 * proposal before it asks.
 */
export async function openApproval(
  invocation: Invocation,
  signedBy: string | null,
): Promise<Signing | undefined> {
  const signing = await openSigning(invocation);
  if (!signing || signedBy !== null) return signing;
  throw new Failure(
    EXIT.refused,
    "refused",
    "The person who proposed this change has not signed it, so nobody can approve it. Ask this person to run `gold proposal sign` with its id.",
  );
}

const invalidSignature = (why: string) =>
  new Failure(
    EXIT.defect,
    "signature_invalid",
    `The signature of the proposal is invalid: ${why} Do not approve it. Report this, because the database may have been edited.`,
  );
