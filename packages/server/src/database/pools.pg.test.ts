import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runtimeArguments } from "../../../../tools/testing/runtime_arguments.ts";
import { testPostgres } from "@gold-partner/dev/postgres";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { until } from "../../../../tools/testing/until.ts";
import { closePools, connect, openPools } from "./pools.ts";
import type { Pool } from "./query.ts";
import { setUp } from "../../testing/set_up.ts";

const FIXTURE = fileURLToPath(new URL("./pool_fixture.ts", import.meta.url));
const DEPLOYMENT = fileURLToPath(new URL("../../../../docs/deployment.md", import.meta.url));
/**
 * The driver's own pool keeps at least 8 bytes for each statement. The runtime itself may keep up to 500 kB
 * more than before, however many statements ran.
 */
const STATEMENTS = 200_000;
/** Statements at once, so that every connection of a pool is opened. */
const MORE_THAN_ANY_POOL = 12;

describe("connect() with several connections", () => {
  const server = setUp(testPostgres);

  it("runs at most one statement per connection, and starts waiting statements in order", async () => {
    const sql = connect(server.superuserUrl(), 2);
    const ended: string[] = [];
    const ask = async (name: string, seconds: number) => {
      const [row] = await sql`select pg_backend_pid() as pid, pg_sleep(${seconds})`;
      ended.push(name);
      return row!.pid as number;
    };
    const pids = await Promise.all([
      // The first statement takes longer than all others together.
      ask("long", 4),
      ask("short", 0.1),
      ask("third", 0.1),
      ask("fourth", 0.1),
    ]);
    await sql.end();
    assertEquals(ended, ["short", "third", "fourth", "long"]);
    assertEquals(new Set(pids).size, 2);
    assertEquals(pids[2], pids[1]);
  });

  it("continues after a failed statement", async () => {
    const sql = connect(server.superuserUrl(), 2);
    for (let times = 0; times < 3; times++) {
      await assertRejects(async () => void await sql`select 1 / 0`, Error, "division by zero");
    }
    assertEquals([...await sql`select 1 as one`], [{ one: 1 }]);
    await sql.end();
    await assertRejects(async () => void await sql`select 1`, Error, "CONNECTION_ENDED");
  });

  it("sends no statement on a connection that closes itself in that moment", async () => {
    const sql = connect(server.superuserUrl(), 1, { statementTimeoutMs: 200 });
    await sql`select 1`;
    const [silentMs, lateMs] = [2200, 100];
    const answer = new Promise((resolve) =>
      setTimeout(() => resolve(sql`select 1 as one`), silentMs + lateMs)
    );
    // Neither the socket's timer nor the one above can run before both are due.
    const untilMs = performance.now() + silentMs + 2 * lateMs;
    while (performance.now() < untilMs);
    assertEquals([...await answer as object[]], [{ one: 1 }]);
    await sql.end();
  });

  it("returns each statement's own rows after the connection of an earlier statement was lost", async () => {
    const sql = connect(server.superuserUrl(), 1);
    const observer = connect(server.superuserUrl(), 1);
    const cutByItself = () => sql`select pg_terminate_backend(pg_backend_pid())`;
    const cutWithParameter = () => sql`select pg_terminate_backend(pg_backend_pid()), ${1}::int`;
    const cutByAnother = async () => {
      const [row] = await sql`select pg_backend_pid() as pid`;
      const sleeping = sql`select pg_sleep(60)`.then(() => {}, (error) => error as Error);
      await until(async () =>
        (await observer`select from pg_stat_activity where pid = ${row!.pid} and wait_event = 'PgSleep'`)
          .length === 1
      );
      await observer`select pg_terminate_backend(${row!.pid})`;
      throw await sleeping;
    };
    let queries = 0;
    for (const cut of [cutByItself, cutWithParameter, cutByAnother, cutWithParameter, cutByItself]) {
      await assertRejects(async () => void await cut());
      for (let times = 0; times < 3; times++) {
        const rows = await sql`select ${++queries}::int as number`;
        assertEquals([...rows], [{ number: queries }]);
      }
    }
    await sql.end();
    await observer.end();
  });

  it("frees the memory of finished statements, even if some connections are always idle", () => {
    const url = server.superuserUrl();
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [...runtimeArguments(FIXTURE), url, `${STATEMENTS}`],
      {
        encoding: "utf8",
        timeout: 300_000,
      },
    );
    assert(stdout !== "", stderr);
    assert(Number(stdout) < 4 * STATEMENTS, `${STATEMENTS} statements left ${stdout} bytes on the heap`);
  });
});

describe("openPools()", () => {
  it("opens as many connections as docs/deployment.md allows an api process", async () => {
    const server = await testPostgres();
    const url = server.superuserUrl();
    const pools = openPools({ databaseUrl: url, tickerDatabaseUrl: url, lanes: 2 }, () => {});
    try {
      const counts = await Promise.all(
        Object.values(pools).map(async (pool: Pool) => {
          const pids = await Promise.all(
            Array.from({ length: MORE_THAN_ANY_POOL }, async () => {
              const [row] = await pool`select pg_backend_pid() as pid, pg_sleep(0.1)`;
              return row!.pid as number;
            }),
          );
          return new Set(pids).size;
        }),
      );
      const most = counts.reduce((sum, one) => sum + one, 0);
      const [, documented] = /at most (\d+) connections to the database/.exec(
        readFileSync(DEPLOYMENT, "utf8"),
      )!;
      assertEquals(most, Number(documented));
    } finally {
      await closePools(pools);
      await server.stop();
    }
  });
});
