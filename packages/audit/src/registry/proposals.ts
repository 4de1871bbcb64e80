// Recomputes each proposal's hash, and checks that each change that needs two people has its approved proposal.
import { Buffer } from "node:buffer";
import type { Findings } from "../findings.ts";
import type { Row } from "../snapshot.ts";
import { instantText, sha256Hex } from "../values.ts";
import type { Note } from "./notes.ts";

type Content = Readonly<Record<string, unknown>>;

/** The kinds of proposals that can write an audit row with this action. Other actions need one person only. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  "partner.create": ["partner.create"],
  "partner.set": ["partner.set"],
  "partner.limit": ["partner.create", "partner.set"],
  // A single operator's deployment changes an IBAN without a proposal.
  "partner.approve_iban": [],
  "partner.iban": ["partner.iban"],
  "partner.resume": ["partner.resume"],
  "certificate.issue": ["certificate.issue"],
  "signing_key.add": ["signing_key.add"],
  "client_secret.rotate": ["client_secret.rotate"],
  "webhook_secret.rotate": ["webhook_secret.rotate"],
  "ca.init": ["authority.add"],
  "ca.rotate": ["authority.add"],
  "token_key.add": [],
  "token_key.rotate": ["token_key.rotate"],
  "sealing_key.rotate": ["sealing_key.rotate"],
  "vault.add": ["vault.add"],
  "vault.remove": ["vault.remove"],
  "price.set": ["price.set"],
  "market.set": ["price.set"],
  "market.breaker": ["market.set", "price.set"],
  "market.band": ["market.set", "price.set"],
  "market.exposure": ["market.set"],
  "market.open": ["market.open"],
  "withdrawal.returned": ["withdrawal.return"],
  "deployment.settle": ["deployment.settle"],
  "deployment.payout": ["deployment.payout"],
  "deployment.partner_defaults": ["deployment.defaults"],
  "deployment.limit_defaults": ["deployment.defaults"],
  "recovery.accept": ["recovery.accept"],
  "operator.add": ["operator.add"],
  "operator.remove": ["operator.remove"],
  "operator_key.add": ["operator_key.add"],
  "registry.adopt": ["registry.adopt"],
};
/** Before the first partner, the migration login sets the deployment up alone. */
const SETUP = /^(deployment\.|operator\.|token_key\.add$)/;
/** The sandbox's logins that take a simulated withdrawal's steps. */
const SIMULATION = /^gold_simulation_/;

export function checkProposals(findings: Findings, notes: readonly Note[], rows: readonly Row[]): void {
  const proposals = new Map(rows.map((row) => [row.id as string, row]));
  checkDecisions(findings, notes, rows);
  const terms = new Terms();
  let needsTwo = false;
  let statesMode = false;
  for (const note of notes) {
    const { action, detail } = note;
    const row = `audit ${note.id} ${action}`;
    if (detail.mode === undefined && detail.proposal === undefined) {
      if (statesMode) findings.add("change_is_approved", row, "the mode or a proposal", "neither");
    } else statesMode = true;
    if (needsTwo && detail.mode === "single_operator") {
      findings.add("change_is_approved", row, "two people, as before", "single_operator");
    }
    needsTwo ||= detail.mode === "two_people" || action === "deployment.two_people";
    const kinds = Object.hasOwn(KINDS, action) ? KINDS[action] : undefined;
    if (detail.proposal !== undefined) {
      checkApplied(findings, row, note, kinds ?? [note.action], proposals.get(detail.proposal));
    } else if (needsTwo && kinds && !terms.allowsOne(note)) {
      findings.add("change_is_approved", row, "an approved proposal", "nothing");
    }
    terms.take(note);
  }
}

/** Compares each proposal with the audit rows of its steps. */
function checkDecisions(findings: Findings, notes: readonly Note[], rows: readonly Row[]): void {
  const steps = new Map<string, string[]>();
  const secrets = new Map<string, string>();
  for (const { action, subject, login, detail } of notes) {
    if (!action.startsWith("proposal.")) continue;
    if (detail.secrets_sha256) secrets.set(subject, detail.secrets_sha256);
    if (action === "proposal.reject" || action === "proposal.take_secrets") secrets.delete(subject);
    if (action === "proposal.take_secrets") continue;
    const { kind, sha256, proposer, decided_at, sealing_key, signature_sha256 } = detail;
    const step = [action, login, kind, sha256, proposer, decided_at, sealing_key, signature_sha256].join(" ");
    steps.set(subject, [...steps.get(subject) ?? [], step]);
  }
  for (const row of rows) {
    const { id, kind, proposer, state, decided_by, decided_at, sealing_key } = row;
    const sha256 = sha256Hex(textOf(row));
    const decidedAt = decided_at === null ? undefined : instantText(decided_at);
    const [signed, approval] = [row.proposer_signature, row.approver_signature].map(hashOf);
    const none = undefined;
    const expected = [["proposal.propose", proposer, kind, sha256, none, none, sealing_key, none]];
    if (signed) expected.push(["proposal.sign", proposer, none, none, none, none, none, signed]);
    if (state === "approved") {
      expected.push(["proposal.approve", decided_by, kind, sha256, proposer, decidedAt, none, approval]);
    } else if (state === "rejected") {
      expected.push(["proposal.reject", decided_by, kind, none, proposer, decidedAt, none, approval]);
    }
    const decision = expected.map((step) => step.join(" ")).join(", ");
    findings.expect("change_is_approved", `proposal ${id}`, decision, steps.get(id)?.join(", "));
    const stored = row.secrets === null ? undefined : sha256Hex(Buffer.from(row.secrets, "hex"));
    findings.expect("change_is_approved", `proposal ${id} secrets`, secrets.get(id), stored);
    if (state === "applying" || state === "approved" && decided_by === proposer) {
      findings.add(
        "change_is_approved",
        `proposal ${id}`,
        "two people",
        `${state}, ${proposer}, ${decided_by}`,
      );
    }
    steps.delete(id);
  }
  for (const [id, step] of steps) {
    findings.add("change_is_approved", `proposal ${id}`, step.join(", "), "no such proposal");
  }
}

const hashOf = (signature: string | null) => signature === null ? undefined : sha256Hex(signature);

function checkApplied(
  findings: Findings,
  row: string,
  { subject, detail }: Note,
  kinds: readonly string[],
  proposal: Row | undefined,
): void {
  if (proposal?.state !== "approved" || !kinds.includes(proposal.kind)) {
    const found = proposal ? `${proposal.state} ${proposal.kind}` : "no such proposal";
    // An approval's own audit row names the proposal, too.
    if (kinds[0] === "proposal.approve" && subject === detail.proposal && proposal?.state === "approved") {
      return;
    }
    findings.add("change_is_approved", row, `approved ${kinds.join(" or ")}`, found);
    return;
  }
  const content = JSON.parse(proposal.content) as Content;
  const stated: Content = {
    ...content,
    ...content.limits as Content,
    ...content.breaker as Content,
    ...content.band as Content,
    ...content.hours as Content,
    ...("exposure" in content ? { grams: content.exposure } : {}),
    ...("rows" in content ? { rows_sha256: sha256Hex(canonical(content.rows)) } : {}),
  };
  if (content.client_id !== undefined) {
    findings.expect("change_is_approved", `${row} partner`, content.client_id, subject);
  }
  if (content.name !== undefined && proposal.kind.startsWith("operator.")) {
    findings.expect("change_is_approved", `${row} login`, content.name, subject);
  }
  for (const [name, found] of Object.entries({ ...detail, ...detail.after } as Content)) {
    if (!(name in stated)) continue;
    findings.expect("change_is_approved", `${row} ${name}`, spell(name, stated[name]), spell(name, found));
  }
}

const spell = (name: string, value: unknown): string =>
  typeof value === "string" && /^not_(before|after)$/.test(name)
    ? `${Date.parse(value)}`
    : typeof value === "object"
    ? canonical(value)
    : `${value}`;

/** The text that an approval commits to; docs/operator.md describes it. */
const textOf = ({ id, kind, proposer, proposed_at, expires_at, content }: Row): string =>
  [
    "gold proposal 1",
    id,
    kind,
    proposer,
    instantText(proposed_at),
    instantText(expires_at),
    canonical(JSON.parse(content)),
    "",
  ].join("\n");

/**
 * RFC 8785, for whole numbers and ASCII names. Unlike canonicalJson(), it accepts every text, because an edited
 * proposal must become a finding instead of ending the audit.
 */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(",")}}`;
}

/** The terms that one person may lower but not raise, as the audit trail gives them. */
class Terms {
  readonly #partners = new Map<string, Record<string, unknown>>();
  readonly #paid = new Set<string>();
  #exposure: unknown = null;
  #band: Record<string, unknown> = {};

  /** Whether one person may make this change. */
  allowsOne({ action, subject, login, detail }: Note): boolean {
    const { mode: _mode, ...given } = detail as Record<string, unknown>;
    const known = this.#partners.get(subject) ?? {};
    if (SETUP.test(action)) return this.#partners.size === 0;
    switch (action) {
      case "partner.limit":
        return !Object.entries(given).some(([name, value]) => isRaised(known[name] ?? null, value));
      case "partner.set": {
        const { webhook_url = known.webhook_url, name = known.name, ips, ...rates } = given;
        return ips === undefined && name === known.name && webhook_url === known.webhook_url &&
          !Object.entries(rates).some(([name, value]) => isRaised(known[name] ?? null, value));
      }
      case "market.set":
        return subject !== "always open" && (given.sessions as unknown[]).length === 0;
      case "market.band":
        return !Object.entries(given).some(([name, value]) => isRaised(this.#band[name] ?? null, value));
      case "market.exposure":
        return given.grams !== null && !isRaised(this.#exposure, given.grams);
      case "withdrawal.returned":
        return !this.#paid.has(`${given.withdrawal}`) || SIMULATION.test(login);
      default:
        return false;
    }
  }

  take({ action, subject, detail }: Note): void {
    if (/^partner\.(create|set|limit)$/.test(action)) {
      this.#partners.set(subject, { ...this.#partners.get(subject), ...detail });
    } else if (action === "market.band") this.#band = detail;
    else if (action === "market.exposure") this.#exposure = detail.grams;
    else if (action === "withdrawal.paid") this.#paid.add(detail.withdrawal);
  }
}

/** Null is unlimited. */
const isRaised = (before: unknown, after: unknown): boolean =>
  before !== null && (after === null || BigInt(after as string) > BigInt(before as string));
