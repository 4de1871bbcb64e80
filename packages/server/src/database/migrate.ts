import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { PROBLEM_REGISTRY } from "@gold-partner/protocol";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";

const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));

/** Whoever migrates takes this advisory lock first, so two at once do it one after the other. */
const MIGRATION_LOCK = 1_735_355_492;

/** Functions and triggers stand beside their room and are applied anew at every migration, in this order. */
const ROUTINES = [
  "booking/ledger/quantities.sql",
  "booking/ledger/post_transfers.sql",
  "booking/ledger/append_only.sql",
  "booking/idempotency/outcome.sql",
  "booking/idempotency/problem_text.sql",
  "booking/idempotency/take_turn.sql",
  "booking/outbox/post_event.sql",
  "database/audit.sql",
  "booking/trading/change_price.sql",
  "booking/trading/book_quotes.sql",
  "booking/trading/book_orders.sql",
  "booking/funding/book_funding.sql",
  "booking/withdrawal/book_withdrawal.sql",
  "booking/redelivery/book_redelivery.sql",
  "booking/redelivery/change_delivery.sql",
  "booking/nonce/spend_nonces.sql",
  "booking/outbox/seal_chain.sql",
  "delivery/expiry/post_expiry_notices.sql",
  "admission/registry/read_registry.sql",
  "admission/registry/read_trust.sql",
  "booking/withdrawal/advance_withdrawal.sql",
  "admission/registry/change_registry.sql",
  "admission/registry/change_credentials.sql",
  "admission/registry/change_authority.sql",
  "admission/registry/change_house_key.sql",
  "admission/usage/record_use.sql",
  "booking/deposit/change_deposit.sql",
  "booking/ledger/balance_at.sql",
  "booking/ledger/change_vault.sql",
  "delivery/verify_delivery.sql",
  "booking/ledger/verify_ledger.sql",
  "reads/record_text.sql",
  "reads/find_record.sql",
  "reads/list_records.sql",
  "reads/read_events.sql",
  "reads/read_statement.sql",
  "reads/read_reserves.sql",
  "reads/read_credentials.sql",
  "delivery/keep_attempts.sql",
  "delivery/hold_endpoints.sql",
  "delivery/take_events.sql",
  "delivery/settle_attempts.sql",
  "delivery/read_backlog.sql",
  "database/settle_deployment.sql",
  "database/operator_login.sql",
  "database/views.sql",
  "database/grants.sql",
];

const readSql = (path: string) => readFile(new URL(`../${path}`, import.meta.url), "utf8");

/**
 * Brings a database to this version: roles, the migrations that are missing, then every routine and grant in one
 * transaction. `url` is the migration login's; it owns the schema's objects through gold_owner.
 */
export async function migrate(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    // Behind a long reader it gives up rather than make every order wait behind it.
    await sql`set lock_timeout = '5s'`;
    await sql.unsafe(await readSql("database/roles.sql"));
    await applyMigrations(drizzle(sql), {
      migrationsFolder: MIGRATIONS,
      migrationsSchema: "gold_migrations",
    });
    const routines = await Promise.all(ROUTINES.map(readSql));
    await sql.begin(async (transaction) => {
      // All in one message: `npm start` does this each time.
      await transaction.unsafe(routines.join("\n"));
      const problems = Object.entries(PROBLEM_REGISTRY).map(([code, entry]) => ({ code, ...entry }));
      await transaction`
        insert into gold.problem (code, status, title, retryable)
        select code, status, title, retryable
        from jsonb_to_recordset(${
        JSON.stringify(problems)
      }::text::jsonb) p (code text, status int, title text, retryable boolean)
        on conflict (code) do update set status = excluded.status, title = excluded.title, retryable = excluded.retryable`;
    });
    // Whoever delivers goes on with it; the first attempt needs its week now.
    await sql`select gold.keep_attempts()`;
  } finally {
    await sql.end();
  }
}
