import { APPROVAL_NAMESPACE, approvalText, PROPOSAL_NAMESPACE } from "@gold-partner/approvals";
import { newSoftwareKey, type SoftwareKey } from "@gold-partner/approvals/testing";
import type { Sql } from "postgres";

/** An operator who signs. */
export interface Signatory {
  readonly login: string;
  readonly sql: Sql;
  readonly key: SoftwareKey;
}

export interface Proposed {
  readonly id: string;
  readonly sha256: string;
  readonly deployment: string;
}

/** Gives the login of this connection a key, which is not registered yet. */
export async function newSignatory(sql: Sql): Promise<Signatory> {
  const [row] = await sql`select session_user::text as login`;
  return { login: row!.login, sql, key: await newSoftwareKey() };
}

export async function registerRootKeys(admin: Sql, ...people: readonly Signatory[]): Promise<void> {
  const keys = Object.fromEntries(people.map(({ login, key }) => [login, key.publicKey.text]));
  await admin`select gold.add_root_keys(${JSON.stringify(keys)}::text::jsonb)`;
}

/** The file of OPERATOR_KEYS, for the deployment of this database. */
export async function operatorKeysOf(...people: readonly Signatory[]): Promise<string> {
  const [row] = await people[0]!.sql`select id, public_base_url from gold.deployment_overview`;
  const keys = people.map(({ login, key }) => `${login} ${key.publicKey.text}\n`);
  return `# deployment ${row!.id} ${row!.public_base_url} Test\n${keys.join("")}`;
}

/** Proposes and signs, as gold does. */
export async function proposeSigned(
  { sql, key }: Signatory,
  kind: string,
  content: object,
  namespace = PROPOSAL_NAMESPACE,
): Promise<Proposed> {
  const [row] = await sql`select id, sha256 from gold.propose(${kind}, ${sql.json(content as never)}::jsonb)`;
  const { id, sha256 } = row as unknown as Proposed;
  const [{ text, deployment }] = await sql<[{ text: string; deployment: string }]>`
    select canonical_text as text, deployment from gold.proposal_overview where id = ${id}::uuid`;
  await sql`select gold.sign_proposal(${id}::uuid, ${await key.sign(text, { namespace })})`;
  return { id, sha256, deployment };
}

/** Approves and signs, as gold does. */
export async function approveSigned(
  { sql, key, login }: Signatory,
  { id, sha256, deployment }: Proposed,
  text = approvalText({ deployment, id, sha256, approver: login }),
): Promise<void> {
  const signature = await key.sign(text, { namespace: APPROVAL_NAMESPACE });
  await sql`select gold.approve_proposal(${id}::uuid, ${sha256}, ${signature})`;
}
