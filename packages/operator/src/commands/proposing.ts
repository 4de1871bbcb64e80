import { Buffer } from "node:buffer";
import type { JSONValue, Sql } from "postgres";
import type { Invocation, Result } from "../command.ts";
import type { KeyFile } from "../key_file.ts";
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

type Place = Pick<Invocation, "db" | "keys"> | { readonly sql: Sql; readonly keys: KeyFile };

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
    return await propose("sql" in place ? place.sql : (await place.db()).sql, place.keys, await describe());
  }
}

/** Whether the database refused the change because another person must approve it. */
const needsApproval = (error: unknown): boolean =>
  (error as { code?: unknown; detail?: unknown }).code === "GR409" &&
  (error as { detail?: unknown }).detail === "needs_approval";

async function propose(sql: Sql, keys: KeyFile, { kind, content, secrets, again }: Change): Promise<Result> {
  const { text, keyName } = secrets ? await seal(keys, secrets) : { text: null, keyName: null };
  const [row] = await sql`
    select * from gold.propose(${kind}, ${
    sql.json(content as JSONValue)
  }::jsonb, ${text}::bytea, ${keyName})`;
  const { id, sha256, expires_at } = row!;
  return {
    title: `Nothing was changed yet. Another person must approve this change: gold proposal approve ${id}.${
      again ? ` Then run \`${again}\` again.` : ""
    }`,
    object: { proposal_id: id, sha256, expires_at: expires_at.toISOString() },
  };
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
