// The service as `npm start` runs it, with a thousand funded partners, and a process that sends their orders.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asOperator, start } from "@gold-partner/dev";
import { type RunningPostgres, startPostgres } from "@gold-partner/dev/postgres";
import postgres, { type Sql } from "postgres";
import { type GeneratorProcess, startGenerator } from "./generator_process.ts";
import { onboardPartners } from "./partners.ts";
import { POSTGRES_SETTINGS } from "./postgres_settings.ts";
import { openPair } from "./synchronous_pair.ts";

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

const DATABASE = "gold";

interface StackOptions {
  /** How many batches of orders may be in flight. Default: the service's own. */
  readonly lanes?: number;
  /** Starts a synchronous standby that gets the WAL this many milliseconds later. */
  readonly standbyLatencyMs?: number;
}

export async function openStack({ lanes, standbyLatencyMs }: StackOptions = {}): Promise<Stack> {
  const dir = mkdtempSync(join(tmpdir(), "gold-bench-"));
  const stops: (() => Promise<unknown>)[] = [async () => rmSync(dir, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const running = await start({
      port: 0,
      stateDir: dir,
      reset: false,
      demo: false,
      report: () => {},
      ...(lanes === undefined ? {} : { lanes }),
    });
    stops.push(() => running.stop());
    const data = running.state.path("postgres");
    const database = standbyLatencyMs === undefined
      ? await restartPostgres(data)
      : await openPair(data, join(dir, "standby"), standbyLatencyMs);
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
 * Restarts Postgres with more connections, because the peers need more than the service alone. Postgres keeps
 * its port, so that the service finds its database again.
 */
async function restartPostgres(
  dataDir: string,
): Promise<Pick<RunningPostgres, "pid" | "stop" | "superuserUrl">> {
  const { port, stop } = await startPostgres({ dataDir });
  await stop();
  return await startPostgres({
    dataDir,
    port,
    settings: POSTGRES_SETTINGS,
  });
}
