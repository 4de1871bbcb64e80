import { randomBytes } from "node:crypto";
import { TEST_PUBLIC_JWK } from "../../../testing/partner.ts";
import type { TestBooks } from "../../../testing/books.ts";
import type { Sql } from "postgres";
import { valueOf } from "../../../testing/rows.ts";

/** A fixture that adds and retires credentials of every kind. */

export interface Trader {
  readonly client: number;
  readonly publicId: string;
}

export async function newTrader(books: TestBooks): Promise<Trader> {
  const client = await books.createClient({ halalas: 1_000_000n });
  const [row] = await books.sql`select public_id from gold.partner where id = ${client}`;
  return { client, publicId: row!.public_id };
}

export const DAY_SECONDS = 86_400;

export const newThumbprint = () => randomBytes(32).toString("base64url");

/** Returns the code and message of the refusal, or `done` if the change succeeded. */
export const refusalOf = (change: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(change).then(() => "done", ({ code, message }) => `${code} ${message}`);

/** One interface for the three kinds of credentials. `retire` takes the name that `add` returned. */
export interface CredentialKind {
  readonly table: string;
  readonly name: string;
  add(sql: Sql, trader: Trader, overlapSeconds?: number): Promise<string>;
  retire(sql: Sql, trader: Trader, name: string, seen?: string | null): Promise<unknown>;
}

export const KINDS: Readonly<Record<string, CredentialKind>> = {
  "client secret": {
    table: "client_secret",
    name: "id",
    async add(sql, { publicId }, overlapSeconds = DAY_SECONDS) {
      const [row] =
        await sql`select * from gold.rotate_client_secret(${publicId}, sha256(''), ${overlapSeconds})`;
      return `${row!.secret_id}`;
    },
    retire: async (sql, { publicId }, name, seen = null) =>
      await sql`select gold.retire_client_secret(${publicId}, ${name}::text::int, ${seen}::text::timestamptz)`,
  },
  "webhook secret": {
    table: "webhook_secret",
    name: "id",
    async add(sql, { publicId }, overlapSeconds = DAY_SECONDS) {
      const [row] = await sql`
        select * from gold.rotate_webhook_secret(${publicId}, '\\x01', 'key', ${overlapSeconds})`;
      return `${row!.secret_id}`;
    },
    retire: async (sql, { publicId }, name, seen = null) =>
      await sql`select gold.retire_webhook_secret(${publicId}, ${name}::text::int, ${seen}::text::timestamptz)`,
  },
  "signing key": {
    table: "signing_key",
    name: "thumbprint",
    async add(sql, { publicId }) {
      const thumbprint = newThumbprint();
      await sql`select gold.add_signing_key(${publicId}, ${thumbprint}, null, ${TEST_PUBLIC_JWK}::text::jsonb)`;
      return thumbprint;
    },
    retire: async (sql, { publicId }, name, seen = null) =>
      await sql`select gold.retire_signing_key(${publicId}, ${name}, ${seen}::text::timestamptz)`,
  },
};

/** Counts the trader's credentials of this kind that have not retired, including those not active yet. */
export async function countActive(sql: Sql, { table }: CredentialKind, { client }: Trader): Promise<number> {
  return await valueOf(sql`
    select count(*)::int as n from gold.${sql(table)}
    where partner_id = ${client} and (retire_at is null or retire_at > clock_timestamp())`);
}
