// The service as `npm start` runs it, with a thousand funded partners and quotes made beforehand.
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start, startPostgres } from "@gold-partner/dev";
import { jwkThumbprint } from "@gold-partner/jws";
import { hashSecret, readKeys } from "@gold-partner/server";
import postgres, { type Sql } from "postgres";
import type { Settings } from "./generator.ts";

export const PARTNERS = 1000;

export interface House {
  /** A superuser at the service's own database. */
  readonly sql: Sql;
  /** His URL of any database on the same Postgres. */
  databaseUrl(name: string): string;
  readonly settings: Settings;
  /** The first partner's number; the others follow it. */
  readonly firstClient: number;
  readonly servicePid: number;
  readonly postgresPid: number;
  stop(): Promise<void>;
}

type RunningPostgres = Awaited<ReturnType<typeof startPostgres>>;

const DATABASE = "gold";
const FUNDS_HALALAS = 10_000_000_000_000n;
const RATE_PER_SECOND = 1_000_000;

export async function openHouse(): Promise<House> {
  const dir = mkdtempSync(join(tmpdir(), "gold-bench-"));
  const stops: (() => Promise<unknown>)[] = [async () => rmSync(dir, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const running = await start({ port: 0, stateDir: dir, reset: false, demo: false, tell: () => {} });
    stops.push(() => running.stop());
    const database = await restartPostgres(running.state.path("postgres"));
    stops.push(() => database.stop());
    const sql = postgres(database.superuserUrl(DATABASE), { max: 1, onnotice: () => {} });
    stops.push(() => sql.end());
    const [pepper] = await readKeys(`file:${join(dir, "keys", "pepper")}`);
    const { signingJwk, publicJwk } = await newSigningKey();
    const clientSecret = randomBytes(32).toString("base64url");
    const thumbprint = await jwkThumbprint(publicJwk);
    const partners = Array.from({ length: PARTNERS }, (_, index) => ({
      clientId: `sbx_${`${index}`.padStart(20, "0")}`,
      fingerprint: createHash("sha256").update(`${index}`).digest("hex"),
    }));
    const firstClient = await onboard(sql, partners, {
      secretHash: hashSecret(pepper!, clientSecret),
      signingKeys: [{ thumbprint, jwk: publicJwk }],
    });
    await sql.unsafe(readFileSync(new URL("../peers/book_orders_schema.sql", import.meta.url), "utf8"));
    const { pids } = JSON.parse(readFileSync(join(dir, "run.json"), "utf8")) as { pids: { server: number } };
    return {
      sql,
      databaseUrl: database.superuserUrl,
      settings: {
        socket: running.state.socket("server.sock"),
        baseUrl: running.baseUrl,
        signingJwk,
        clientSecret,
        partners,
      },
      firstClient,
      servicePid: pids.server,
      postgresPid: database.pid,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The peers hold more connections than the service alone needs; it finds its database again at the same port. */
async function restartPostgres(dataDir: string): Promise<RunningPostgres> {
  const { port, stop } = await startPostgres({ dataDir });
  await stop();
  return await startPostgres({
    dataDir,
    port,
    settings: { max_connections: "400", shared_buffers: "512MB" },
  });
}

interface Credentials {
  readonly secretHash: Uint8Array;
  readonly signingKeys: readonly { thumbprint: string; jwk: PublicJwk }[];
}

type PublicJwk = Readonly<Record<"kty" | "crv" | "x" | "y", string>>;

/** By the operator's own functions, all in one transaction; returns the first partner's number. */
async function onboard(
  sql: Sql,
  partners: Settings["partners"],
  { secretHash, signingKeys }: Credentials,
): Promise<number> {
  const clientIds = partners.map(({ clientId }) => clientId);
  const fingerprints = partners.map(({ fingerprint }) => fingerprint);
  return await sql.begin(async (transaction) => {
    // Nothing but the books may bound what is measured.
    await transaction`update gold.deployment set flood_per_second = ${4 * RATE_PER_SECOND}`;
    const [{ first }] = await transaction<[{ first: number }]>`
      select min(gold.create_partner(public, 'Benchmark', 'SA0380000000608010167519', 'https://localhost/',
        ${RATE_PER_SECOND}, ${RATE_PER_SECOND}, 10000000, '{127.0.0.1/32}', ${secretHash}::bytea, '\\x00', 'none',
        ${transaction.json(signingKeys as never)}::jsonb)) as first
      from unnest(${clientIds}::text[]) with ordinality one (public, n)`;
    await transaction`
      select gold.add_certificate(public, fingerprint, 'none', clock_timestamp() - interval '1 hour', clock_timestamp() + interval '1 day')
      from unnest(${clientIds}::text[], ${fingerprints}::text[]) one (public, fingerprint)`;
    const funded = await transaction<{ status: number }[]>`
      select (gold.book_funding(false, ${first} + n, 1, 'fund', '\\x00', ${`${FUNDS_HALALAS}`}::text::bigint, ${`${FUNDS_HALALAS}`}::text::bigint,
        gen_random_uuid(), gen_random_uuid())).status
      from generate_series(0, ${partners.length - 1}) n`;
    if (funded.some(({ status }) => status !== 201)) throw new Error("A partner could not be funded.");
    return first;
  });
}

async function newSigningKey(): Promise<{ signingJwk: string; publicJwk: PublicJwk }> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", privateKey) as Record<string, string>;
  const publicJwk = { kty: kty!, crv: crv!, x: x!, y: y! };
  return { signingJwk: JSON.stringify({ ...publicJwk, d }), publicJwk };
}
