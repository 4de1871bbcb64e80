import type { Invocation, Row } from "../../command.ts";
import { readClock } from "../../database.ts";
import { instantOf } from "../../output.ts";
import { findPartner } from "../partners/registered_partner.ts";

type CredentialKind =
  | "certificate"
  | "client_secret"
  | "webhook_secret"
  | "signing_key"
  | "token_key"
  | "authority"
  | "revocation_list";

/** A row of gold.credential_overview. */
export interface Credential {
  readonly kind: CredentialKind;
  /** A client_id, or `house` for the service's own keys and certificate authorities. */
  readonly owner: string;
  readonly name: string;
  /** The partner's own name for a signing key. */
  readonly kid: string | null;
  /** The webhook endpoint of a webhook secret. */
  readonly endpoint: number | null;
  /** The certificate of an authority, in PEM. */
  readonly certificate: string | null;
  /** Why the service skips this row; null for a row that it can read. */
  readonly fault: string | null;
  readonly status: "active" | "retiring" | "retired" | "expired" | "revoked" | "not_yet";
  readonly not_before: Date | null;
  readonly expires_at: Date | null;
  readonly retire_at: Date | null;
  readonly last_used_at: Date | null;
}

/** A partner's credentials of one kind, the oldest first. */
export async function credentialsOf(
  { query }: Invocation,
  kind: CredentialKind,
  id: string,
): Promise<Credential[]> {
  await findPartner(query, id);
  return [
    ...await query`
      select * from gold.credential_overview where kind = ${kind} and owner = ${id} order by not_before, name collate "C"`,
  ] as unknown as Credential[];
}

/** The status and dates of a credential, as every list shows them. */
export const lifeOf = ({ status, not_before, retire_at, last_used_at }: Credential): Row => ({
  status,
  not_before: instantOf(not_before),
  retire_at: instantOf(retire_at),
  last_used_at: instantOf(last_used_at),
});

const HOUR_MS = 3_600_000;

/** Whether the credential was used within the last hour, by the database's clock. */
export const isInUse = async ({ db }: Invocation, used: Date | null): Promise<boolean> =>
  used !== null && (await readClock((await db()).sql)).getTime() - used.getTime() < HOUR_MS;

/**
 * Shows the credential's last use and asks before the credential is retired at once. Returns the time of the
 * last use that was shown, or null if no use is recorded. The caller passes this time to the database. The
 * database refuses if the credential was used within the last hour and the person did not see this use. With
 * --yes the person sees no question, so the function returns `infinity`, and the database does not refuse.
 */
export async function confirmEnd(
  invocation: Invocation,
  what: string,
  { last_used_at: used }: Credential,
): Promise<string | null> {
  const { confirm, values } = invocation;
  const recently = await isInUse(invocation, used);
  await confirm(
    `Retire ${what}? ${
      used === null ? "Its use was never recorded." : `It was last used at ${used.toISOString()}.`
    } ${recently ? "That is less than an hour ago: a client that still uses it will stop working." : ""}`
      .trim(),
  );
  return values.yes ? "infinity" : instantOf(used);
}
