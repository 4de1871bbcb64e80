import { testPostgres } from "@gold-partner/dev/postgres";
import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import postgres, { type Sql } from "postgres";
import { migrate } from "./migrate.ts";
import { readMigrations } from "./migrations.ts";
import { requireSchema } from "./schema_version.ts";
import { setUp } from "../../testing/set_up.ts";
import { suiteBooks } from "../../testing/books.ts";
import { columnOf } from "../../testing/rows.ts";

const [OLDEST, NEWEST] = [0, -1].map((n) => readMigrations().at(n)!.folderMillis) as [number, number];

describe("the version of the schema", () => {
  const [server, books] = [setUp(testPostgres), suiteBooks()];

  /** Runs `act` while the newest migration of the database is recorded with another time. */
  async function at(time: number, act: (sql: Sql) => Promise<void>): Promise<void> {
    const { sql } = books;
    const set = (from: number, to: number) =>
      sql`update gold_migrations.__drizzle_migrations set created_at = ${to} where created_at = ${from}`;
    await set(NEWEST, time);
    try {
      await act(sql);
    } finally {
      await set(time, NEWEST);
    }
  }
  const routines = (sql: Sql) =>
    columnOf<string>(sql`select oid::text from pg_proc where pronamespace = 'gold'::regnamespace order by 1`);

  it("lets a process of this version start on its own schema and on a later one", async () => {
    await requireSchema(books.api);
    await at(NEWEST + 1, () => requireSchema(books.api));
  });

  it("refuses a process on an earlier schema, and says what to do", async () => {
    await at(NEWEST - 1, async () => {
      await assertRejects(() => requireSchema(books.api), Error, "Run `gold db migrate` of this version");
    });
    const empty = postgres(await server.createDatabase(), { max: 1, onnotice: () => {} });
    try {
      await assertRejects(() => requireSchema(empty), Error, "Run `gold db migrate` of this version");
      await empty`create schema gold`;
      await assertRejects(() => requireSchema(empty), Error, "Run `gold db migrate` of this version");
    } finally {
      await empty.end();
    }
  });

  it("is never lowered: an earlier version refuses to migrate a later schema, and changes nothing", async () => {
    await at(NEWEST + 1, async (sql) => {
      const before = await routines(sql);
      const error = await assertRejects(() => migrate(books.url), Error, "A later version has migrated");
      assertEquals((error as { code?: string }).code, "migration_refused");
      assertEquals(await routines(sql), before);
    });
    await migrate(books.url);
  });

  it("is raised only from 0.5.0 on, after the end of that upgrade", async () => {
    const url = await server.createDatabase();
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const refused = async () => {
      const error = await assertRejects(() => migrate(url), Error, "only databases of 0.5.0 and later");
      assertEquals((error as { code?: string }).code, "migration_refused");
    };
    try {
      await migrate(url);
      await sql`delete from gold_migrations.__drizzle_migrations where created_at > ${OLDEST}`;
      // The next error shows that it went on: the columns of the later migrations are already there.
      await assertRejects(() => migrate(url), Error, "already exists");
      await sql`grant execute on all functions in schema gold to gold_api`;
      await refused();
      await sql`revoke execute on all functions in schema gold from gold_api`;
      await sql`alter table gold.idempotency_key drop constraint idempotency_key_signed`;
      await refused();
      await sql`update gold_migrations.__drizzle_migrations set created_at = ${OLDEST - 1}`;
      await refused();
    } finally {
      await sql.end();
    }
  });
});
