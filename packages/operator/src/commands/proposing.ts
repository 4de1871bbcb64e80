import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { type Proposal, PROPOSAL_NAMESPACE, proposalText } from "@gold-partner/approvals";
import type { JSONValue, Sql } from "postgres";
import type { Invocation, Result } from "../command.ts";
import { EXIT, Failure } from "../failure.ts";
import type { KeyFile } from "../key_file.ts";
import type { SignText } from "../ssh_key.ts";
import { readSealing } from "./new_secret.ts";

/** A change as gold.propose takes it. apply_change.sql has the members of each kind. */
export interface Change {
  readonly kind: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** What only the proposer may see, once, after the approval. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The command that makes the change after the approval, if the approval alone does not. */
  readonly again?: string;
}

type Place = Pick<Invocation, "db" | "keys" | "signer">;

/** Makes a change. If the database demands a second person for it, proposes it instead. */
export async function changeOrPropose(
  place: Place,
  change: () => Promise<Result>,
  describe: () => Change | Promise<Change>,
): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    if (!needsApproval(error)) throw error;
    return await propose(place, await describe());
  }
}

/** Whether the database refused the change because another person must approve it. */
export const needsApproval = (error: unknown): boolean =>
  (error as { code?: unknown; detail?: unknown }).code === "GR409" &&
  (error as { detail?: unknown }).detail === "needs_approval";

async function propose(
  { db, keys, signer }: Place,
  { kind, content, secrets, again }: Change,
): Promise<Result> {
  const { sql } = await db();
  const sign = await areSignaturesDemanded(sql) ? await signer() : undefined;
  const { text, keyName } = secrets ? await seal(keys, secrets) : { text: null, keyName: null };
  const [row] = await sql`
    select * from gold.propose(${kind}, ${
    sql.json(content as JSONValue)
  }::jsonb, ${text}::bytea, ${keyName})`;
  const { id, sha256, expires_at } = row!;
  if (sign) await signProposal(sql, sign, id, { kind, content: JSON.parse(JSON.stringify(content)) });
  return {
    title: `Nothing was changed yet. Another person must approve this change: gold proposal approve ${id}.${
      again ? ` Then run \`${again}\` again.` : ""
    }`,
    object: { proposal_id: id, sha256, expires_at: expires_at.toISOString() },
  };
}

export async function areSignaturesDemanded(sql: Sql): Promise<boolean> {
  const [row] = await sql`select gold.signatures_demanded() as demanded`;
  return row!.demanded;
}

/**
 * Signs the proposal that the database stored. The kind, the content and the login are those that this person
 * gave or was shown, so that the database cannot exchange them.
 */
export async function signProposal(
  sql: Sql,
  sign: SignText,
  id: string,
  given: Pick<Proposal, "kind" | "content">,
): Promise<void> {
  const [row] = await sql`
    select proposed_at, expires_at, sha256, session_user as proposer from gold.proposal_overview where id = ${id}::uuid`;
  const { sha256, proposed_at, expires_at, proposer } = row!;
  const [proposedAt, expiresAt] = [proposed_at.toISOString(), expires_at.toISOString()];
  const text = proposalText({ ...given, id, proposer, proposedAt, expiresAt });
  if (createHash("sha256").update(text).digest("hex") !== sha256) {
    throw new Failure(
      EXIT.defect,
      "proposal_differs",
      `The database stored another text for the proposal ${id} than this change. Nothing was signed. Reject it with \`gold proposal reject ${id}\`, and report this.`,
    );
  }
  const signature = await sign(PROPOSAL_NAMESPACE, text).catch((error: Error) => {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(
      error.exit,
      error.code,
      `The proposal ${id} is not signed yet, so nobody can approve it. ${error.message} Then run \`gold proposal sign ${id}\`.`,
    );
  });
  await sql`select gold.sign_proposal(${id}::uuid, ${signature})`;
}

async function seal(keys: KeyFile, secrets: NonNullable<Change["secrets"]>) {
  const { sealing } = await readSealing(keys);
  return { text: await sealing.seal(JSON.stringify(secrets)), keyName: sealing.currentKeyName };
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

/** How a content states bytes. */
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** The ranges as Postgres spells them, which is how the approval compares them. */
export async function storedRanges(sql: Sql, ips: readonly string[]): Promise<readonly string[]> {
  const [row] = await sql`select ${`{${ips.join(",")}}`}::text::cidr[]::text[] as ranges`;
  return row!.ranges;
}
