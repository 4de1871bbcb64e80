import postgres from "postgres";
import { type PostgresOptions, type RunningPostgres, startPostgres } from "@gold-partner/local-postgres";
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
const SERVICE_LOGINS = ["gold_api", "gold_delivery", "gold_ticker", "gold_trust"];

/** Starts Postgres, or finds it running. The watchdog guards Postgres as soon as Postgres has a pid. */
export function launchPostgres(
  state: State,
  watchdog?: Watchdog,
  ports: Pick<PostgresOptions, "port" | "sparedPort"> = {},
): Promise<RunningPostgres> {
  return startPostgres({
    ...ports,
    dataDir: state.path("postgres"),
    onServer: (pid, clusterDir) =>
      watchdog?.guard({ pid, command: clusterDir, signals: ["SIGINT", "SIGQUIT", "SIGKILL"] }),
  });
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
    operators: [await urlOf("operator_one"), await urlOf("operator_two")],
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
 * Creates the database and a separate login for each role, as in production. Only this setup connects as a
 * superuser.
 */
export async function createDatabase(
  state: State,
  { superuserUrl }: Pick<RunningPostgres, "superuserUrl">,
): Promise<void> {
  const sql = postgres(superuserUrl("postgres"), { max: 1, onnotice: () => {} });
  try {
    for (const login of ["gold_migration", ...SERVICE_LOGINS, "operator_one", "operator_two"]) {
      await ensureLogin(sql, login, await passwordOf(state, login));
    }
    await sql`alter role gold_migration createrole`;
    // The migration login needs the admin option to grant gold_operator, because the superuser created this
    // role. In production the migration login creates it.
    await sql`grant gold_operator to gold_migration with admin option`;
    await sql`grant gold_operator to operator_one, operator_two`;
    // The migration login needs the admin option to limit the sessions of these logins, because the superuser
    // created them.
    await sql.unsafe(
      `grant ${SERVICE_LOGINS}, operator_one, operator_two to gold_migration with admin option`,
    );
    const [known] = await sql`select 1 from pg_database where datname = ${NAME}`;
    if (!known) await sql.unsafe(`create database ${NAME} owner gold_migration`);
  } finally {
    await sql.end();
  }
}

async function ensureLogin(sql: postgres.Sql, username: string, password: string): Promise<void> {
  const [known] = await sql`select 1 from pg_roles where rolname = ${username}`;
  const [group] = await sql`select 1 from pg_roles where rolname = 'gold_operator'`;
  if (!group) await sql`create role gold_operator nologin`;
  // The interpolation is safe: this program supplies both values, a fixed name and hexadecimal digits.
  await sql.unsafe(`${known ? "alter" : "create"} role ${username} login password '${password}'`);
}
