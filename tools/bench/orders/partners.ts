// Onboards partners through the operator's own functions, with limits that the benchmark never reaches.
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { jwkThumbprint } from "@gold-partner/jws";
import { hashSecret, readKeys } from "@gold-partner/server";
import type { Sql } from "postgres";
import { generateJwk } from "../../testing/generated_key.ts";
import type { Settings } from "./generator.ts";

const FUNDS_HALALAS = 10_000_000_000_000n;
const RATE_PER_SECOND = 1_000_000;

/** `stateDir` is the state folder of `npm start`; `sql` is a superuser's connection to its database. */
export async function onboardPartners(
  sql: Sql,
  stateDir: string,
  count: number,
): Promise<Pick<Settings, "clientSecret" | "partners"> & { readonly firstClient: number }> {
  const [pepper] = await readKeys(`file:${join(stateDir, "keys", "pepper")}`);
  const clientSecret = randomBytes(32).toString("base64url");
  const partners = await Promise.all(Array.from({ length: count }, async (_, index) => ({
    clientId: `sbx_${`${index}`.padStart(20, "0")}`,
    fingerprint: createHash("sha256").update(`${index}`).digest("hex"),
    signingJwk: await generateJwk(),
  })));
  const firstClient = await onboard(sql, partners, hashSecret(pepper!, clientSecret));
  return { clientSecret, partners, firstClient };
}

/** Onboards all partners in one transaction. Returns the first partner's number; the others follow it. */
async function onboard(
  sql: Sql,
  partners: Settings["partners"],
  secretHash: Uint8Array,
): Promise<number> {
  const keys = await Promise.all(
    partners.map(async ({ signingJwk: { d: _, ...jwk } }) =>
      JSON.stringify([{ thumbprint: await jwkThumbprint(jwk), jwk }])
    ),
  );
  const clientIds = partners.map(({ clientId }) => clientId);
  const fingerprints = partners.map(({ fingerprint }) => fingerprint);
  return await sql.begin(async (transaction) => {
    // Very high rates and no webhook endpoint, so that neither rate limits nor deliveries affect the
    // measurement.
    await transaction`update gold.deployment set flood_per_second = ${4 * RATE_PER_SECOND}`;
    const [{ first }] = await transaction<[{ first: number }]>`
      select min(gold.create_partner(public, 'Benchmark', 'SA0380000000608010167519', null,
        ${RATE_PER_SECOND}, ${RATE_PER_SECOND}, 10000000, '{127.0.0.1/32}', ${secretHash}::bytea, '\\x00', 'none',
        keys::jsonb)) as first
      from unnest(${clientIds}::text[], ${keys}::text[]) one (public, keys)`;
    await transaction`
      select gold.add_certificate(public, fingerprint, 'none', clock_timestamp() - interval '1 hour', clock_timestamp() + interval '1 day')
      from unnest(${clientIds}::text[], ${fingerprints}::text[]) one (public, fingerprint)`;
    const funded = await transaction<{ status: number }[]>`
      select (gold.book_funding(false, ${first} + n, 1, 'fund', '\\x00', ${`${FUNDS_HALALAS}`}::text::bigint, ${`${FUNDS_HALALAS}`}::text::bigint,
        gen_random_uuid(), gen_random_uuid())).status
      from generate_series(0, ${partners.length - 1}) n`;
    const refused = funded.find(({ status }) => status !== 201);
    if (refused) throw new Error(`A partner's funding got status ${refused.status}; expected 201.`);
    return first;
  });
}
