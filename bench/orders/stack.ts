// The service as `npm start` runs it, with a thousand funded partners, and a process that sends their orders.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asOperator, start } from "@gold-partner/dev";
import { startPostgres } from "@gold-partner/local-postgres";
import postgres, { type Sql } from "postgres";
import { type GeneratorProcess, startGenerator } from "./generator_process.ts";
import { onboardPartners } from "./partners.ts";

export const PARTNERS = 1000;

export interface Stack {
  /** The temporary folder that contains all files of this stack. */
  readonly dir: string;
  /** A superuser's connection to the service's own database. */
  readonly sql: Sql;
  /** The superuser's URL of that database. */
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

export async function openStack(): Promise<Stack> {
  const dir = mkdtempSync(join(tmpdir(), "gold-bench-"));
  const stops: (() => Promise<unknown>)[] = [async () => rmSync(dir, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const running = await start({ port: 0, stateDir: dir, reset: false, demo: false, report: () => {} });
    stops.push(() => running.stop());
    const database = await restartPostgres(running.state.path("postgres"));
    stops.push(() => database.stop());
    const databaseUrl = database.superuserUrl(DATABASE);
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    stops.push(() => sql.end());
    const { firstClient, ...identities } = await onboardPartners(sql, dir, PARTNERS);
    await sql.unsafe(readFileSync(new URL("../peers/book_orders_schema.sql", import.meta.url), "utf8"));
    const generator = await startGenerator({
      socket: running.state.socket("server.sock"),
      baseUrl: running.baseUrl,
      ...identities,
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

/**
 * With these settings, a checkpoint runs only when it is requested. A checkpoint at any other time would slow
 * down some turns and not others.
 */
export const POSTGRES_SETTINGS = {
  max_connections: "400",
  // A quarter of the memory of a machine with 8 GB. With less, index leaves would be read from outside the
  // shared buffers, because nonces and keys are random.
  shared_buffers: "2GB",
  max_wal_size: "8GB",
  min_wal_size: "8GB",
  checkpoint_timeout: "1h",
};

/**
 * Restarts Postgres with more connections, because the peers need more than the service alone. Postgres keeps
 * its port, so that the service finds its database again.
 */
async function restartPostgres(dataDir: string): Promise<RunningPostgres> {
  const { port, stop } = await startPostgres({ dataDir });
  await stop();
  return await startPostgres({
    dataDir,
    port,
    settings: POSTGRES_SETTINGS,
  });
}
