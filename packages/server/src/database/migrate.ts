import { readFile } from "node:fs/promises";
import { openDatabase } from "@gold-partner/database";
import { PROBLEM_REGISTRY } from "@gold-partner/protocol";
import type { MigrationMeta } from "drizzle-orm/migrator";
import type { TransactionSql } from "postgres";
import { buildIndexes } from "./concurrent_indexes.ts";
import { findMissing, readMigrations } from "./migrations.ts";
import { retryLocked } from "./retry_locked.ts";

/** The advisory lock that makes concurrent migrations of one database run one after the other. */
export const MIGRATION_LOCK = 1_735_355_492;

/** Every migration runs all these files in this order. Each file is beside the code that uses it. */
const ROUTINES = [
  "booking/ledger/quantities.sql",
  "booking/ledger/account_instant.sql",
  "booking/ledger/lock_accounts.sql",
  "booking/ledger/post_transfers.sql",
  "booking/ledger/append_only.sql",
  "booking/idempotency/outcome.sql",
  "booking/idempotency/problem_text.sql",
  "booking/allowance/allowance.sql",
  "booking/allowance/exposure.sql",
  "booking/idempotency/take_turn.sql",
  "booking/outbox/post_event.sql",
  "database/proposals/proposal_text.sql",
  "database/proposals/gate.sql",
  "database/proposals/kinds.sql",
  "database/proposals/require_role.sql",
  "database/audit.sql",
  "booking/trading/price_band.sql",
  "booking/trading/change_price.sql",
  "booking/trading/book_quotes.sql",
  "booking/trading/book_orders.sql",
  "booking/funding/book_funding.sql",
  "booking/withdrawal/book_withdrawal.sql",
  "booking/withdrawal/cancel_withdrawal.sql",
  "booking/change/request_change.sql",
  "booking/redelivery/book_redelivery.sql",
  "booking/redelivery/change_delivery.sql",
  "booking/nonce/spend_nonces.sql",
  "booking/outbox/seal_chain.sql",
  "delivery/expiry/post_expiry_notices.sql",
  "admission/registry/public_key.sql",
  "admission/registry/read_registry.sql",
  "admission/registry/read_trust.sql",
  "booking/withdrawal/advance_withdrawal.sql",
  "booking/withdrawal/payment_document.sql",
  "admission/registry/post_change.sql",
  "admission/registry/change_registry.sql",
  "admission/registry/change_endpoints.sql",
  "admission/registry/change_credentials.sql",
  "admission/registry/change_authority.sql",
  "admission/registry/change_service_key.sql",
  "booking/change/decide_change.sql",
  "admission/usage/record_use.sql",
  "admission/rate/share_rates.sql",
  "booking/deposit/change_deposit.sql",
  "booking/ledger/balance_at.sql",
  "reads/read_day_limits.sql",
  "delivery/closing/epoch.sql",
  "delivery/closing/close_day.sql",
  "delivery/closing/sign_day.sql",
  "booking/ledger/stripes.sql",
  "booking/ledger/change_vault.sql",
  "delivery/verify_delivery.sql",
  "booking/ledger/verify_ledger.sql",
  "reads/record_members.sql",
  "reads/record_text.sql",
  "reads/find_record.sql",
  "reads/list_records.sql",
  "reads/read_events.sql",
  "reads/read_statement.sql",
  "reads/read_reserves.sql",
  "reads/read_credentials.sql",
  "reads/read_account.sql",
  "reads/operators/page_trades.sql",
  "reads/operators/find_request.sql",
  "reads/operators/find_records.sql",
  "reads/price_minutes.sql",
  "reads/operators/price_bars.sql",
  "reads/operators/limit_use.sql",
  "reads/operators/trace_event.sql",
  "reads/operators/trace_order.sql",
  "reads/operators/day_figures.sql",
  "delivery/keep_attempts.sql",
  "delivery/hold_endpoints.sql",
  "delivery/take_deliveries.sql",
  "delivery/settle_attempts.sql",
  "delivery/read_backlog.sql",
  "database/read_archive.sql",
  "delivery/read_figures.sql",
  "database/settle_deployment.sql",
  "database/proposals/deployment_id.sql",
  "database/session_limits.sql",
  "database/probe_write.sql",
  "database/keep_heads.sql",
  "database/schema_version.sql",
  "database/operator_login.sql",
  "database/proposals/members.sql",
  "database/proposals/signed_rows.sql",
  "database/proposals/operator_key.sql",
  "database/proposals/apply_change.sql",
  "database/proposals/change_alone.sql",
  "database/proposals/outdated.sql",
  "database/proposals/propose.sql",
  "database/plain_text.sql",
  "database/triggers.sql",
];

/**
 * Only a sandbox has these functions. A migration drops every function that it did not create, so production
 * has none of them.
 */
const SIMULATIONS = [
  "booking/simulation/simulate_money.sql",
  "booking/simulation/simulate_market.sql",
  "booking/simulation/simulate_event.sql",
  "booking/simulation/book_simulation.sql",
];

const readSql = (path: string) => readFile(new URL(`../${path}`, import.meta.url), "utf8");

/** How long the migration waits for one lock. An order that needs this lock waits behind the migration. */
const LOCK_TIMEOUT_MS = 300;
/** How long the migration waits for the locks of all tables that it changes. */
const TABLE_LOCKS_TIMEOUT_MS = 500;
/** How long `migrate` tries before it gives up. */
const TIMEOUT_MS = 60_000;

/**
 * Brings a database to this version: roles, missing migrations, routines, triggers, views and grants, in one
 * transaction. It succeeds or changes nothing. After that transaction, it builds the indexes that migrations
 * declare as concurrent. It calls `onProgress` with lines about the indexes. `url` must name the migration
 * login. This login is a member of gold_owner, which owns the tables.
 *
 * Orders continue during the migration. It waits up to `waitLimitMs` for another migration, but at most
 * LOCK_TIMEOUT_MS for any other lock. That is less than Postgres's deadlock_timeout of 1 s. So if the
 * migration and a transaction of the service block each other, the migration fails, and starts again after a
 * pause.
 *
 * A sandbox also gets the simulations. `environment` says whether the database is a sandbox. Without it, the
 * recorded deployment decides, and a database without a deployment counts as production.
 *
 * @returns the warnings of the database, such as the logins that got no time limits.
 * @throws MigrationBlocked when other sessions blocked every attempt for `waitLimitMs`, MigrationRefused when
 * this version must not migrate the database now, and IndexNotBuilt when only the build of an index failed.
 */
export async function migrate(
  url: string,
  { waitLimitMs = TIMEOUT_MS, onProgress = () => {}, ...options }: MigrationOptions = {},
): Promise<readonly string[]> {
  const files = await readFiles();
  const warnings = new Set<string>();
  const sql = openDatabase(url, {
    onnotice: ({ severity, message }) => severity === "WARNING" && warnings.add(message!),
    connection: { application_name: "gold db migrate" },
  });
  const observer = openDatabase(url, { onnotice: () => {} });
  try {
    await retryLocked(
      sql,
      observer,
      waitLimitMs,
      (transaction) => apply(transaction, files, { waitLimitMs, ...options }),
    );
    await buildIndexes(url, files.migrations, onProgress);
  } finally {
    await Promise.all([sql.end(), observer.end()]);
  }
  return [...warnings];
}

interface MigrationOptions {
  readonly waitLimitMs?: number | undefined;
  readonly environment?: "sandbox" | "production" | undefined;
  /** Receives lines about long work, such as the build of an index. */
  readonly onProgress?: (line: string) => void;
}

/** The other files of this folder that a migration runs, besides ROUTINES. */
const PARTS = [
  "roles",
  "release_0_5_0",
  "release_0_6_0",
  "views",
  "grants",
  "privileges",
  "sandbox_grants",
] as const;

interface Files extends Record<typeof PARTS[number], string> {
  readonly migrations: readonly MigrationMeta[];
  readonly routines: string;
  readonly simulations: string;
}

/** Reads all files before the transaction begins, so that no lock is held while a disk is slow. */
async function readFiles(): Promise<Files> {
  const readAll = async (paths: readonly string[]) => (await Promise.all(paths.map(readSql))).join("\n");
  const parts = await Promise.all(PARTS.map(async (name) => [name, await readSql(`database/${name}.sql`)]));
  return {
    ...Object.fromEntries(parts) as Record<typeof PARTS[number], string>,
    migrations: readMigrations(),
    routines: await readAll(ROUTINES),
    simulations: await readAll(SIMULATIONS),
  };
}

async function apply(
  sql: TransactionSql,
  files: Files,
  { waitLimitMs = TIMEOUT_MS, environment }: MigrationOptions,
): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${waitLimitMs}`}, true)`;
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
  await sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}`}, true)`;
  await sql.unsafe(files.roles);
  const isSandbox = (environment ?? await readEnvironment(sql)) === "sandbox";
  const missing = await findMissing(sql, files.migrations);
  await lockTables(sql, missing);
  // Use few round trips from here on, because orders may wait.
  const views = readViews(files.views);
  await sql.unsafe(
    [
      missing,
      files.routines,
      files.release_0_5_0,
      files.release_0_6_0,
      isSandbox ? files.simulations : "",
      ...views.map(({ name, query }) => `create temporary view ${name} as ${query};`),
    ]
      .join("\n"),
  );
  const changed = await findChangedViews(sql, views);
  await fillProblems(sql);
  await sql.unsafe([
    ...changed,
    `drop view ${views.map(({ name }) => `pg_temp.${name}`).join(", ")};`,
    files.grants,
    files.privileges,
    isSandbox ? files.sandbox_grants : "",
    "select gold.limit_all_sessions();",
    // Create the partition that the first attempt needs. A delivery worker creates the later ones.
    "select gold.keep_attempts();",
  ].join("\n"));
}

async function readEnvironment(sql: TransactionSql): Promise<string | undefined> {
  const [{ known } = {}] = await sql`select to_regclass('gold.deployment') is not null as known`;
  const [row] = known ? await sql`select environment from gold.deployment` : [];
  return row?.environment;
}

/**
 * Locks the account table and every existing table that `text` names, all or none within a short time. Every
 * transaction that moves money locks the account table first. So transactions in progress finish, and a new
 * transaction waits for the account table before it has done anything.
 *
 * A view is locked before its tables, as its readers do. Otherwise a reader could hold the view and wait for
 * the table, and the migration could not replace the view. Locking a view also locks all tables that it
 * reads. So only the views that read no other table are locked.
 */
async function lockTables(sql: TransactionSql, text: string): Promise<void> {
  if (text === "") return;
  const named = Array.from(text.matchAll(/"gold"\."(\w+)"/g), ([, name]) => name!);
  const tables = await sql`
    with named as (
      select oid, relname, relkind from pg_class
      where relnamespace = to_regnamespace('gold') and relkind in ('r', 'p') and relname in ${
    sql(["account", ...named])
  }
    ), view as (
      select c.oid, c.relname, c.relkind from pg_class c
      join pg_rewrite w on w.ev_class = c.oid
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
        and d.refobjid <> c.oid
      where c.relnamespace = to_regnamespace('gold') and c.relkind = 'v'
      group by c.oid having bool_and(d.refobjid in (select n.oid from named n))
    )
    select oid::regclass::text as name from (table named union all table view) relation
    order by relname <> 'account', relkind <> 'v', relname`;
  if (tables.length === 0) return;
  await sql`select set_config('statement_timeout', ${`${TABLE_LOCKS_TIMEOUT_MS}`}, true)`;
  const names = tables.map(({ name }) => name).join(", ");
  await sql.unsafe(`lock table ${names} in access exclusive mode; set local statement_timeout = 0`);
}

interface View {
  readonly name: string;
  readonly query: string;
  readonly statement: string;
}

const VIEW = /^create or replace view gold\.(\w+) as\s([^;]+);/gm;

const readViews = (text: string): View[] =>
  Array.from(text.matchAll(VIEW), ([statement, name, query]) => ({ statement, name: name!, query: query! }));

/**
 * Returns the statements of the views that differ from the database's views. Replacing a view blocks its
 * readers until the migration commits, so an unchanged view is kept. Only definitions in Postgres's own
 * spelling can be compared. So the caller first creates each view as a temporary view, too, and this function
 * compares how Postgres spells both. A view may read tables but not other views, because other views of this
 * version may not exist yet.
 */
async function findChangedViews(sql: TransactionSql, views: readonly View[]): Promise<string[]> {
  const same = await sql`
    select name from unnest(${views.map(({ name }) => name)}::text[]) name
    where pg_get_viewdef(to_regclass('gold.' || name)) = pg_get_viewdef(to_regclass('pg_temp.' || name))`;
  const kept = new Set(same.map(({ name }) => name));
  return views.filter(({ name }) => !kept.has(name)).map(({ statement }) => statement);
}

async function fillProblems(sql: TransactionSql): Promise<void> {
  const problems = Object.entries(PROBLEM_REGISTRY).map(([code, entry]) => ({ code, ...entry }));
  await sql`
    insert into gold.problem (code, status, title, retryable)
    select code, status, title, retryable
    from jsonb_to_recordset(${
    JSON.stringify(problems)
  }::text::jsonb) p (code text, status int, title text, retryable boolean)
    on conflict (code) do update set status = excluded.status, title = excluded.title, retryable = excluded.retryable
    where (problem.status, problem.title, problem.retryable) is distinct from (excluded.status, excluded.title, excluded.retryable)`;
}
