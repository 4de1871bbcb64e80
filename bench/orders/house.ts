// The service as `npm start` runs it, with a thousand funded partners, and a process that sends their orders.
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asOperator, start, startPostgres } from "@gold-partner/dev";
import { jwkThumbprint } from "@gold-partner/jws";
import { hashSecret, readKeys } from "@gold-partner/server";
import postgres, { type Sql } from "postgres";
import type { Settings, SigningJwk } from "./generator.ts";
import { type GeneratorProcess, startGenerator } from "./generator_process.ts";

export const PARTNERS = 1000;

export interface House {
  /** All that it keeps on the disk. */
  readonly dir: string;
  /** A superuser at the service's own database. */
  readonly sql: Sql;
  /** His URL. */
  readonly databaseUrl: string;
  readonly operator: ReturnType<typeof asOperator>;
  readonly generator: GeneratorProcess;
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
    const databaseUrl = database.superuserUrl(DATABASE);
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    stops.push(() => sql.end());
    const [pepper] = await readKeys(`file:${join(dir, "keys", "pepper")}`);
    const clientSecret = randomBytes(32).toString("base64url");
    const partners = await Promise.all(Array.from({ length: PARTNERS }, async (_, index) => ({
      clientId: `sbx_${`${index}`.padStart(20, "0")}`,
      fingerprint: createHash("sha256").update(`${index}`).digest("hex"),
      signingJwk: await newSigningKey(),
    })));
    const firstClient = await onboard(sql, partners, hashSecret(pepper!, clientSecret));
    await sql.unsafe(readFileSync(new URL("../peers/book_orders_schema.sql", import.meta.url), "utf8"));
    const generator = await startGenerator({
      socket: running.state.socket("server.sock"),
      baseUrl: running.baseUrl,
      clientSecret,
      partners,
    });
    stops.push(async () => generator.stop());
    const run = JSON.parse(readFileSync(join(dir, "run.json"), "utf8")) as {
      database_url: string;
      pids: { server: number };
    };
    return {
      dir,
      sql,
      databaseUrl,
      operator: asOperator(run.database_url),
      generator,
      firstClient,
      servicePid: run.pids.server,
      postgresPid: database.pid,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** No checkpoint comes but one that is asked for: another would strike one contender's turn and not the next one's. */
export const POSTGRES_SETTINGS = {
  max_connections: "400",
  // A quarter of a machine of 8 GB. Nonces and keys come at random: with less, their leaves are read from outside.
  shared_buffers: "2GB",
  max_wal_size: "8GB",
  min_wal_size: "8GB",
  checkpoint_timeout: "1h",
};

/** The peers hold more connections than the service alone needs; it finds its database again at the same port. */
async function restartPostgres(dataDir: string): Promise<RunningPostgres> {
  const { port, stop } = await startPostgres({ dataDir });
  await stop();
  return await startPostgres({
    dataDir,
    port,
    settings: POSTGRES_SETTINGS,
  });
}

/** By the operator's own functions, all in one transaction; returns the first partner's number. */
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
    // Nothing but the books may bound what is measured: no rate, and no endpoint to deliver to.
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
    if (funded.some(({ status }) => status !== 201)) throw new Error("A partner could not be funded.");
    return first;
  });
}

async function newSigningKey(): Promise<SigningJwk> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", privateKey) as SigningJwk;
  return { kty, crv, x, y, d };
}
