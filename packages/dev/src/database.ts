import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import postgres from "postgres";
import {
  isServerOf,
  type PostgresOptions,
  type RunningPostgres,
  startPostgres,
  waitUntil,
} from "./postgres/mod.ts";
import { scramVerifier } from "@gold-partner/operator";
import { sayEnd } from "./child.ts";
import { NO_ROOM } from "./failure.ts";
import type { State } from "./state.ts";
import type { Watchdog } from "./watchdog.ts";

export interface Database {
  readonly postgres: RunningPostgres;
  /** URLs with the logins of the service, of the migration and of two operators. */
  readonly urls: {
    readonly api: string;
    readonly delivery: string;
    readonly ticker: string;
    readonly trust: string;
    readonly migration: string;
    readonly operators: readonly [string, string];
  };
}

const NAME = "gold";
const POLL_MS = 250;
/** The number of characters at the end of the log that are searched for the reason. */
const LOG_TAIL = 4000;
const OPERATORS = ["operator_one", "operator_two"] as const;
const SERVICE_LOGINS = ["gold_api", "gold_delivery", "gold_ticker", "gold_trust"];

/**
 * Starts Postgres, or finds it running. The watchdog guards Postgres even if this program is killed right
 * after it started Postgres, because it knows the cluster before Postgres exists. If the watchdog is killed,
 * too, Postgres stops by itself.
 */
export function launchPostgres(
  state: State,
  watchdog?: Watchdog,
  ports: Pick<PostgresOptions, "port" | "sparedPort"> = {},
): Promise<RunningPostgres> {
  const signals = ["SIGINT", "SIGQUIT", "SIGKILL"] as const;
  return startPostgres({
    ...ports,
    dataDir: state.path("postgres"),
    endsWithProcess: true,
    beforeServer: (clusterDir) => watchdog?.guard({ command: clusterDir, signals }),
    onServer: (pid, clusterDir) => watchdog?.guard({ pid, command: clusterDir, signals }),
  });
}

/**
 * Runs the steps that need Postgres, and throws as soon as Postgres ends. A statement that is in flight at
 * that moment may never get an answer from the driver. A step may also fail because Postgres is ending, so
 * the error names that cause.
 */
export async function whilePostgresRuns<T>(
  state: State,
  { pid }: RunningPostgres,
  act: () => Promise<T>,
): Promise<T> {
  const hasEnded = () => !isServerOf(state.path("postgres", "cluster"), pid);
  let poll: ReturnType<typeof setInterval> | undefined;
  const ended = new Promise<never>((_, reject) => {
    poll = setInterval(() => {
      if (hasEnded()) reject(endError(state));
    }, POLL_MS);
  });
  try {
    return await Promise.race([act(), ended]);
  } catch (error) {
    throw await waitUntil(hasEnded, POLL_MS) ? endError(state) : error;
  } finally {
    clearInterval(poll);
  }
}

/** Waits until Postgres ends, and says how. */
export async function sayPostgresEnd(state: State, { ended }: RunningPostgres): Promise<string> {
  const end = await ended;
  const said = end === undefined ? "Postgres, which was already running, ended." : sayEnd("Postgres", end);
  return `${said} See its log: ${logOf(state)}`;
}

const logOf = (state: State): string => state.path("postgres", "postgres.log");

function endError(state: State): Error {
  const log = logOf(state);
  const noRoom = NO_ROOM.exec(readFileSync(log, "utf8").slice(-LOG_TAIL))?.[0];
  return new Error(`Postgres ended during the start${noRoom ? `: ${noRoom}` : ""}. See its log: ${log}`);
}

/** Returns the logins' URLs for servers on these ports. Several servers are a primary and its standbys. */
export async function urlsAt(state: State, ...ports: readonly number[]): Promise<Database["urls"]> {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  const target = ports.length > 1 ? "?target_session_attrs=primary" : "";
  const urlOf = async (login: string) =>
    `postgres://${login}:${await passwordOf(state, login)}@${hosts}/${NAME}${target}`;
  return {
    api: await urlOf("gold_api"),
    delivery: await urlOf("gold_delivery"),
    ticker: await urlOf("gold_ticker"),
    trust: await urlOf("gold_trust"),
    migration: await urlOf("gold_migration"),
    operators: [await urlOf(OPERATORS[0]), await urlOf(OPERATORS[1])],
  };
}

const passwordOf = (state: State, login: string) => state.secret(`database_${login}`, 24);

/** Starts Postgres and creates its database. */
export async function openDatabase(
  state: State,
  watchdog?: Watchdog,
  ports: Pick<PostgresOptions, "sparedPort"> = {},
): Promise<Database> {
  const server = await launchPostgres(state, watchdog, ports);
  await createDatabase(state, server);
  return { postgres: server, urls: await urlsAt(state, server.port) };
}

/**
 * Creates the database and a separate login for the migration and for each process, as in production. Only
 * this setup connects as a superuser. ensureOperators() creates the operators' logins after the migration.
 */
export async function createDatabase(
  state: State,
  { superuserUrl }: Pick<RunningPostgres, "superuserUrl">,
): Promise<void> {
  const sql = postgres(superuserUrl("postgres"), { max: 1, onnotice: () => {} });
  try {
    for (const login of ["gold_migration", ...SERVICE_LOGINS]) {
      await ensureLogin(sql, login, await passwordOf(state, login));
    }
    await sql`alter role gold_migration createrole`;
    // The migration login needs the admin option to limit the sessions of these logins, because the superuser
    // created them.
    await sql.unsafe(`grant ${SERVICE_LOGINS} to gold_migration with admin option`);
    const [known] = await sql`select 1 from pg_database where datname = ${NAME}`;
    if (!known) await sql.unsafe(`create database ${NAME} owner gold_migration`);
  } finally {
    await sql.end();
  }
}

/** Creates the logins of the two operators in a migrated database, as `gold operator add` does. */
export async function ensureOperators(
  state: State,
  { migration }: Pick<Database["urls"], "migration">,
): Promise<void> {
  const sql = postgres(migration, { max: 1, onnotice: () => {} });
  try {
    for (const login of OPERATORS) {
      const [known] = await sql`select 1 from pg_roles where rolname = ${login}`;
      if (known) continue;
      const verifier = scramVerifier(await passwordOf(state, login), randomBytes);
      await sql`select gold.add_operator(${login}, ${verifier})`;
    }
  } finally {
    await sql.end();
  }
}

async function ensureLogin(sql: postgres.Sql, username: string, password: string): Promise<void> {
  const [known] = await sql`select 1 from pg_roles where rolname = ${username}`;
  // The interpolation is safe: this program supplies both values, a fixed name and hexadecimal digits.
  await sql.unsafe(`${known ? "alter" : "create"} role ${username} login password '${password}'`);
}
