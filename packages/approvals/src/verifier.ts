import { parsePublicKey, parseSshsig, SshsigError, verifySshsig } from "./sshsig/mod.ts";
import type { OperatorKey, OperatorKeys } from "./operator_keys.ts";
import {
  APPROVAL_NAMESPACE,
  approvalText,
  type Proposal,
  PROPOSAL_NAMESPACE,
  proposalText,
} from "./texts.ts";

/** An approved proposal as the database states it. Do not trust any member before verify() accepts it. */
export interface StoredApproval extends Proposal {
  readonly approver: string;
  readonly approvedAt: string;
  readonly proposerSignature: string | null;
  readonly approverSignature: string | null;
}

/** Why an approval is invalid. */
class Fault extends Error {}

/**
 * Verifies approvals from the deployment and the first keys of a trusted file. A valid approval of
 * `operator_key.add` adds its key. So pass the approvals in the order in which they were made.
 */
export class ApprovalVerifier {
  readonly #trusted: OperatorKeys;
  readonly #keys: OperatorKey[];
  readonly #ends: ReadonlyMap<string, number>;
  readonly #listed: ReadonlyMap<string, string>;

  /**
   * `ends` has the time at which each ended key ended, by fingerprint, in Unix milliseconds. `listed` has the
   * hash of each text of version 1 that counts, by the id of its proposal; see takeList().
   */
  constructor(
    trusted: OperatorKeys,
    ends: ReadonlyMap<string, number>,
    listed: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#trusted = trusted;
    this.#keys = [...trusted.keys];
    this.#ends = ends;
    this.#listed = listed;
  }

  /** Returns why the approval is invalid, or undefined if it is valid. */
  async verify(approval: StoredApproval): Promise<string | undefined> {
    return await faultOf(this.#verify(approval));
  }

  /** Returns why the proposer's signature is invalid, or undefined if it is valid. */
  async verifyProposal(proposal: Proposal, signature: string): Promise<string | undefined> {
    const { proposer, proposedAt } = proposal;
    const verify = async () => {
      // Nobody can approve a proposal of version 1 any more.
      if (proposal.deployment !== null) this.#requireOwn(proposal);
      const text = proposalText(proposal);
      await this.#verifySignature(signature, proposer, Date.parse(proposedAt), text, PROPOSAL_NAMESPACE);
    };
    return await faultOf(verify());
  }

  /**
   * Throws unless the text names this deployment. A text of an earlier id counts if it was proposed before
   * the id ended: two people signed this time. The audit compares the order of the audit trail, too.
   */
  #requireOwn({ deployment, proposedAt }: Proposal): void {
    const { deployment: { id }, earlier } = this.#trusted;
    if (deployment === id) return;
    const ended = earlier.find((one) => one.id === deployment);
    if (ended && Date.parse(proposedAt) <= ended.endedMs) return;
    throw new Fault(
      ended
        ? `The proposal is later than the end of the deployment ${deployment}.`
        : `The text names the deployment ${deployment}; it must name ${id}.`,
    );
  }

  async #verify(approval: StoredApproval): Promise<void> {
    const { deployment, id, kind, proposer, approver, proposedAt, expiresAt, approvedAt, content } = approval;
    if (deployment !== null) this.#requireOwn(approval);
    // A key belongs to one login, so different logins have different keys.
    if (proposer === approver) throw new Fault("The proposer and the approver have the same login.");
    const atMs = Date.parse(approvedAt);
    if (!(Date.parse(proposedAt) <= atMs && atMs < Date.parse(expiresAt))) {
      throw new Fault("The approval is not between the proposal and its end.");
    }
    const text = proposalText(approval);
    const sha256 = await sha256Hex(text);
    if (deployment === null && this.#listed.get(id) !== sha256) {
      throw new Fault("The text names no deployment, and two people have not signed a list with its hash.");
    }
    await this.#verifySignature(
      approval.proposerSignature,
      proposer,
      atMs,
      text,
      PROPOSAL_NAMESPACE,
    );
    const approvedText = approvalText({ deployment, id, sha256, approver });
    await this.#verifySignature(
      approval.approverSignature,
      approver,
      atMs,
      approvedText,
      APPROVAL_NAMESPACE,
    );
    if (kind === "operator_key.add") await this.#admit(content as Record<string, unknown>, atMs);
  }

  async #verifySignature(
    signature: string | null,
    login: string,
    atMs: number,
    message: string,
    namespace: string,
  ): Promise<void> {
    if (signature === null) throw new Fault(`${login} has not signed.`);
    const { publicKey: { fingerprint } } = await parseSshsig(signature);
    const known = this.#keys.find(({ login: of, key, fromMs, untilMs }) =>
      of === login && key.fingerprint === fingerprint && fromMs <= atMs &&
      atMs < untilMs && atMs <= (this.#ends.get(fingerprint) ?? Infinity)
    );
    if (!known) throw new Fault(`${fingerprint} was not a key of ${login} at that time.`);
    await verifySshsig(signature, { key: known.key, message, namespace });
  }

  async #admit({ login, public_key: text }: Record<string, unknown>, fromMs: number): Promise<void> {
    const key = await parsePublicKey(`${text}`);
    // People may have added this key to the file.
    if (this.#trusted.keys.some((one) => one.login === login && one.key.text === key.text)) return;
    if (this.#keys.some((one) => one.key.fingerprint === key.fingerprint)) {
      throw new Fault(`The key ${key.fingerprint} belongs to a login already.`);
    }
    this.#keys.push({ login: `${login}`, key, fromMs, untilMs: Infinity });
  }
}

async function faultOf(verification: Promise<void>): Promise<string | undefined> {
  try {
    await verification;
    return undefined;
  } catch (error) {
    if (error instanceof Fault || error instanceof SshsigError) return error.message;
    throw error;
  }
}

/** The hash of the text that the proposer signs. */
export const proposalSha256 = (proposal: Proposal): Promise<string> => sha256Hex(proposalText(proposal));

async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
