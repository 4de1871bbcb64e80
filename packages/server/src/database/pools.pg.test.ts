import { spawnSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runtimeArguments, type TestPostgres, testPostgres } from "@gold-partner/dev";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { connect } from "./pools.ts";

const TRIAL = fileURLToPath(new URL("./pool_trial.ts", import.meta.url));
const STATEMENTS = 80_000;

describe("connect() with several connections", () => {
  let server: TestPostgres;
  before(async () => server = await testPostgres());
  after(() => server.stop());

  it("has so many statements under way and no more, and those that wait go in their turn", async () => {
    const sql = connect(server.superuserUrl(), 2);
    const ended: string[] = [];
    const ask = async (name: string, seconds: number) => {
      const [row] = await sql`select pg_backend_pid() as pid, pg_sleep(${seconds})`;
      ended.push(name);
      return row!.pid as number;
    };
    const pids = await Promise.all([
      // By seconds longer than the others together.
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

  it("goes on after a statement that failed, and takes names as parts of one", async () => {
    const sql = connect(server.superuserUrl(), 2);
    for (let times = 0; times < 3; times++) {
      await assertRejects(async () => void await sql`select 1 / 0`, Error, "division by zero");
    }
    const [row] = await sql`select name from pg_settings where name in ${sql(["fsync"])}`;
    assertEquals(row!.name, "fsync");
    await sql.end();
    await assertRejects(async () => void await sql`select 1`, Error, "CONNECTION_ENDED");
  });

  it("keeps nothing of a statement that is done, also where some of its connections are always idle", () => {
    const url = server.superuserUrl();
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [...runtimeArguments(TRIAL), url, `${STATEMENTS}`],
      {
        encoding: "utf8",
        timeout: 300_000,
      },
    );
    assert(stdout !== "", stderr);
    assert(Number(stdout) < 4 * STATEMENTS, `${stdout} bytes were kept of ${STATEMENTS} statements`);
  });
});
