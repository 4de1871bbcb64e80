import { createHash } from "node:crypto";
import { APPROVAL_NAMESPACE, approvalText } from "@gold-partner/approvals";
import type { CanonicalValue } from "@gold-partner/canonical";
import type { Command, Invocation, Result } from "../../command.ts";
import { EXIT, Failure, usage } from "../../failure.ts";
import { OPERATOR_KEYS_OPTION } from "../../operator_keys_file.ts";
import { instantOf } from "../../output.ts";
import { oneOf, optional, repeated, uuidOf } from "../../values.ts";
import { requireRequestedKey } from "./answered_request.ts";
import { requireSameSecrets } from "../credentials/key.ts";
import type { PriceChange } from "../prices/price_change.ts";
import { describeChange } from "./proposal_view.ts";
import { summaryOf } from "./summary.ts";
import { requireSealingKeys, signProposal, takeSecrets } from "./proposing.ts";
import { adopt } from "./adopting.ts";
import { openApproval, verifyProposer } from "./proposal_signature.ts";
import { askForValues, findNewer, untypedWarnings, type Warning } from "./warnings.ts";
import { openSigning } from "../../signing.ts";

const STATUSES = ["pending", "expired", "approved", "rejected"] as const;
const SHA256_FORM = /^[0-9a-f]{64}$/;

const list: Command = {
  words: "proposal list",
  usage: `proposal list [--status ${STATUSES.join("|")}]`,
  does: "lists every proposal, with the logins that proposed and decided it",
  options: { status: { type: "string" } },
  async run({ values, query }) {
    const given = optional(values, "status");
    const status = given === undefined ? null : oneOf(given, "status", STATUSES);
    const rows = await query`
      select id, kind, status, proposer, proposed_at, expires_at, decided_by, decided_at from gold.proposal_overview
      where status = coalesce(${status}::text, status) order by id`;
    return {
      items: rows.map((row) => ({
        proposal_id: row.id,
        kind: row.kind,
        status: row.status,
        proposer: row.proposer,
        proposed_at: row.proposed_at.toISOString(),
        expires_at: row.expires_at.toISOString(),
        decided_by: row.decided_by,
        decided_at: instantOf(row.decided_at),
      })),
    };
  },
};

const show: Command = {
  words: "proposal show",
  usage: "proposal show PROPOSAL [--secrets] [--operator-keys FILE]",
  does:
    "shows what a proposal changes, its consequences, its canonical text and the hash of this text; --secrets shows its secrets instead, once, to the person who proposed it, in the 7 days after the approval",
  options: { secrets: { type: "boolean" }, ...OPERATOR_KEYS_OPTION },
  takes: ["PROPOSAL"],
  async run(invocation) {
    if (!invocation.values.secrets) return (await readProposal(invocation)).result;
    const id = idOf(invocation);
    const secrets = await takeSecrets((await invocation.db()).sql, invocation.keys, id);
    return {
      title: "The secrets are shown only once. Send them to the partner over a secure channel.",
      object: { proposal_id: id, ...secrets },
    };
  },
};

const approve: Command = {
  words: "proposal approve",
  usage: "proposal approve [PROPOSAL] [--yes --sha256 HASH] [--expect VALUE …] [--operator-keys FILE]",
  does:
    "shows a proposal of another person, asks, and makes the change; without PROPOSAL, lets you choose one that " +
    "waits; refuses secrets of a sealing key that the key file does not have; with --yes, --sha256 must be the " +
    "hash of the proposal that you have read; if the proposal is unusual, you type a value of it, or " +
    "give it with --expect",
  options: {
    sha256: { type: "string" },
    expect: { type: "string", multiple: true },
    ...OPERATOR_KEYS_OPTION,
  },
  takes: ["[PROPOSAL]"],
  async run(invocation) {
    const { values, show, confirm, query } = invocation;
    const read = optional(values, "sha256");
    if (values.yes && read === undefined) {
      throw usage("--sha256 is missing. With --yes, give the hash that `gold proposal show` printed to you.");
    }
    if (read !== undefined && !SHA256_FORM.test(read)) {
      throw usage(`--sha256 must have 64 characters of 0-9 and a-f; got ${read}.`);
    }
    const {
      id,
      sha256,
      kind,
      content,
      deployment,
      consequences,
      priceChange,
      warnings,
      result,
      signedBy,
      outdated,
      sealingKeys,
    } = await readProposal(invocation.positionals.length > 0 ? invocation : await chooseProposal(invocation));
    if (read !== undefined && read !== sha256) {
      throw new Failure(
        EXIT.refused,
        "refused",
        `The hash of the proposal is ${sha256}; got --sha256 ${read}. Nothing was done. Read the proposal with \`gold proposal show ${id}\`.`,
      );
    }
    if (outdated) throw new Failure(EXIT.refused, "refused", outdated);
    await requireSealingKeys(invocation.keys, id, sealingKeys);
    await requireRequestedKey(query, id, content as Record<string, CanonicalValue>);
    if (kind === "sealing_key.rotate") await requireSameSecrets(invocation, id, content as never);
    const { sql } = await invocation.db();
    const signing = await openApproval(invocation, signedBy);
    if (signing && deployment !== signing.deployment) {
      throw new Failure(
        EXIT.refused,
        "other_deployment",
        `The text of the proposal names ${
          deployment ?? "no deployment"
        }, but you sign for ${signing.deployment}. Nothing was done. Propose the change again.`,
      );
    }
    const untyped = untypedWarnings(invocation, warnings, repeated(values, "expect"), priceChange);
    if (!values.yes) show(result);
    const question = `Approve this ${kind}, with the hash ${sha256}${
      signedBy ? `, signed by ${signedBy}` : ""
    }? ${consequences}`;
    if (untyped.length > 0) await askForValues(invocation, untyped, question);
    else await confirm(question);
    const [{ approver }] = await sql<[{ approver: string }]>`select session_user as approver`;
    const signature = signing
      ? await signing.sign(APPROVAL_NAMESPACE, approvalText({ ...signing, id, sha256, approver }))
      : null;
    await query`select gold.approve_proposal(${id}::uuid, ${sha256}, ${signature})`;
    return {
      title: `Approved. ${consequences}`,
      object: { proposal_id: id, kind, sha256, status: "approved" },
    };
  },
};

const reject: Command = {
  words: "proposal reject",
  usage: "proposal reject PROPOSAL",
  does: "rejects a proposal, or withdraws your own; it can then never be approved",
  takes: ["PROPOSAL"],
  async run(invocation) {
    const id = idOf(invocation);
    const [row] = await invocation.query`
      select kind, proposer, content from gold.proposal_overview where id = ${id}::uuid and status = 'pending'`;
    if (row) {
      const about = summaryOf(row.content);
      await invocation.confirm(`Reject this ${row.kind}${about && ` (${about})`} of ${row.proposer}?`, true);
    }
    await invocation.query`select gold.reject_proposal(${id}::uuid)`;
    return { object: { proposal_id: id, status: "rejected" } };
  },
};

const sign: Command = {
  words: "proposal sign",
  usage: "proposal sign PROPOSAL",
  does: "signs your own proposal, if its signature failed when you proposed it",
  takes: ["PROPOSAL"],
  async run(invocation) {
    const { id, sha256, kind, content, consequences, result } = await readProposal(invocation);
    const signing = await openSigning(invocation);
    if (!signing) {
      throw new Failure(
        EXIT.refused,
        "refused",
        "No operator key is registered, so nobody signs proposals yet.",
      );
    }
    if (!invocation.values.yes) invocation.show(result);
    await invocation.confirm(`Sign this ${kind}, with the hash ${sha256}? ${consequences}`);
    await signProposal((await invocation.db()).sql, signing, id, { kind, content });
    return { object: { proposal_id: id, kind, sha256, status: "signed" } };
  },
};

export const PROPOSAL_COMMANDS: readonly Command[] = [list, show, sign, approve, reject, adopt];

/** Lets the person choose one of the proposals that other people made. */
async function chooseProposal(invocation: Invocation): Promise<Invocation> {
  const rows = await invocation.query`
    select id, kind, content, proposer, proposed_at, expires_at from gold.proposal_overview
    where status = 'pending' and proposer <> session_user order by id`;
  if (rows.length === 0) throw new Failure(EXIT.refused, "not_found", "No proposal of another person waits.");
  if (!invocation.askText) {
    throw usage("PROPOSAL is missing. `gold proposal list --status pending` lists what waits.");
  }
  invocation.show({
    items: rows.map(({ id, kind, content, proposer, proposed_at, expires_at }, index) => ({
      number: index + 1,
      proposal_id: id,
      kind,
      about: summaryOf(content),
      proposer,
      proposed_at: proposed_at.toISOString(),
      expires_at: expires_at.toISOString(),
    })),
  });
  const typed = await invocation.askText(
    `Which one do you want to read? Type its number, from 1 to ${rows.length}:`,
  );
  const chosen = /^[0-9]+$/.test(typed) ? rows[Number(typed) - 1] : undefined;
  if (!chosen) throw new Failure(EXIT.refused, "not_confirmed", "You chose no proposal. Nothing was done.");
  return { ...invocation, positionals: [chosen.id] };
}

const idOf = ({ positionals }: Invocation): string => uuidOf("proposal", "", positionals[0]!);

interface Proposal {
  readonly id: string;
  readonly kind: string;
  readonly content: CanonicalValue;
  /** The id that the text names. Null in version 1. */
  readonly deployment: string | null;
  readonly consequences: string;
  readonly priceChange: PriceChange | undefined;
  readonly warnings: readonly Warning[];
  /** The login and the key of the proposer's verified signature. Null if the proposal is not signed. */
  readonly signedBy: string | null;
  /** Why the database refuses to approve it. Undefined if it is not outdated. */
  readonly outdated: string | undefined;
  /** The names of the keys that encrypted its secrets. */
  readonly sealingKeys: readonly string[];
  /** The hash of the text that `result` shows, computed here and not read from the database. */
  readonly sha256: string;
  readonly result: Result;
}

async function readProposal(invocation: Invocation): Promise<Proposal> {
  const id = idOf(invocation);
  const [row] = await invocation.query`
    select id, kind, status, proposer, proposed_at, expires_at, decided_by, decided_at, canonical_text, has_secrets,
      proposer_signature, sealing_key, deployment, gold.role_of_kind(kind) as role, session_user as login
    from gold.proposal_overview where id = ${id}::uuid`;
  if (!row) throw new Failure(EXIT.refused, "not_found", `There is no proposal ${id}.`);
  if (row.canonical_text === null) {
    throw new Failure(
      EXIT.refused,
      "not_permitted",
      `The proposal cannot be shown: a change of the kind ${row.kind} needs the role ${row.role}, which the login ${row.login} does not have.`,
    );
  }
  const text: string = row.canonical_text;
  const sha256 = createHash("sha256").update(text).digest("hex");
  // Read the content from the hashed text, so that the hash covers everything that the person sees. It is the
  // last line.
  const content = JSON.parse(text.split("\n").at(-2)!) as Record<string, CanonicalValue>;
  const signedBy = row.proposer_signature === null ? null : await verifyProposer(
    invocation,
    {
      deployment: row.deployment,
      id,
      kind: row.kind,
      proposer: row.proposer,
      proposedAt: row.proposed_at.toISOString(),
      expiresAt: row.expires_at.toISOString(),
      content,
    },
    text,
    row.proposer_signature,
  );
  const { consequences, priceChange, warnings, differences } = await describeChange(
    row.kind,
    content,
    invocation.query,
    { id, isPending: row.status === "pending" },
  );
  const outdated = row.status === "pending"
    ? await findNewer(row.kind, content, invocation.query, row.proposed_at)
    : undefined;
  return {
    id,
    kind: row.kind,
    content,
    deployment: row.deployment,
    consequences,
    priceChange,
    warnings,
    signedBy,
    outdated,
    sealingKeys: [row.sealing_key, content.sealing_key].filter((name) => typeof name === "string"),
    sha256,
    result: {
      object: {
        proposal_id: id,
        kind: row.kind,
        status: row.status,
        proposer: row.proposer,
        proposed_at: row.proposed_at.toISOString(),
        expires_at: row.expires_at.toISOString(),
        decided_by: row.decided_by,
        decided_at: instantOf(row.decided_at),
        signed_by: signedBy,
        has_secrets: row.has_secrets,
        consequences: outdated ?? consequences,
        ...(outdated ? { is_outdated: true } : {}),
        ...(priceChange
          ? { change_percent: priceChange.percent, outside_band: priceChange.isOutsideBand }
          : {}),
        canonical_text: text,
        sha256,
      },
      lists: { ...(warnings.length > 0 ? { warnings } : {}), changes: differences },
    },
  };
}
