import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type TestPostgres, testPostgres } from "@gold-partner/dev/postgres";
import { assertEquals } from "../../../../../tools/testing/assert.ts";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import { after, before, describe, it } from "node:test";
import postgres, { type Sql } from "postgres";
import { migrate } from "../../database/migrate.ts";

const MIGRATIONS = fileURLToPath(new URL("../../../migrations", import.meta.url));

describe("the migration that adds limits", () => {
  let server: TestPostgres;
  before(async () => {
    server = await testPostgres();
  });
  after(() => server.stop());

  /** Creates a database of the version before limits, with three partners, and migrates it. */
  async function migrated(environment: "sandbox" | "production", look: (sql: Sql) => Promise<void>) {
    const url = await server.createDatabase();
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      await migrateToBefore(sql);
      await sql`insert into gold.deployment (environment, public_base_url) values (${environment}, 'https://gold.example')`;
      await sql`insert into gold.registry_version (version) values (1)`;
      await sql`
        insert into gold.partner (public_id, name, iban, rate_per_second, burst, maximum_grams)
        select 'live_0000000000000000000' || n, 'Example', 'SA0380000000608010167519', rate, 200, grams
        from (values (1, 50, 10000000), (2, 51, 10000000), (3, 50, 20000000)) p (n, rate, grams) order by n`;
      await sql`insert into gold.account (bucket, client_id, event_sequence) values (1, 1, 7), (2, 2, 0), (3, 3, 0)`;
      await migrate(url);
      await look(sql);
    } finally {
      await sql.end();
    }
  }

  it("limits production partners with the default rate, and sets the limits of new partners", async () => {
    await migrated("production", async (sql) => {
      const rows = await sql`
        select client_id, maximum_open_quotes, maximum_open_grams::text, maximum_daily_records, counted_sequence::text,
          open_from between gold.first_id_at(clock_timestamp() - interval '61 minutes') and gold.first_id_at(clock_timestamp() - interval '59 minutes') as recent
        from gold.allowance order by client_id`;
      const limits = { maximum_open_quotes: 100, maximum_daily_records: 100_000, recent: true };
      assertEquals([...rows], [
        { client_id: 1, ...limits, maximum_open_grams: "50000000", counted_sequence: "7" },
        { client_id: 3, ...limits, maximum_open_grams: "100000000", counted_sequence: "0" },
      ]);
      assertEquals(await defaultsOf(sql), [100, "50000000", 100_000]);
    });
  });

  it("leaves a sandbox unlimited", async () => {
    await migrated("sandbox", async (sql) => {
      assertEquals([...await sql`select client_id from gold.allowance`], []);
      assertEquals(await defaultsOf(sql), [null, null, null]);
    });
  });
});

async function defaultsOf(sql: Sql): Promise<unknown[]> {
  const [row] = await sql`
    select partner_open_quotes, partner_open_grams::text, partner_daily_records from gold.deployment`;
  return Object.values(row!);
}

async function migrateToBefore(sql: Sql): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gold-migrations-"));
  try {
    await cp(MIGRATIONS, folder, { recursive: true });
    // drizzle's migrator runs all migrations in one transaction, where no index can be built concurrently.
    const contract = join(folder, "0001_contract.sql");
    await writeFile(contract, (await readFile(contract, "utf8")).replaceAll("INDEX CONCURRENTLY", "INDEX"));
    const file = join(folder, "meta", "_journal.json");
    const journal = JSON.parse(await readFile(file, "utf8")) as { entries: { tag: string }[] };
    const end = journal.entries.findIndex(({ tag }) => tag.endsWith("_partner_limits"));
    await writeFile(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }));
    await applyMigrations(drizzle(sql), { migrationsFolder: folder, migrationsSchema: "gold_migrations" });
  } finally {
    await rm(folder, { recursive: true });
  }
}
