import { testPostgres } from "@gold-partner/dev/postgres";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import postgres, { type Sql } from "postgres";
import { until } from "../../../../tools/testing/until.ts";
import { readConcurrentIndex } from "./concurrent_indexes.ts";
import { migrate } from "./migrate.ts";
import { readMigrations } from "./migrations.ts";
import { setUp } from "../../testing/set_up.ts";

const INDEX = "orders_newest";

describe("the concurrent indexes of migrations", () => {
  let url: string;
  let sql: Sql;
  after(() => sql.end());
  const server = setUp(testPostgres);
  before(async () => {
    url = await server.createDatabase();
    await migrate(url);
    sql = postgres(url, { max: 3, onnotice: () => {} });
  });

  /** "valid", "invalid" or "missing". */
  const stateOf = async (name: string): Promise<string> => {
    const [row] = await sql`
      select i.indisvalid as valid from pg_index i where i.indexrelid = to_regclass(${`gold.${name}`})`;
    return row ? row.valid ? "valid" : "invalid" : "missing";
  };
  const builder = async () =>
    (await sql<{ pid: number; blocked: boolean }[]>`
      select pid, cardinality(pg_blocking_pids(pid)) > 0 as blocked from pg_stat_activity
      where datname = current_database() and query like '%CREATE INDEX CONCURRENTLY%'
        and state = 'active' and pid <> pg_backend_pid()`)[
      0
    ];
  /** Starts a migration that has to build the index, while a transaction has written to its table. */
  async function buildBehindWriter(act: (built: Promise<unknown>, lines: string[]) => Promise<void>) {
    const lines: string[] = [];
    let built: Promise<unknown> = Promise.resolve();
    await sql.begin(async (writer) => {
      await writer`lock table gold.orders in row exclusive mode`;
      built = migrate(url, { onProgress: (line) => lines.push(line) });
      built.catch(() => {});
      await until(async () => (await builder())?.blocked === true);
      await act(built, lines);
    });
    return { built };
  }

  it("are built in order, and a fresh database has them", async () => {
    const names = readMigrations().flatMap(({ sql }) => sql).flatMap((one) => readConcurrentIndex(one) ?? []);
    assertEquals(names, ["funding_newest", INDEX, "idempotency_key_created", "event_other"]);
    for (const name of names) assertEquals(await stateOf(name), "valid");
    assertEquals(readConcurrentIndex('CREATE INDEX "a" ON "gold"."orders" USING btree ("id")'), undefined);
    assertEquals(
      readConcurrentIndex(
        '-- why\nCREATE UNIQUE INDEX CONCURRENTLY "a" ON "gold"."orders" USING btree ("id")',
      ),
      "a",
    );
  });

  it("are built while orders are written, and show their progress", async () => {
    await sql.unsafe(`drop index gold.${INDEX}`);
    const { built } = await buildBehindWriter(async (_, lines) => {
      // Writes continue while the build waits. A plain CREATE INDEX would stop them.
      await sql.begin(async (order) => {
        await order`set local lock_timeout = '1s'`;
        await order`lock table gold.orders in row exclusive mode`;
      });
      const waits = `Index ${INDEX}: waiting for writers before build`;
      await until(() => lines.some((line) => line.startsWith(waits)), () => lines);
    });
    await built;
    assertEquals(await stateOf(INDEX), "valid");
  });

  it("are repaired by the next migration after an interrupted build", async () => {
    await sql.unsafe(`drop index gold.${INDEX}`);
    await buildBehindWriter(async (built) => {
      await sql`select pg_terminate_backend(${(await builder())!.pid})`;
      const error = await assertRejects(() => built, Error, "gold db migrate");
      assertEquals((error as { code?: string }).code, "index_not_built");
    });
    assertEquals(await stateOf(INDEX), "invalid");
    const lines: string[] = [];
    await migrate(url, { onProgress: (line) => lines.push(line) });
    assertEquals(await stateOf(INDEX), "valid");
    assertEquals(lines[0], `Index ${INDEX}: an earlier build was interrupted; building it again`);
  });

  it("are built once by concurrent migrations", async () => {
    await sql.unsafe(`drop index gold.${INDEX}`);
    await Promise.all([migrate(url), migrate(url), migrate(url)]);
    assertEquals(await stateOf(INDEX), "valid");
  });
});
