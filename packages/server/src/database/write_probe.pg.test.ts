import { expectProblem } from "../../testing/problem.ts";
import { suiteService } from "../../testing/service.ts";
import { before, describe, it } from "node:test";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Sql } from "postgres";
import { until } from "../../../../tools/testing/until.ts";
import { Refusal } from "../http/refusal.ts";
import { UNREPLICATED } from "@gold-partner/database";
import { plantQuote } from "../booking/fixture.ts";
import { connect } from "./pools.ts";
import { openWriteProbe, type WriteProbe } from "./write_probe.ts";

describe("openWriteProbe()", () => {
  const service = suiteService();
  let admin: Sql;
  before(async () => {
    admin = service.books.connect("superuser", 1);
  });

  const health = async () => (await service.send("/health", { method: "GET" })).status;
  const read = async (path: string) => {
    const reply = await service.send(path, { method: "GET" });
    assertEquals(reply.status, 200, path);
    return await reply.json() as Record<string, unknown>;
  };
  const open = (sql: Sql, standby = false): Promise<WriteProbe> =>
    openWriteProbe({ sql, standby, monotonicMs: () => performance.now(), log: () => {} });
  /** Changes a default of the database, which only new sessions get. */
  const setDefault = (text: string) =>
    admin.unsafe(`alter database ${new URL(service.books.url).pathname.slice(1)} ${text}`);
  const endSessions = () =>
    admin`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'gold-partner-%'`;

  it("refuses /health and writes while the database is read-only, and still answers reads", async () => {
    assertEquals(await health(), 200);
    const { client } = service.partner;
    const terms = { side: "buy", grams: 1n, price: 3_210_000n, ageSeconds: 90 } as const;
    const expired = await plantQuote(service.books.connect("superuser", 1), { ...terms, client });
    const balances = await read("/v1/balances");
    await setDefault("set default_transaction_read_only = on");
    await until(async () => await health() === 503);
    await endSessions();
    await until(async () => (await service.send("/v1/balances", { method: "GET" })).status === 200);
    const reply = await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":1}' });
    await expectProblem(reply, "service_unavailable");
    assertEquals(await read("/v1/balances"), balances);
    assertEquals(await read(`/v1/balances?at=${balances.as_of}`), balances);
    assertEquals((await read(`/v1/quotes/qt_${expired}`)).status, "expired");
    for (const list of ["orders", "statement?from=2026-01-01&to=2026-01-02"]) await read(`/v1/${list}`);
    await setDefault("reset default_transaction_read_only");
    await endSessions();
    await until(async () => await health() === 200);
    const after = await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":1}' });
    assertEquals(after.status, 201);
  });

  it("refuses /health and writes if new sessions would commit without the disk", async () => {
    try {
      await setDefault("set synchronous_commit = 'OFF'");
      await until(async () => await health() === 503);
      await endSessions();
      const reply = await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":1}' });
      await expectProblem(reply, "service_unavailable");
    } finally {
      await setDefault("reset synchronous_commit");
    }
    await until(async () => await health() === 200);
  });

  it("books at READ COMMITTED, also if the database has another default", async () => {
    try {
      await setDefault("set default_transaction_isolation = 'serializable'");
      await endSessions();
      await until(async () => await health() === 200);
      const reply = await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":1}' });
      assertEquals(reply.status, 201);
    } finally {
      await setDefault("reset default_transaction_isolation");
      await endSessions();
    }
    await until(async () => await health() === 200);
  });

  it("reports no_standby only if a standby is required", async () => {
    const sql = service.books.connect("gold_api", 1);
    const [alone, demanding] = [await open(sql), await open(sql, true)];
    assertEquals([alone.fault(), demanding.fault()], [undefined, "no_standby"]);
    await alone.confirm();
    await assertRejects(() => demanding.confirm(), Error, "standby");
    assertThrows(() => demanding.requirePossible(), Refusal, "standby");
    alone.stop();
    demanding.stop();
  });

  it("refuses writes from a disk_full, read_only or no_standby error until a probe commits", async () => {
    const probe = await open(service.books.connect("gold_api", 1));
    const refusals: Refusal[] = [];
    probe.onRefusing((refusal) => refusals.push(refusal));
    const cases = [["53100", "disk_full"], ["25006", "read_only"], [UNREPLICATED, "no_standby"]];
    for (const [code, fault] of cases) {
      probe.onWriteFailed({ code });
      assertEquals(probe.fault(), fault as string);
      await until(() => probe.fault() === undefined);
    }
    probe.onWriteFailed({ code: "23505" });
    assertEquals([probe.fault(), refusals.length], [undefined, 3]);
    probe.stop();
  });

  for (
    const [set, fault, reset] of [
      ["synchronous_commit = off", "not_durable", "synchronous_commit = on"],
      ["default_transaction_read_only = on", "read_only", "default_transaction_read_only = off"],
    ] as const
  ) {
    it(`reports ${fault} while its session has ${set}`, async () => {
      const sql = service.books.connect("gold_api", 1);
      await sql.unsafe(`set ${set}`);
      const probe = await open(sql);
      assertEquals(probe.fault(), fault);
      await sql.unsafe(`set ${reset}`);
      await until(() => probe.fault() === undefined);
      probe.stop();
    });
  }

  it("does not refuse writes if its own connection is lost twice in a row", async () => {
    const sql = connect(service.books.url, 1);
    let [statements, cuts] = [0, 0];
    const cutTwice = ((...statement: Parameters<typeof sql>) => {
      if (++statements === 1 || cuts === 2) return sql(...statement);
      // Fail the first time with the error of a driver whose socket notices the loss before the driver does.
      if (++cuts === 1) return Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
      return sql`select pg_terminate_backend(pg_backend_pid())`;
    }) as unknown as Sql;
    const probe = await open(cutTwice);
    const refusals: Refusal[] = [];
    probe.onRefusing((refusal) => refusals.push(refusal));
    await until(() => statements >= 5);
    assertEquals([cuts, refusals], [2, []]);
    probe.stop();
    await sql.end();
  });

  it("does not refuse writes after a pause of this process, unless the database does not answer", async () => {
    const sql = service.books.connect("gold_api", 1);
    let [statements, isCut] = [0, false];
    // Stops the process during the second probe, for longer than a probe's time limit.
    const pauseOnce = ((...statement: Parameters<typeof sql>) => {
      if (++statements === 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3200);
      return isCut ? new Promise(() => {}) : sql(...statement);
    }) as unknown as Sql;
    const probe = await open(pauseOnce);
    const refusals: Refusal[] = [];
    probe.onRefusing((refusal) => refusals.push(refusal));
    await until(() => statements >= 3);
    assertEquals([probe.fault(), refusals], [undefined, []]);
    isCut = true;
    await until(() => probe.fault() === "database_unavailable");
    probe.stop();
  });

  it("makes /health answer 503 while the database denies the probe", async () => {
    await service.books.sql`revoke execute on function gold.probe_write from gold_api`;
    await until(async () => await health() === 503);
    await service.books.sql`grant execute on function gold.probe_write to gold_api`;
    await until(async () => await health() === 200);
  });
});
