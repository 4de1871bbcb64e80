// Verifies the signatures of every approval, from first keys that are stored outside the database.
import { ApprovalVerifier, type OperatorKeys, type StoredApproval, takeList } from "@gold-partner/approvals";
import type { Findings } from "../findings.ts";
import type { Connection, Row } from "../snapshot.ts";
import { selectFrom } from "../tables.ts";
import { instantText } from "../values.ts";
import type { Note } from "./notes.ts";

/**
 * `trusted` is the file of `--operator-keys`. In a sandbox, approvals from before the first registered key
 * have no signatures; production approves nothing before. Before and after mean the order of the audit trail,
 * because a superuser can write any time into an approval. So a key that ended holds for no later row, either.
 * Returns the number of approvals with valid signatures.
 */
export async function checkApprovals(
  findings: Findings,
  notes: readonly Note[],
  proposals: readonly Row[],
  keys: readonly Row[],
  trusted: OperatorKeys,
  environment: "sandbox" | "production",
): Promise<number> {
  checkRoots(findings, keys, trusted);
  let demanded = notes;
  if (environment === "sandbox") {
    const first = notes.findIndex(({ action }) => action === "operator_key.root");
    demanded = first === -1 ? [] : notes.slice(first);
  }
  const approved = new Map(
    proposals.filter(({ state }) => state === "approved").map((row) => [row.id, row]),
  );
  /** Verifies the approvals in the order of the trail. `listed` are the hashes of version 1 that count. */
  async function verify(
    listed: ReadonlyMap<string, string>,
    onVerified: (row: Row, approval: StoredApproval | undefined, fault: string | undefined) => void,
  ): Promise<void> {
    const ends = new Map(
      keys.flatMap((row) => row.ended_at === null ? [] : [[row.fingerprint, row.ended_at]]),
    );
    const verifier = new ApprovalVerifier(trusted, ends, listed);
    for (const { id, action, subject, detail } of demanded) {
      if (action === "operator_key.end") ends.set(detail.fingerprint, -Infinity);
      // checkProposals() reports an approval without its row.
      const row = action === "proposal.approve" ? approved.get(subject) : undefined;
      if (!row) continue;
      const approval = approvalOf(row);
      const fault = approval
        ? await verifier.verify(approval) ?? lateFault(row.deployment, id, trusted)
        : "The proposal cannot be read.";
      onVerified(row, approval, fault);
    }
  }
  const listed = new Map<string, string>();
  if (proposals.some(({ kind }) => kind === "approval.adopt")) {
    await verify(new Map(), (_, approval, fault) => {
      if (fault === undefined) { for (const [id, sha256] of takeList(approval!)) listed.set(id, sha256); }
    });
  }
  const addedKeys = new Map<string, string>();
  let held = 0;
  await verify(listed, (row, approval, fault) => {
    if (fault !== undefined) {
      findings.add("approval_is_signed", `proposal ${row.id}`, "the signatures of two people", fault);
      return;
    }
    held++;
    const { login, public_key } = approval!.content as Record<string, string>;
    if (row.kind === "operator_key.add") addedKeys.set(row.id, `${login} ${public_key}`);
  });
  for (const { fingerprint, login, public_key, admitted_by } of keys) {
    if (admitted_by === "root") continue;
    findings.expect(
      "approval_is_signed",
      `operator_key ${fingerprint}`,
      addedKeys.get(admitted_by),
      `${login} ${public_key}`,
    );
  }
  return held;
}

/** An earlier id of the deployment counts up to the audit row at which it ended. */
function lateFault(deployment: string | null, audit: bigint, { earlier }: OperatorKeys): string | undefined {
  const ended = earlier.find(({ id }) => id === deployment);
  return ended && audit > BigInt(ended.audit.id)
    ? `The approval is later than the end of the deployment ${deployment}.`
    : undefined;
}

/** Compares the database's own id, and the ends of its earlier ids, with the file of `--operator-keys`. */
export async function checkDeployment(
  sql: Connection,
  findings: Findings,
  deployment: Row | undefined,
  trusted: OperatorKeys,
): Promise<void> {
  findings.expect("approval_is_signed", "deployment id", trusted.deployment.id, deployment?.id);
  for (const { id, audit } of trusted.earlier) {
    const [link] = await sql.unsafe(selectFrom("audit_link", `where id = ${audit.id}`));
    findings.expect("head_is_kept", `audit ${audit.id}, the end of ${id}`, audit.head, link?.hash);
  }
}

/** Compares the first keys with the file. */
function checkRoots(findings: Findings, keys: readonly Row[], trusted: OperatorKeys): void {
  const outside = new Map(trusted.keys.map(({ login, key }) => [key.fingerprint, `${login} ${key.text}`]));
  const registered = keys.filter(({ admitted_by }) => admitted_by === "root");
  if (registered.length === 0) {
    findings.add("approval_is_signed", "operator_key", "the first keys of --operator-keys", "no first key");
  }
  for (const { fingerprint, login, public_key } of registered) {
    findings.expect(
      "approval_is_signed",
      `operator_key ${fingerprint}`,
      outside.get(fingerprint) ?? "no first key, according to --operator-keys",
      `${login} ${public_key}`,
    );
  }
}

/** Undefined if the row was edited so that it has no valid content. */
function approvalOf(row: Row): StoredApproval | undefined {
  try {
    return {
      deployment: row.deployment,
      id: row.id,
      kind: row.kind,
      proposer: row.proposer,
      proposedAt: instantText(row.proposed_at),
      expiresAt: instantText(row.expires_at),
      content: JSON.parse(row.content),
      approver: row.decided_by,
      approvedAt: instantText(row.decided_at),
      proposerSignature: row.proposer_signature,
      approverSignature: row.approver_signature,
    };
  } catch {
    return undefined;
  }
}
