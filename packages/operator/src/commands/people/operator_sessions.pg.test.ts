import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import postgres, { type Sql } from "postgres";
import { migrate } from "@gold-partner/server";
import { type TestPostgres, testPostgres } from "@gold-partner/dev/postgres";
import { randomBytes } from "node:crypto";
import { dropLogins } from "../../../../../tools/testing/drop_logins.ts";
import { until } from "../../../../../tools/testing/until.ts";

const LIMITS = ["idle_in_transaction_session_timeout=5000", "lock_timeout=2000", "statement_timeout=10000"];

describe("sessions of operators", () => {
  let server: TestPostgres;
  let url: string;
  let sql: Sql;
  const name = `person_${randomBytes(6).toString("hex")}`;
  before(async () => {
    server = await testPostgres();
    url = await server.createDatabase();
    await migrate(url);
    sql = postgres(url, { max: 1, onnotice: () => {} });
  });
  after(async () => {
    await dropLogins(sql, name, `${name}_by_hand`);
    await sql.end();
    await server.stop();
  });

  const limitsOf = async (login: string) => {
    const [row] = await sql`
      select array(select unnest(setconfig) order by 1) as settings from pg_db_role_setting
      where setrole = ${login}::regrole and setdatabase = (select oid from pg_database where datname = current_database())`;
    return row?.settings;
  };
  function connectAs(login: string): Sql {
    const own = new URL(url);
    [own.username, own.password] = [login, login];
    return postgres(own.href, { max: 1, onnotice: () => {} });
  }

  it("end if they hold a lock in an idle transaction, so that the next price can be stored", async () => {
    await sql`select gold.add_operator(${name}, ${name})`;
    await sql`select gold.set_price('simulated', 10000, 10100, 9900, 100, 600, null)`;
    const person = connectAs(name);
    const ticker = postgres(url, {
      max: 1,
      onnotice: () => {},
      connection: { role: "gold_ticker", lock_timeout: 60_000 },
    });
    const [price] = await ticker`select spread_basis_points, ticked_at::text as at from gold.current_price`;
    // Do not use person.begin(): it would send COMMIT to a connection that Postgres has closed, and the
    // driver would then throw.
    await person.unsafe("begin");
    const [{ pid }] = await person<[{ pid: number }]>`select gold.lock_price(), pg_backend_pid() as pid`;
    try {
      const tick = ticker`
        select gold.tick_price(${price!.at}::text::timestamptz, null, ${
        price!.spread_basis_points
      }, 10001, 10101, 9901, null) as ticked`.execute();
      const waiting = () =>
        sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until(async () => (await waiting()).length > 0);
      assertEquals((await tick)[0]!.ticked, true);
      await until(async () => (await sql`select from pg_stat_activity where pid = ${pid}`).length === 0);
    } finally {
      await Promise.all([ticker.end(), person.end({ timeout: 1 })]);
    }
  });

  it("get timeouts when gold adds the login, or, for a manual login, at the next migration", async () => {
    assertEquals(await limitsOf(name), LIMITS);
    await sql.unsafe(`create role ${name}_by_hand login in role gold_operator`);
    assertEquals(await limitsOf(`${name}_by_hand`), undefined);
    await migrate(url);
    assertEquals(await limitsOf(`${name}_by_hand`), LIMITS);
    assertEquals(await limitsOf("gold_api"), [
      "idle_in_transaction_session_timeout=10000",
      ...LIMITS.slice(1),
    ]);
  });
});
