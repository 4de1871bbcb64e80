import { randomBytes } from "node:crypto";
import { TEST_PUBLIC_JWK } from "../../../testing/partner.ts";
import type { TestBooks } from "../../../testing/books.ts";
import { publicIdOf } from "../../booking/operator_fixture.ts";
import { valueOf } from "../../../testing/rows.ts";

/**
 * Fixtures that bring a credential near its end. They change the credential's end; the clock stays as it is.
 */

interface CredentialForm {
  readonly table: string;
  readonly name: string;
  readonly end: string;
}

/** Keyed by the kind of credential in a notice. */
export const FORMS: Readonly<Record<string, CredentialForm>> = {
  certificate: { table: "certificate", name: "fingerprint", end: "not_after" },
  signing_key: { table: "signing_key", name: "thumbprint", end: "retire_at" },
  client_secret: { table: "client_secret", name: "id", end: "retire_at" },
  webhook_secret: { table: "webhook_secret", name: "id", end: "retire_at" },
};

export async function addCertificate(books: TestBooks, client: number): Promise<string> {
  const fingerprint = randomBytes(32).toString("hex");
  await books.sql`
    select gold.add_certificate(${await publicIdOf(
    books,
    client,
  )}, ${fingerprint}, '01', now(), now() + interval '1 year')`;
  return fingerprint;
}

export async function addSigningKey(books: TestBooks, client: number, kid: string): Promise<string> {
  const thumbprint = randomBytes(32).toString("base64url");
  await books.sql`
    select gold.add_signing_key(${await publicIdOf(
    books,
    client,
  )}, ${thumbprint}, ${kid}, ${TEST_PUBLIC_JWK}::text::jsonb)`;
  return thumbprint;
}

/** Moves the end of the client's credentials of this kind to `hours` from now; returns the new end. */
export async function moveEnd(
  { sql }: TestBooks,
  client: number,
  kind: string,
  hours: number,
): Promise<Date> {
  const { table, end } = FORMS[kind]!;
  const [row] = await sql`
    update gold.${sql(table)} set ${sql(end)} = clock_timestamp() + make_interval(secs => ${hours * 3600})
    where partner_id = ${client} returning ${sql(end)} as ends_at`;
  return row!.ends_at;
}

export async function postNotices({ delivery }: TestBooks, most = 1000): Promise<number> {
  return await valueOf(delivery`select gold.post_expiry_notices(${most}) as posted`);
}

/** Returns the notices that the client got so far, oldest first: kind and days ahead. */
export async function notifiedTo({ sql }: TestBooks, client: number): Promise<string[]> {
  const rows = await sql`
    select n.kind, n.days_ahead from gold.event e
    join gold.expiry_notice n on n.client_id = e.client_id and n.id = e.subject
    where e.client_id = ${client} and e.type = 'credential.expiring' order by e.sequence`;
  return rows.map(({ kind, days_ahead }) => `${kind} ${days_ahead}`);
}
