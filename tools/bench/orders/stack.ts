// The service as `npm start` runs it, with a thousand funded partners, and a process that sends their orders.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningPostgres, startPostgres } from "@gold-partner/dev/postgres";
import postgres, { type Sql } from "postgres";
import { openService, type StartedService } from "../service.ts";
import type { Settings } from "./generator.ts";
import { type GeneratorProcess, startGenerator } from "./generator_process.ts";
import { onboardPartners } from "./partners.ts";
import { POSTGRES_SETTINGS } from "./postgres_settings.ts";
import { openPair } from "./synchronous_pair.ts";

export const PARTNERS = 1000;

export interface Stack extends Pick<StartedService, "dir" | "operator"> {
  /** A superuser's connection to the service's own database. */
  readonly sql: Sql;
  /** The superuser's URL of that database. */
  readonly databaseUrl: string;
  readonly generator: GeneratorProcess;
  /** The settings of the generator, with the partners' identities. */
  readonly settings: Settings;
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
  return await openService(lanes === undefined ? {} : { lanes }, async (service) => {
    const { dir, state, baseUrl, socket, operator, pids, onStop } = service;
    const data = state.path("postgres");
    const database = standbyLatencyMs === undefined
      ? await restartPostgres(data)
      : await openPair(data, join(dir, "standby"), standbyLatencyMs);
    onStop(() => database.stop());
    const databaseUrl = database.superuserUrl(DATABASE);
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    onStop(() => sql.end());
    const { firstClient, ...identities } = await onboardPartners(sql, dir, PARTNERS);
    await sql.unsafe(readFileSync(new URL("../peers/book_orders_schema.sql", import.meta.url), "utf8"));
    const settings = { socket, baseUrl, ...identities };
    const generator = await startGenerator(settings);
    onStop(() => generator.stop());
    return {
      ...{ dir, sql, databaseUrl, operator, generator, settings, firstClient },
      servicePid: pids.server,
      postgresPid: database.pid,
    };
  });
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
  return await startPostgres({ dataDir, port, settings: POSTGRES_SETTINGS });
}
