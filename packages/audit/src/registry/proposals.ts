// Recomputes each proposal's hash, and checks that each change that needs two people has its approved
// proposal.
import { Buffer } from "node:buffer";
import { type Change, CHANGES, replacedBy } from "@gold-partner/approvals";
import type { Findings } from "../findings.ts";
import type { Row } from "../snapshot.ts";
import { instantText, objectOf, sha256Hex } from "../values.ts";
import { Near, NEAR_MS } from "./expected.ts";
import type { Note } from "./notes.ts";

type Content = Readonly<Record<string, unknown>>;

/** Under two people, these actions are findings: no proposal can write their audit rows. */
const NEVER = ["partner.approve_iban", "token_key.add"];
/**
 * The kinds of proposals that can write an audit row with this action. An empty list: no proposal can. An
 * action that is not listed needs only one person.
 */
const KINDS = new Map<string, string[]>(NEVER.map((action) => [action, []]));
/** The member of the content that is the subject of the audit row. Null: no member is. */
const SUBJECTS = new Map<string, string | null>();
for (const [kind, { writes }] of Object.entries<Change>(CHANGES)) {
  for (const [action, subject] of Object.entries(writes)) {
    KINDS.set(action, [...KINDS.get(action) ?? [], kind]);
    SUBJECTS.set(action, subject);
  }
}
/**
 * The audit rows of these actions have only members that their proposal has. Other audit rows also have
 * members that the database computed.
 */
const TERMS =
  /^(partner\.(set|limit)|deployment\.(partner|limit)_defaults|market\.(set|breaker|band|exposure))$/;
/** Before the first partner exists, the migration login takes these actions alone. */
const SETUP = /^(deployment\.|operator\.|token_key\.add$)/;
/** The names of the logins that book simulated deposits and withdrawals in the sandbox. */
const SIMULATION = /^gold_simulation_/;
/** The bank reference of a simulated deposit, with the id of its request. */
const SIMULATED_REFERENCE = /^SIMULATED-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function checkProposals(
  findings: Findings,
  notes: readonly Note[],
  rows: readonly Row[],
  isSandbox: boolean,
): void {
  const proposals = new Map(rows.map((row) => [row.id as string, row]));
  checkDecisions(findings, notes, rows);
  checkOutdated(findings, notes, proposals);
  const terms = new Terms(isSandbox);
  const steps = new Map<unknown, "approved" | "used">();
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
    const kinds = KINDS.get(action);
    if (detail.proposal !== undefined) {
      // The row of the approval is the last, except that `gold` changes one login after the approval, until
      // it expires.
      const proposal = proposals.get(detail.proposal);
      const isLogin = action.startsWith("operator.");
      const isExpired = isLogin && proposal && note.at >= proposal.expires_at + NEAR_MS;
      if (isExpired || steps.get(detail.proposal) !== (isLogin ? "approved" : undefined)) {
        const expected = isLogin
          ? "one login, after the approval and before it expires"
          : "nothing after the approval";
        findings.add("change_is_approved", row, expected, `proposal ${detail.proposal}`);
      }
      if (isLogin) steps.set(detail.proposal, "used");
      if (action === "proposal.approve") steps.set(detail.proposal, "approved");
      checkApplied(findings, row, note, kinds ?? [action], proposal);
    } else if (needsTwo && kinds && !isAllowed(terms, note)) {
      findings.add("change_is_approved", row, "an approved proposal", "nothing");
    }
    terms.take(note);
  }
}

/**
 * An edited audit row may have a limit that is no number. It allows nothing, so that it becomes a finding.
 */
function isAllowed(terms: Terms, note: Note): boolean {
  try {
    return terms.allowsOne(note);
  } catch {
    return false;
  }
}

/** Compares each proposal with the audit rows of its steps. */
function checkDecisions(findings: Findings, notes: readonly Note[], rows: readonly Row[]): void {
  const steps = new Map<string, string[]>();
  const secrets = new Map<string, string>();
  const decisions = new Map<string, Near>();
  for (const { at, action, subject, login, detail } of notes) {
    if (!action.startsWith("proposal.")) continue;
    if (detail.decided_at) decisions.set(subject, new Near(at));
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
    } else if (decided_by !== null || decided_at !== null || approval) {
      findings.add("change_is_approved", `proposal ${id}`, "no decision yet", `${decided_by}, ${decidedAt}`);
    }
    const decision = expected.map((step) => step.join(" ")).join(", ");
    findings.expect("change_is_approved", `proposal ${id}`, decision, steps.get(id)?.join(", "));
    const near = decisions.get(id);
    if (near && !near.matches(decided_at)) {
      findings.add("change_is_approved", `proposal ${id}`, `decided ${near}`, decidedAt ?? "never");
    }
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
    if (state === "approved" && decided_at >= row.expires_at) {
      findings.add(
        "change_is_approved",
        `proposal ${id}`,
        `approved before ${instantText(row.expires_at)}`,
        `${decidedAt}`,
      );
    }
    steps.delete(id);
  }
  for (const [id, step] of steps) {
    findings.add("change_is_approved", `proposal ${id}`, step.join(", "), "no such proposal");
  }
}

/**
 * Checks that no approval put an older value back: between a proposal and its approval, no other proposal
 * that replaces the same was approved. Approvals of 0.5.0 and earlier do not state what they replace, and are
 * not checked.
 */
function checkOutdated(
  findings: Findings,
  notes: readonly Note[],
  proposals: ReadonlyMap<string, Row>,
): void {
  /** The audit row of the newest approval of each subject. */
  const approved = new Map<string, bigint>();
  /** The audit row in which each proposal was made. */
  const proposed = new Map<string, bigint>();
  let statesSubject = false;
  for (const { id, action, subject, detail } of notes) {
    if (action === "proposal.propose") proposed.set(subject, id);
    const row = proposals.get(subject);
    if (action !== "proposal.approve" || !row) continue;
    const replaced = replacedBy(row.kind, objectOf(row.content));
    statesSubject ||= detail.replaces !== undefined;
    if (statesSubject) {
      const name = `audit ${id} ${action}`;
      findings.expect("change_is_approved", `${name} replaces`, replaced, detail.replaces);
      const newer = replaced === undefined ? undefined : approved.get(replaced);
      if (newer !== undefined && newer > (proposed.get(subject) ?? 0n)) {
        findings.add(
          "change_is_approved",
          name,
          `no approved ${replaced} since its proposal`,
          `audit ${newer}`,
        );
      }
    }
    if (replaced !== undefined) approved.set(replaced, id);
  }
}

const hashOf = (text: string | null | undefined) => typeof text === "string" ? sha256Hex(text) : undefined;

function checkApplied(
  findings: Findings,
  row: string,
  note: Note,
  kinds: readonly string[],
  proposal: Row | undefined,
): void {
  const { action, detail } = note;
  if (proposal?.state !== "approved" || !kinds.includes(proposal.kind)) {
    const found = proposal ? `${proposal.state} ${proposal.kind}` : "no such proposal";
    // The audit row of an approval names its proposal, too.
    if (
      action === "proposal.approve" && note.subject === detail.proposal && proposal?.state === "approved"
    ) {
      return;
    }
    findings.add("change_is_approved", row, `approved ${kinds.join(" or ")}`, found);
    return;
  }
  const content: Content = objectOf(proposal.content);
  const stated = statedBy(content);
  const subject = SUBJECTS.get(action);
  const approved = action === "market.set" ? marketOf(content) : subject ? content[subject] : undefined;
  if (approved !== undefined) {
    findings.expect("change_is_approved", `${row} subject`, approved, note.subject);
  }
  // The first price also sets the breaker and the band, which its proposal does not contain.
  const isFirst = proposal.kind === "price.set" && /^market\.(breaker|band)$/.test(action);
  const isWhole = TERMS.test(action) && !isFirst;
  const { proposal: _id, before: _before, price_id: _price, swings: _swings, after, ...found } = detail;
  for (const [name, value] of Object.entries({ ...found, ...after } as Content)) {
    if (stated[name] === undefined && !isWhole) continue;
    findings.expect(
      "change_is_approved",
      `${row} ${name}`,
      spell(name, stated[name]),
      spell(name, value),
    );
  }
}

/** Returns the members that the audit rows of an approved change may have, with their values. */
function statedBy(content: Content): Content {
  const keys: readonly { thumbprint: string; kid?: string | null }[] = Array.isArray(content.keys)
    ? content.keys
    : [];
  return {
    ...content,
    ...content.limits as Content,
    ...content.breaker as Content,
    ...content.band as Content,
    ...content.hours as Content,
    ...("exposure" in content ? { grams: content.exposure } : {}),
    ...("rows" in content ? { rows_sha256: sha256Hex(canonical(content.rows)) } : {}),
    ...("approvals" in content ? { approvals_sha256: sha256Hex(canonical(content.approvals)) } : {}),
    ...("deposit" in content ? { deposit: `dep_${content.deposit}` } : {}),
    ...("withdrawal" in content ? { withdrawal: `wd_${content.withdrawal}` } : {}),
    ...(keys.length === 0 ? {} : {
      signing_keys: keys.map(({ thumbprint }) => thumbprint),
      kids: Object.fromEntries(keys.map(({ thumbprint, kid = null }) => [thumbprint, kid])),
    }),
    sha256: hashOf(content.document as string | undefined),
    secret_sha256: hashOfHex(content.hash ?? content.secret_hash),
    sealed_sha256: hashOfHex(content.sealed ?? content.webhook_sealed),
    list_sha256: hashOf(content.revocation_list as string | undefined),
  };
}

const marketOf = ({ hours }: Content) =>
  (hours as Content | undefined)?.always_open ? "always open" : "by sessions";

const hashOfHex = (hex: unknown) => typeof hex === "string" ? sha256Hex(Buffer.from(hex, "hex")) : undefined;

const spell = (name: string, value: unknown): string =>
  typeof value === "string" && /^not_(before|after)$/.test(name)
    ? `${Date.parse(value)}`
    : typeof value === "object"
    ? canonical(value)
    : `${value}`;

/** The text that an approval commits to; docs/operator/two_people.md describes it. */
const textOf = ({ deployment, id, kind, proposer, proposed_at, expires_at, content }: Row): string =>
  [
    ...(deployment === null ? ["gold proposal 1"] : ["gold proposal 2", deployment]),
    id,
    kind,
    proposer,
    instantText(proposed_at),
    instantText(expires_at),
    canonical(JSON.parse(content)),
    "",
  ].join("\n");

/**
 * RFC 8785, for whole numbers and ASCII names. Unlike canonicalJson(), it accepts every text, because an
 * edited proposal must become a finding instead of ending the audit.
 */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(",")}}`;
}

/** 0.4.0 recorded no roles, and gave each operator all of them. */
const ALL_ROLES = ["treasury", "credentials", "pricing", "keys", "audit"];

/** What decides whether a change needs a second person, as the audit trail gives it. */
class Terms {
  readonly #isSandbox: boolean;
  readonly #partners = new Map<string, Record<string, unknown>>();
  /** By partner and number. */
  readonly #endpoints = new Map<string, { readonly url: unknown; readonly types: string }>();
  readonly #roles = new Map<string, readonly string[]>();
  #exposure: unknown = null;
  #band: Record<string, unknown> = {};
  #hasBreaker = false;
  /** The deposits that simulations recorded. */
  readonly #simulated = new Set<unknown>();
  /** The deposits that were booked. One person may cancel the others. */
  readonly #booked = new Set<unknown>();

  constructor(isSandbox: boolean) {
    this.#isSandbox = isSandbox;
  }

  /** Whether one person may make this change. */
  allowsOne({ action, subject, login, detail }: Note): boolean {
    const { mode: _mode, price_id: _price, ...given } = detail as Record<string, unknown>;
    const known = this.#partners.get(subject) ?? {};
    if (SETUP.test(action) && this.#partners.size === 0) return true;
    const isSimulation = this.#isSandbox && SIMULATION.test(login);
    switch (action) {
      case "operator.set": {
        const roles = this.#roles.get(subject);
        return roles !== undefined && (given.roles as string[]).every((role) => roles.includes(role));
      }
      case "partner.limit":
        return !Object.entries(given).some(([name, value]) => isRaised(known[name] ?? null, value));
      case "partner.set": {
        const { webhook_url = known.webhook_url, name = known.name, ips, ...rates } = given;
        return ips === undefined && name === known.name && webhook_url === known.webhook_url &&
          !Object.entries(rates).some(([name, value]) => isRaised(known[name] ?? null, value));
      }
      case "endpoint.set": {
        const { url, types } = this.#endpoints.get(`${subject} ${given.endpoint}`) ?? {};
        return (given.url ?? url) === url && (given.types === undefined || sorted(given.types) === types);
      }
      case "market.set":
        return subject !== "always open" && (given.sessions as unknown[]).length === 0;
      case "market.breaker":
        return !this.#hasBreaker && given.basis_points === 500 && given.seconds === 60;
      case "market.band":
        return !Object.entries(given).some(([name, value]) => isRaised(this.#band[name] ?? null, value));
      case "market.exposure":
        return given.grams !== null && !isRaised(this.#exposure, given.grams);
      case "deposit.record":
        return isSimulation && SIMULATED_REFERENCE.test(`${given.bank_reference}`);
      case "deposit.approve":
        return isSimulation && this.#simulated.has(given.deposit);
      case "withdrawal.batch":
      case "withdrawal.submitted":
      case "withdrawal.returned":
        return isSimulation;
      case "deposit.reverse":
        return !this.#booked.has(given.deposit) || isSimulation;
      default:
        return false;
    }
  }

  take({ action, subject, login, detail }: Note): void {
    if (/^partner\.(create|set|limit)$/.test(action)) {
      this.#partners.set(subject, { ...this.#partners.get(subject), ...detail });
      if (detail.webhook_url) this.#setEndpoint(subject, { endpoint: 1, url: detail.webhook_url });
    } else if (/^endpoint\.(add|set)$/.test(action)) {
      this.#setEndpoint(subject, detail);
    } else if (
      action === "deposit.record" && SIMULATION.test(login) && SIMULATED_REFERENCE.test(detail.bank_reference)
    ) {
      this.#simulated.add(detail.deposit);
    } else if (action === "deposit.approve") this.#booked.add(detail.deposit);
    else if (action === "market.band") this.#band = detail;
    else if (action === "market.breaker") this.#hasBreaker = true;
    else if (action === "market.exposure") this.#exposure = detail.grams;
    else if (/^operator\.(add|set)$/.test(action)) this.#roles.set(subject, detail.roles ?? ALL_ROLES);
  }

  #setEndpoint(subject: string, { endpoint, url, types }: Note["detail"]): void {
    const known = this.#endpoints.get(`${subject} ${endpoint}`);
    this.#endpoints.set(`${subject} ${endpoint}`, {
      url: url ?? known?.url,
      types: types === undefined ? known?.types ?? "" : sorted(types),
    });
    if (endpoint === 1 && url) {
      this.#partners.set(subject, { ...this.#partners.get(subject), webhook_url: url });
    }
  }
}

/** An empty list of types means all of them, as no list does. */
const sorted = (types: unknown): string => Array.isArray(types) ? types.toSorted().join() : "";

/** Null is unlimited. */
const isRaised = (before: unknown, after: unknown): boolean =>
  before !== null && (after === null || BigInt(after as string) > BigInt(before as string));
