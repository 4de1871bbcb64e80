import { PROBLEM_REGISTRY } from "@gold-partner/protocol";
import { testPostgres } from "@gold-partner/dev/postgres";
import { randomBytes } from "node:crypto";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import postgres, { type Sql, type TransactionSql } from "postgres";
import { migrate, MIGRATION_LOCK } from "./migrate.ts";
import { readMigrations } from "./migrations.ts";
import { setUp } from "../../testing/set_up.ts";

/** Waits until another session waits for a lock of this transaction. */
async function untilBlocked(sql: TransactionSql): Promise<void> {
  for (;;) {
    const [row] =
      await sql`select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`;
    if (row) return;
  }
}

const PLAN_SETTINGS = [
  "search_path=gold, pg_temp",
  "jit=off",
  "enable_seqscan=off",
  "enable_hashjoin=off",
  "enable_mergejoin=off",
  "plan_cache_mode=force_generic_plan",
];

describe("migrate()", () => {
  const server = setUp(testPostgres);

  async function look<T>(url: string, run: (sql: Sql) => Promise<T>): Promise<T> {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      return await run(sql);
    } finally {
      await sql.end();
    }
  }

  /** Relations, columns, constraints, routines, triggers and problems, as Postgres describes them. */
  const describeSchema = (url: string): Promise<string[]> =>
    look(url, async (sql) => {
      const rows = await sql<{ line: string }[]>`
        select concat_ws(' ', 'relation', relname, relkind, pg_get_userbyid(relowner), relacl::text) as line
          from pg_class where relnamespace = 'gold'::regnamespace
        union all select concat_ws(' ', 'column', attrelid::regclass, attnum, attname, atttypid::regtype, attnotnull, attacl::text)
          from pg_attribute join pg_class on pg_class.oid = attrelid where relnamespace = 'gold'::regnamespace and attnum > 0
        union all select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
          from pg_constraint where connamespace = 'gold'::regnamespace
        union all select concat_ws(' ', 'function', oid::regprocedure, pg_get_userbyid(proowner), proacl::text, pg_get_functiondef(oid))
          from pg_proc where pronamespace = 'gold'::regnamespace
        union all select concat_ws(' ', 'trigger', tgrelid::regclass, pg_get_triggerdef(pg_trigger.oid))
          from pg_trigger join pg_class on pg_class.oid = tgrelid where relnamespace = 'gold'::regnamespace and not tgisinternal
        union all select concat_ws(' ', 'problem', code, status, title, retryable) from gold.problem
        union all select concat_ws(' ', 'migration', hash) from gold_migrations.__drizzle_migrations
        order by line`;
      return rows.map(({ line }) => line);
    });

  it("lists each migration with a later time than the one before it, because an earlier one would be skipped", async () => {
    const file = new URL("../../migrations/meta/_journal.json", import.meta.url);
    const { entries } = JSON.parse(await readFile(file, "utf8")) as { entries: readonly { when: number }[] };
    const times = entries.map(({ when }) => when);
    assertEquals(times, [...new Set(times)].sort((one, other) => one - other));
  });

  // Comes first, so that on a fresh server this login also creates the roles.
  it("needs no superuser: a login with CREATEROLE that owns the database can migrate twice", async () => {
    const url = new URL(await server.createDatabase());
    const login = `test_migration_${randomBytes(4).toString("hex")}`;
    const admin = postgres(url.href, { max: 1, onnotice: () => {} });
    try {
      const password = randomBytes(12).toString("hex");
      await admin.unsafe(`create role ${login} login createrole password '${password}'`);
      await admin.unsafe(`alter database ${url.pathname.slice(1)} owner to ${login}`);
      const [made] = await admin`select from pg_roles where rolname = 'gold_owner'`;
      // Grant the roles with admin option, because since Postgres 16 a login can grant only roles that it
      // created itself or holds with admin option.
      if (made) await admin.unsafe(`grant gold_owner, gold_book to ${login} with admin option`);
      const own = new URL(url);
      [own.username, own.password] = [login, password];
      await migrate(own.href);
      const once = await describeSchema(url.href);
      await migrate(own.href);
      assertEquals(await describeSchema(url.href), once);
      const owners =
        await admin`select distinct pg_get_userbyid(relowner) as owner from pg_class where relnamespace = 'gold'::regnamespace and relkind = 'r'`;
      assertEquals(owners.map(({ owner }) => owner), ["gold_owner"]);
      const [role] = await admin`select rolsuper from pg_roles where rolname = ${login}`;
      assertEquals(role!.rolsuper, false);
    } finally {
      await admin.end();
    }
  });

  it("changes nothing when it runs a second time, and keeps the rows", async () => {
    const url = await server.createDatabase();
    await migrate(url);
    const once = await describeSchema(url);
    await look(url, (sql) => sql`insert into gold.account (bucket, client_id) values (7, 7)`);
    await migrate(url);
    assertEquals(await describeSchema(url), once);
    assertEquals((await look(url, (sql) => sql`select from gold.account`)).length, 1);
  });

  it("runs concurrent migrations of a database one after the other", async () => {
    const [url, alone] = [await server.createDatabase(), await server.createDatabase()];
    await migrate(alone);
    await Promise.all([migrate(url), migrate(url), migrate(url)]);
    assertEquals(await describeSchema(url), await describeSchema(alone));
  });

  it("waits for another migration of the same database", async () => {
    const url = await server.createDatabase();
    await migrate(url);
    await look(url, (sql) =>
      sql.begin(async (other) => {
        await other`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
        const error = await assertRejects(() => migrate(url, { waitLimitMs: 400 }), Error);
        assertEquals((error as { code?: string }).code, "migration_blocked");
      }));
  });

  it("aborts no transaction of the service that needs a table which the blocked migration has locked", async () => {
    const url = await server.createDatabase();
    await migrate(url);
    await look(url, async (sql) => {
      const tables = await sql<{ name: string }[]>`
        select tgrelid::regclass::text as name from pg_trigger where tgname = 'append_only' order by 1`;
      for (const { name } of tables) await sql.unsafe(`drop trigger append_only on ${name}`);
      let migrated: Promise<unknown> | undefined;
      await sql.begin(async (writer) => {
        // The migration creates the triggers of other tables first, and then waits for this table.
        await writer`lock table gold.epoch in row exclusive mode`;
        migrated = migrate(url);
        await untilBlocked(writer);
        // Longer than deadlock_timeout. After it, the migration no longer looks for a deadlock, so Postgres
        // would abort the writer.
        await sleep(1_500);
        for (const { name } of tables) await writer.unsafe(`lock table ${name} in row exclusive mode`);
      });
      await migrated;
    });
  });

  it("restores what was changed by hand: a routine, a grant, a trigger, a problem's title", async () => {
    const url = await server.createDatabase();
    await migrate(url);
    const before = await describeSchema(url);
    await look(url, async (sql) => {
      await sql`grant select, update on gold.account to gold_api`;
      await sql`alter function gold.book_funding reset enable_seqscan`;
      await sql`drop trigger append_only on gold.transfer`;
      await sql`update gold.problem set title = 'Another'`;
    });
    assert((await describeSchema(url)).join() !== before.join());
    await migrate(url);
    assertEquals(await describeSchema(url), before);
  });

  it("adds a new column of gold.deployment to its view", async () => {
    const url = await server.createDatabase();
    await migrate(url);
    await look(url, (sql) => sql`alter table gold.deployment add column further text`);
    await migrate(url);
    await look(url, (sql) => sql`select further from gold.deployment_overview`);
  });

  it("refuses webhook secrets of another partner's endpoint, and names them", async () => {
    const url = await server.createDatabase();
    const migrations = readMigrations();
    const isLater = ({ sql }: { readonly sql: readonly string[] }) =>
      sql.some((statement) => statement.includes("webhook_secret_of_receiver"));
    const earlier = migrations.slice(0, migrations.findIndex(isLater));
    await look(url, async (sql) => {
      for (const statement of earlier.flatMap(({ sql }) => sql)) await sql.unsafe(statement);
      await sql.unsafe(`
        create schema gold_migrations;
        create table gold_migrations.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
        insert into gold_migrations.__drizzle_migrations (hash, created_at) values ('0', ${
        earlier.at(-1)!.folderMillis
      });
        insert into gold.partner (public_id, name, iban, rate_per_second, burst, maximum_grams)
        select 'sbx_' || repeat(name, 20), name, '', 1, 1, 1 from unnest(array['a', 'b', 'c']) name;
        insert into gold.receiver (id, partner_id, number, url) values (1, 1, 1, ''), (1073741824, 2, 2, '');
        -- The third partner has no endpoint.
        insert into gold.webhook_secret (partner_id, receiver_id, sealed, sealing_key)
        values (1, 1, '', ''), (1, 1073741824, '', ''), (2, 1073741824, '', ''), (3, 3, '', ''), (3, 1, '', '')`);
    });
    const { message, code } = await assertRejects(() => migrate(url)) as Error & { code: string };
    assertEquals(code, "GR409");
    assertStringIncludes(message, "is not an endpoint of their partner: 2, 5.");
    await look(url, (sql) => sql`update gold.webhook_secret set receiver_id = partner_id where id in (2, 5)`);
    await migrate(url);
  });

  it("does not wait for open transactions of the service if the version is unchanged", async () => {
    const url = await server.createDatabase();
    await migrate(url);
    await look(url, (sql) =>
      sql.begin(async (service) => {
        const relations = await service`
          select oid::regclass::text as name, relkind as kind from pg_class
          where relnamespace = 'gold'::regnamespace and relkind in ('r', 'p', 'v')`;
        for (const { name, kind } of relations) {
          if (kind === "v") await service.unsafe(`select from ${name}`);
          else await service.unsafe(`lock table ${name} in row exclusive mode`);
        }
        await service`select * from gold.account for update`;
        await migrate(url, { waitLimitMs: 1 });
      }));
  });

  it("changes nothing while another session blocks it, and names that session and what to do", async () => {
    const url = await server.createDatabase();
    await migrate(url);
    await look(url, async (sql) => {
      await sql`drop trigger append_only on gold.transfer`;
      await sql`alter function gold.book_funding reset enable_seqscan`;
      const before = await describeSchema(url);
      await sql.begin(async (writer) => {
        const [{ pid, login }] = await writer<
          [{ pid: number; login: string }]
        >`select pg_backend_pid() as pid, session_user as login`;
        await writer`lock table gold.transfer in row exclusive mode`;
        const error = await assertRejects(() => migrate(url, { waitLimitMs: 400 }), Error);
        assertEquals((error as { code?: string }).code, "migration_blocked");
        const parts = [
          `pid ${pid} (login ${login}`,
          `pg_terminate_backend(${pid})`,
          "changed nothing",
          "run `gold db migrate` again",
        ];
        for (const words of parts) {
          assert(error.message.includes(words), error.message);
        }
        assertEquals(await describeSchema(url), before);
      });
      await migrate(url);
      assert((await describeSchema(url)).join() !== before.join());
    });
  });

  it("succeeds as soon as the blocking session has finished", async () => {
    const url = await server.createDatabase();
    await migrate(url);
    const whole = await describeSchema(url);
    await look(url, async (sql) => {
      await sql`drop trigger append_only on gold.transfer`;
      let migrated: Promise<unknown> | undefined;
      await sql.begin(async (writer) => {
        await writer`lock table gold.transfer in row exclusive mode`;
        migrated = migrate(url);
        await untilBlocked(writer);
      });
      await migrated;
    });
    assertEquals(await describeSchema(url), whole);
  });

  it("fills gold.problem from the protocol's registry", async () => {
    const url = await server.createDatabase();
    await migrate(url);
    const rows = await look(
      url,
      (sql) => sql`select code, status, title, retryable from gold.problem order by code`,
    );
    const expected = Object.entries(PROBLEM_REGISTRY)
      .map(([code, { status, title, retryable }]) => ({
        code,
        status,
        title,
        retryable: retryable as boolean,
      }))
      .sort((a, b) => a.code < b.code ? -1 : 1);
    assertEquals(
      rows.map(({ code, status, title, retryable }) => ({ code, status, title, retryable })) as never,
      expected as never,
    );
  });

  it("sets the plan settings on exactly these functions", async () => {
    const url = await server.createDatabase();
    await migrate(url);
    const rows = await look(url, (sql) =>
      sql`
      select proname, provolatile from pg_proc
      where pronamespace = 'gold'::regnamespace and proconfig @> ${PLAN_SETTINGS} order by proname`);
    assertEquals(rows.map(({ proname, provolatile }) => `${proname} ${provolatile}`), [
      "begin_change v",
      "book_funding v",
      "book_orders v",
      "book_quotes v",
      "book_redelivery v",
      "book_webhook_test v",
      "book_withdrawal v",
      "cancel_withdrawal v",
      "claim_receivers v",
      "close_day v",
      "day_facts s",
      "event_bodies v",
      "find_records s",
      "list_events v",
      "read_day_limits s",
      "read_limits s",
      "request_change v",
      "seal_next v",
      "settle_attempts v",
      "spend_nonces v",
      "take_deliveries v",
      "tell_events v",
      "unclosed_day s",
    ]);
  });

  // Every caller needs these settings, because lock_accounts and take_turn keep the plan from their first
  // caller in a connection. take_turn itself runs under the settings of its own caller.
  it("sets the plan settings on every caller of lock_accounts or take_turn, except on take_turn itself", async () => {
    const url = await server.createDatabase();
    await migrate(url, { environment: "sandbox" });
    const callers = await look(url, (sql) =>
      sql`
      select proname, proconfig @> ${PLAN_SETTINGS} as is_set from pg_proc
      where pronamespace = 'gold'::regnamespace and prosrc ~ '(from|perform|:=) (lock_accounts|take_turn)\\('
      order by proname`);
    assertEquals(callers.map(({ proname, is_set }) => `${proname} ${is_set}`), [
      "begin_change true",
      "book_funding true",
      "book_orders true",
      "book_quotes true",
      "book_redelivery true",
      "book_simulation true",
      "book_webhook_test true",
      "book_withdrawal true",
      "cancel_withdrawal true",
      "close_day true",
      "request_change true",
      "spend_nonces true",
      "take_turn false",
    ]);
  });

  it("gives only a sandbox the functions of the simulations, and reads its environment later", async () => {
    const SIMULATIONS = ["book_simulation", "read_simulated_price", "read_simulations", "take_failure"];
    for (const environment of ["sandbox", "production"] as const) {
      const url = await server.createDatabase();
      await migrate(url, { environment });
      const found = () =>
        look(url, async (sql) => {
          const rows = await sql`
            select proname from pg_proc where pronamespace = 'gold'::regnamespace
              and (proname ~ 'simulat' or proname in ('take_failure', 'armed')) order by proname`;
          return rows.map(({ proname }) => proname as string);
        });
      const once = await found();
      assertEquals(
        once.filter((name) => SIMULATIONS.includes(name)),
        environment === "sandbox" ? SIMULATIONS : [],
      );
      if (environment === "production") assertEquals(once, []);
      await look(url, (sql) =>
        sql`
        select gold.settle_deployment(${environment}, 'https://gold.example', false, null, null, 20000, '{443}', 90)`);
      await migrate(url);
      assertEquals(await found(), once);
    }
  });
});
