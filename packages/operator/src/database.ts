import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Sql } from "postgres";
import { checkDatabaseUrl, isCancelledWait, openDatabase, unreplicatedError } from "@gold-partner/database";
import { EXIT, Failure, usage } from "./failure.ts";
import { readKeysSetting } from "./key_file.ts";
import { findKeyFileOf, KEY_FILE, type LocalStart, startIn } from "./run_file.ts";

/** The limits as gold.limit_partner takes them. An absent limit stays as it is; null removes it. */
export interface Limits {
  readonly open_quotes?: number | null;
  /** In 0.0001 g. */
  readonly open_grams?: string | null;
  readonly daily_records?: number | null;
  /** In 0.0001 g. */
  readonly net_grams?: string | null;
  readonly daily_withdrawals?: number | null;
  /** In halalas. */
  readonly daily_withdrawn?: string | null;
}

export interface Deployment {
  /** What operators sign for: the environment and a random UUID. */
  readonly id: string;
  readonly environment: "sandbox" | "production";
  readonly publicBaseUrl: string;
  /**
   * Requests per second that the proxy allows for one certificate.
   * A partner's rate is at most a quarter of it.
   */
  readonly floodPerSecond: number;
  /** The rate, burst and limits of a partner that is created without these options. */
  readonly partnerDefaults: {
    readonly ratePerSecond: number;
    readonly burst: number;
    readonly limits: Required<Limits>;
  };
  /** The account from which withdrawals are paid. */
  readonly payoutAccount: { readonly name: string; readonly iban: string; readonly bic: string } | null;
  /** Whether the service may send webhooks to a receiver on its own machine. */
  readonly loopbackReceivers: boolean;
  /** The ports that receivers of webhooks may listen on. */
  readonly webhookPorts: readonly number[];
  readonly attemptsKeptDays: number;
  /** Whether another person must approve changes of partners, credentials, prices and settings. */
  readonly twoPeople: boolean;
  /** When the upgrade from 0.3.0 ended. From then on, orders need a signed request. Null: from the start. */
  readonly requestsKeptSince: Date | null;
}

export interface Db {
  readonly sql: Sql;
  deployment(): Promise<Deployment>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns DATABASE_URL, or the database URL of a running `npm start`. */
export async function findDatabaseUrl(env: Environment, stateDir: string): Promise<string> {
  if (env.DATABASE_URL) return checkUrl(env, "DATABASE_URL");
  return requireStart(stateDir).database_url;
}

/** Returns READ_DATABASE_URL, which may name a standby, else the database URL. */
export async function findReadUrl(env: Environment, databaseUrl: () => Promise<string>): Promise<string> {
  return env.READ_DATABASE_URL ? checkUrl(env, "READ_DATABASE_URL") : await databaseUrl();
}

/**
 * Returns the URL of a second person's login, for actions that take two people. With DATABASE_URL set, the
 * second login of an `npm start` is not used, because it belongs to another database.
 */
export async function findSecondUrl(env: Environment, stateDir: string): Promise<string> {
  if (env.SECOND_DATABASE_URL) return checkUrl(env, "SECOND_DATABASE_URL");
  if (!env.DATABASE_URL) return requireStart(stateDir).second_database_url;
  throw usage(
    "SECOND_DATABASE_URL is not set. This command needs two people: set it to a second operator's login for the same database.",
  );
}

function requireStart(stateDir: string): LocalStart {
  const start = startIn(stateDir);
  if (start) return start;
  throw usage(
    `DATABASE_URL is not set, and no \`npm start\` is running with its state in ${stateDir}. Set DATABASE_URL, or run \`npm start\`.`,
  );
}

/**
 * Returns the path of the file that says where the keys are: GOLD_KEYS, or the key file of the `npm start`
 * whose database this is. Returns undefined if there is neither.
 */
export async function findKeyFile(env: Environment, stateDir: string): Promise<string | undefined> {
  if (env.GOLD_KEYS) return readKeysSetting(env.GOLD_KEYS);
  return env.DATABASE_URL ? await findKeyFileOf(checkUrl(env, "DATABASE_URL")) : resolve(stateDir, KEY_FILE);
}

/**
 * Returns the URL of the migration login, for actions that no operator's login may do. With DATABASE_URL set,
 * the migration login of an `npm start` is not used, because it belongs to another database.
 */
export async function findMigrationUrl(env: Environment, stateDir: string): Promise<string> {
  if (env.MIGRATION_DATABASE_URL) return checkUrl(env, "MIGRATION_DATABASE_URL");
  const url = await findDatabaseUrl(env, stateDir);
  if (env.DATABASE_URL) return url;
  return await readFile(join(stateDir, "keys", "migration_database_url"), "utf8").then(
    (text) => text.trim(),
    () => url,
  );
}

/** Checks a database URL. The URL may hold a password, so no message repeats it. */
export function checkUrl(env: Environment, name: string, url = env[name]!): string {
  try {
    return checkDatabaseUrl(url, env.GOLD_ENV);
  } catch (error) {
    throw usage(`${name} ${(error as Error).message}`);
  }
}

// A command locks a client's account and the audit trail, and orders wait for these locks. So a command fails
// after a short time. These limits replace the login's limits, which are meant for psql. Verifications have
// no statement timeout.
const LOCK_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;
const IDLE_TIMEOUT_MS = 5_000;
/** A read for a person takes milliseconds. A longer one must not hold a snapshot, which vacuum waits for. */
const READ_TIMEOUT_MS = 2_000;

/** Opens a connection that cannot write. */
export const connectReader = (url: string): Sql =>
  connect(url, { statement_timeout: READ_TIMEOUT_MS, default_transaction_read_only: true });

export function connect(url: string, parameters: Readonly<Record<string, number | boolean>> = {}): Sql {
  return openDatabase(url, {
    connect_timeout: 5,
    // The driver fails the current statement with what this handler throws. So no command reports a change as
    // made if Postgres committed it without the standby.
    onnotice: (notice) => {
      if (isCancelledWait(notice)) throw unreplicatedError();
    },
    connection: {
      application_name: "gold",
      lock_timeout: LOCK_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
      // As the service's connections, whatever the defaults of the database and the login are.
      default_transaction_isolation: "read committed",
      TimeZone: "UTC",
      ...parameters,
    },
  });
}

/**
 * Returns the database's clock. A certificate or list dated in the future is refused everywhere, and the
 * clock of the person who runs `gold` may be ahead.
 */
export async function readClock(sql: Sql): Promise<Date> {
  const [row] = await sql`select clock_timestamp() as at`;
  return row!.at;
}

export function openDb(sql: Sql): Db {
  return {
    sql,
    async deployment() {
      const [row] = await sql`
        select *, partner_open_grams::text, partner_net_grams::text, partner_daily_withdrawn::text from gold.deployment_overview`;
      if (!row) {
        throw new Failure(
          EXIT.refused,
          "not_settled",
          "The database is not assigned to a deployment yet. Run `gold db migrate --env … --base-url … --pepper … --sealing-key …`.",
        );
      }
      return {
        id: row.id,
        environment: row.environment,
        publicBaseUrl: row.public_base_url,
        floodPerSecond: row.flood_per_second,
        partnerDefaults: {
          ratePerSecond: row.partner_rate_per_second,
          burst: row.partner_burst,
          limits: {
            open_quotes: row.partner_open_quotes,
            open_grams: row.partner_open_grams,
            daily_records: row.partner_daily_records,
            net_grams: row.partner_net_grams,
            daily_withdrawals: row.partner_daily_withdrawals,
            daily_withdrawn: row.partner_daily_withdrawn,
          },
        },
        payoutAccount: row.payout_iban &&
          { name: row.payout_name, iban: row.payout_iban, bic: row.payout_bic },
        loopbackReceivers: row.loopback_receivers,
        webhookPorts: row.webhook_ports,
        attemptsKeptDays: row.attempts_kept_days,
        twoPeople: row.two_people || row.environment === "production",
        requestsKeptSince: row.requests_kept_since,
      };
    },
  };
}
