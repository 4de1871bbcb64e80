import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  type ChangeKind,
  CHANGES,
  type Proposal,
  PROPOSAL_NAMESPACE,
  proposalText,
} from "@gold-partner/approvals";
import type { JSONValue, Row, Sql, TransactionSql } from "postgres";
import { nameOfKey, readKeys } from "@gold-partner/server";
import type { Invocation, Result } from "../../command.ts";
import { EXIT, Failure, failureOf, isOutcomeUnknown } from "../../failure.ts";
import { keyEnvironment } from "../../key_environment.ts";
import type { KeyFile } from "../../key_file.ts";
import { openSigning, type Signing } from "../../signing.ts";
import { readSealing } from "../credentials/new_secret.ts";
import { describeChange } from "./proposal_view.ts";

/** A change as gold.change_alone and gold.propose take it. changes.ts has the members of each kind. */
export interface Change {
  readonly kind: ChangeKind;
  readonly content: Readonly<Record<string, unknown>>;
  /** Secrets that only the proposer can read, once, after the approval. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The command that makes the change after the approval, if the approval alone does not. */
  readonly again?: string;
  /** When the change can no longer be made, if that is sooner than a proposal expires. */
  readonly endsAt?: string;
  /** The partner's request that the change answers: the same transaction takes it up. */
  readonly request?: Request;
}

export interface Request {
  readonly id: string;
  /** The certificate (PEM) that was issued for a certificate request. */
  readonly certificate?: string;
}

const DIFFERS = "proposal_differs";

/**
 * Makes a change. If the database demands a second person for it, proposes it instead. `result` describes the
 * change that was made; `noted` is what its audit row states.
 */
export async function changeOrPropose(
  invocation: Invocation,
  change: Change,
  result: Result | ((noted: Row) => Result | Promise<Result>),
  login?: Sql,
): Promise<Result> {
  const sql = login ?? (await invocation.db()).sql;
  return await makeOrPropose(invocation, async () => {
    const noted = await changeAlone(sql, change);
    return typeof result === "function" ? await result(noted) : result;
  }, () => change);
}

/** Calls `make`. If the database demands a second person for it, proposes the change instead. */
export async function makeOrPropose(
  invocation: Invocation,
  make: () => Promise<Result>,
  change: () => Change,
): Promise<Result> {
  try {
    return await make();
  } catch (error) {
    if (!needsApproval(error)) throw error;
    return await propose(invocation, change());
  }
}

/**
 * Asks for confirmation before a single person makes a change, and shows what a second person would see. Does
 * not ask scripts. Set `isAlone` for a change that one person may make even under two people, such as closing
 * the market.
 */
export async function confirmAlone(
  invocation: Invocation,
  { kind, content }: Change,
  isAlone = false,
): Promise<void> {
  const { db, query, askText, show, confirm } = invocation;
  if (!isAlone && (await (await db()).deployment()).twoPeople) return;
  const { consequences, warnings, differences } = await describeChange(kind, content, query);
  // With --yes, or without a terminal, nobody would read it.
  if (askText) show({ lists: { ...(warnings.length > 0 ? { warnings } : {}), changes: differences } });
  await confirm(`Make this change now? ${consequences}`, true);
}

/**
 * Makes a change. Returns what its audit row states, such as the id of a new secret. If the login lacks the
 * role for the change, the error has the role.
 */
export async function changeAlone(sql: Sql | TransactionSql, change: Change): Promise<Row> {
  const { kind, request } = change;
  const content = sql.json(contentOf(change) as JSONValue);
  const made = request
    ? sql`select gold.take_change_alone(${request.id}::uuid, ${content}::jsonb, ${
      request.certificate ?? null
    }) as noted`
    : sql`select gold.change_alone(${kind}, ${content}::jsonb) as noted`;
  const [row] = await made.catch((error) => {
    throw Object.assign(error, { role: CHANGES[kind].role });
  });
  return row!.noted ?? {};
}

/** Returns the content of a change. If it answers a request, the content names the request. */
const contentOf = ({ content, request }: Change): Change["content"] =>
  request ? { ...content, request: `chg_${request.id}` } : content;

/** Whether the database refused the change because another person must approve it. */
export const needsApproval = (error: unknown): boolean =>
  (error as { code?: unknown; detail?: unknown }).code === "GR409" &&
  (error as { detail?: unknown }).detail === "needs_approval";

async function propose(
  invocation: Invocation,
  change: Change,
): Promise<Result> {
  const { kind, secrets, again, endsAt, request } = change;
  const content = contentOf(change);
  const { sql } = await invocation.db();
  const { consequences, warnings } = await describeChange(kind, content, invocation.query);
  const signing = await openSigning(invocation);
  const { text, keyName } = secrets ? await seal(invocation.keys, secrets) : { text: null, keyName: null };
  const sealed = sql`${text}::bytea, ${keyName}`;
  const lifetime = sql`coalesce(${endsAt ?? null}::text::timestamptz - clock_timestamp(), '3 days')`;
  const json = sql`${sql.json(content as JSONValue)}::jsonb`;
  const [row] = request
    ? await sql`
      select * from gold.propose_change(${request.id}::uuid, ${json}, ${
      request.certificate ?? null
    }, ${sealed}, ${lifetime})`
    : await sql`select * from gold.propose(${kind}, ${json}, ${sealed}, ${lifetime})`;
  const { id, sha256, expires_at } = row!;
  for (const { warning } of warnings) invocation.progress(`Warning: ${warning}`);
  if (signing) {
    const given = { kind, content: JSON.parse(JSON.stringify(content)) };
    await signProposal(sql, signing, id, given).catch(async (error) => {
      throw await withdrawUnsigned(sql, id, failureOf(error));
    });
  }
  return {
    title: `Nothing was changed yet. Another person must approve this change: gold proposal approve ${id}.${
      again ? ` Then run \`${again}\` again.` : ""
    } To withdraw it, run \`gold proposal reject ${id}\`. After the approval: ${consequences}`,
    object: { proposal_id: id, sha256, expires_at: expires_at.toISOString() },
  };
}

/**
 * Withdraws a proposal that could not be signed, because nobody could approve it. Returns the failure of the
 * command. If the proposal may be left, the person can sign it later.
 */
async function withdrawUnsigned(sql: Sql, id: string, failure: Failure): Promise<Failure> {
  const { exit, code, message } = failure;
  if (code === DIFFERS) return new Failure(exit, code, message, true);
  try {
    if (isOutcomeUnknown(failure)) throw failure;
    await sql`select gold.reject_proposal(${id}::uuid)`;
    return new Failure(exit, code, `${message} Nothing was proposed.`);
  } catch {
    return new Failure(
      exit,
      code,
      `The proposal ${id} may not be signed yet. ${message} Then run \`gold proposal sign ${id}\`.`,
      true,
    );
  }
}

/**
 * Signs the proposal that the database stored. The kind and the content are those that this person gave or
 * was shown, and the deployment is that of the person's file, so that the database cannot replace them. The
 * id, the times and the login come from the database.
 */
export async function signProposal(
  sql: Sql,
  { deployment, sign }: Signing,
  id: string,
  given: Pick<Proposal, "kind" | "content">,
): Promise<void> {
  const [row] = await sql`
    select proposed_at, expires_at, sha256, session_user as proposer from gold.proposal_overview where id = ${id}::uuid`;
  const { sha256, proposed_at, expires_at, proposer } = row!;
  const [proposedAt, expiresAt] = [proposed_at.toISOString(), expires_at.toISOString()];
  const text = proposalText({ ...given, deployment, id, proposer, proposedAt, expiresAt });
  if (createHash("sha256").update(text).digest("hex") !== sha256) {
    throw new Failure(
      EXIT.defect,
      DIFFERS,
      `The text that the database stored for the proposal ${id} differs from this change. Nothing was signed. Reject it with \`gold proposal reject ${id}\`, and report this.`,
    );
  }
  await sql`select gold.sign_proposal(${id}::uuid, ${await sign(PROPOSAL_NAMESPACE, text)})`;
}

async function seal(keys: KeyFile, secrets: NonNullable<Change["secrets"]>) {
  const { sealing } = await readSealing(keys);
  return { text: await sealing.seal(JSON.stringify(secrets)), keyName: sealing.currentKeyName };
}

/**
 * Throws if a secret of the proposal is encrypted with a key that is not in the source of this person's
 * sealing keys. After the approval, nobody could decrypt the secret. A person whose key file names no sealing
 * key cannot check this.
 */
export async function requireSealingKeys(keys: KeyFile, id: string, names: readonly string[]): Promise<void> {
  const source = names.length === 0 ? undefined : await keys.find("sealing_key");
  if (source === undefined) return;
  const known = await Promise.all((await readKeys(source, keyEnvironment())).map(nameOfKey));
  const missing = names.find((name) => !known.includes(name));
  if (missing === undefined) return;
  throw new Failure(
    EXIT.refused,
    "sealing_key_missing",
    `The proposal ${id} has secrets that are encrypted with the sealing key ${missing}, which is not in ${source}. Nothing was approved. If the key still exists, add its line to ${source}. If it is lost, reject the proposal with \`gold proposal reject ${id}\`, and propose the change again.`,
  );
}

/** The secrets of an approved proposal. The database gives them only once, and only to the proposer. */
export async function takeSecrets(
  sql: Sql,
  keys: KeyFile,
  id: string,
): Promise<Readonly<Record<string, string>>> {
  // Read the key first: if it cannot be read, the secrets stay available.
  const { sealing } = await readSealing(keys);
  const [row] = await sql`select * from gold.take_secrets(${id}::uuid)`;
  return JSON.parse(await sealing.open(row!.secrets, row!.sealing_key));
}

/** Returns bytes as the content of a proposal states them. */
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** The ranges as Postgres spells them, which is how the approval compares them. */
export async function storedRanges(sql: Sql, ips: readonly string[]): Promise<readonly string[]> {
  const [row] = await sql`select ${`{${ips.join(",")}}`}::text::cidr[]::text[] as ranges`;
  return row!.ranges;
}
