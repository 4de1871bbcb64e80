import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { testBooks } from "@gold-partner/server/testing";
import { assertEquals, assertRejects } from "@std/assert";
import postgres, { type Sql } from "postgres";
import { dropLogins } from "../../../../tools/testing/drop_logins.ts";
import { auditAt } from "../audit_fixture.ts";
import { Findings } from "../findings.ts";
import { openAuditConnection } from "../snapshot.ts";
import { compareLayout } from "./layout.ts";
import { type OwnServer, ownServer } from "./own_server_fixture.ts";

/** Swaps the names of two columns. */
const swap = (relation: string, one: string, other: string) => `
  update pg_attribute set attname = 'swapped' where attrelid = '${relation}'::regclass and attname = '${one}';
  update pg_attribute set attname = '${one}' where attrelid = '${relation}'::regclass and attname = '${other}';
  update pg_attribute set attname = '${other}' where attrelid = '${relation}'::regclass and attname = 'swapped'`;
/** Lets SELECT read a copy of the table, in which `column` has another value. */
const readCopy = (table: string, column: string, value: string) => `
  create table public.copied as select * from ${table};
  update public.copied set ${column} = ${value};
  do $$ begin execute (select format('create view public.read as select %s from public.copied',
    string_agg(quote_ident(attname), ', ' order by attnum))
    from pg_attribute where attrelid = '${table}'::regclass and attnum > 0); end $$;
  insert into pg_rewrite select 16999, '_RETURN', '${table}'::regclass, ev_type, ev_enabled, is_instead, ev_qual,
    ev_action from pg_rewrite where ev_class = 'public.read'::regclass;
  update pg_class set relhasrules = true where oid = '${table}'::regclass`;
const LAYOUT = "builtin_is_postgres: pg_attribute";

describe("the columns of pg_catalog", () => {
  let server: OwnServer;
  let admin: Sql;
  let count = 0;
  before(async () => {
    server = await ownServer();
    admin = postgres(server.urlOf("postgres"), { max: 1, onnotice: () => {} });
  });
  after(async () => {
    await admin?.end({ timeout: 1 });
    await server?.stop();
  });

  /** Returns the URL of a copy of the database in which the statement was committed. */
  async function edited(statement: string): Promise<string> {
    const name = `edited_${count++}`;
    await admin.unsafe(`create database ${name} template template0`);
    const sql = postgres(server.urlOf(name), { max: 1, onnotice: () => {} });
    await sql.unsafe(`set allow_system_table_mods = on; ${statement}`).finally(() => sql.end({ timeout: 1 }));
    return server.urlOf(name);
  }
  async function foundAt(url: string): Promise<string[]> {
    const findings = new Findings();
    const sql = openAuditConnection(url);
    await compareLayout(sql, findings).finally(() => sql.end({ timeout: 1 }));
    return findings.kept.map(({ rule, row }) => `${rule}: ${row}`);
  }
  it("are compared before anything else, by a superuser and by the auditor", async () => {
    const cases = [
      "select 1",
      swap("pg_db_role_setting", "setdatabase", "setrole"),
      `update pg_index set indisclustered = true;
      update pg_index set indislive = false where indexrelid = 'gold.nonce_bucket_client_id_nonce_pk'::regclass;
      ${swap("pg_index", "indislive", "indisclustered")}`,
    ];
    const auditor = `auditor_${randomBytes(4).toString("hex")}`;
    for (const statement of cases) {
      const { sql, url, stop } = await testBooks();
      await sql.unsafe(`create role ${auditor} login password '${auditor}' in role pg_read_all_data`);
      await sql.unsafe(`do $$ begin execute format(
        'alter role gold_api in database %I set session_replication_role = replica', current_database()); end $$`);
      await sql.unsafe(statement);
      const own = new URL(url);
      [own.username, own.password] = [auditor, auditor];
      for (const each of [url, own.href]) {
        const { findings, skipped } = await auditAt(each);
        const lines = findings.map(({ rule, row }) => `${rule}: ${row}`);
        if (statement === "select 1") {
          assertEquals([lines.includes("role_is_expected: role gold_api"), lines.includes(LAYOUT)], [
            true,
            false,
          ]);
          continue;
        }
        assertEquals([lines, skipped.map(({ name }) => name)], [[LAYOUT], ["everything else"]]);
        await assertRejects(() => auditAt(each, { registryOnly: true }), RangeError, "No file was written");
      }
      await dropLogins(sql, auditor);
      await stop();
    }
  });

  it("are those of a new server after ordinary maintenance", async () => {
    assertEquals(
      await foundAt(
        await edited(`
        alter table pg_class alter relname set statistics 500;
        alter table pg_class alter relname set (n_distinct = 1000);
        revoke select on pg_settings from public;
        grant select (rolname) on pg_authid to public;
        create extension pg_stat_statements;
        create table own (n int default 1, m int generated always as (n) stored);
        analyze`),
      ),
      [],
    );
  });

  it("are a finding after any edit that changes what a statement reads", async () => {
    const column = (table: string, name: string, change: string) =>
      `update pg_attribute set ${change} where attrelid = '${table}'::regclass and attname = '${name}'`;
    const cases: readonly (readonly [statement: string, ...findings: string[]])[] = [
      [swap("pg_trigger", "tgenabled", "tgtype"), LAYOUT],
      [swap("pg_class", "relname", "relkind"), LAYOUT],
      [swap("pg_attribute", "attname", "attrelid"), LAYOUT],
      [swap("pg_roles", "rolsuper", "rolinherit"), LAYOUT],
      [swap("information_schema.tables", "table_name", "table_schema"), LAYOUT],
      [column("pg_db_role_setting", "setrole", "attalign = 'd'"), LAYOUT],
      [column("pg_db_role_setting", "setrole", "attlen = 8"), LAYOUT],
      [column("pg_trigger", "tgenabled", "atttypid = 'int2'::regtype"), LAYOUT],
      [column("pg_proc", "prosecdef", "attbyval = false"), LAYOUT],
      [column("pg_db_role_setting", "setconfig", "attisdropped = true"), LAYOUT],
      [column("pg_index", "indislive", "atthasmissing = true"), LAYOUT],
      [column("pg_namespace", "nspname", "attcollation = 100"), LAYOUT],
      [
        `${column("pg_trigger", "tgenabled", "attgenerated = 's', atthasdef = true")};
        create table public.own (c "char" default 'O'); update pg_attrdef set adrelid = 'pg_trigger'::regclass, adnum =
          (select attnum from pg_attribute where attrelid = 'pg_trigger'::regclass and attname = 'tgenabled')`,
        LAYOUT,
        "builtin_is_postgres: pg_attrdef of pg_trigger",
      ],
      [
        "create table public.child () inherits (pg_trigger)",
        LAYOUT,
      ],
      ["create rule own as on insert to pg_db_role_setting do instead nothing", LAYOUT],
      [readCopy("pg_class", "relhasrules", "false"), "builtin_is_postgres: pg_class"],
      [readCopy("pg_attribute", "attcollation", "0"), "builtin_is_postgres: pg_attribute"],
      [
        `create schema own; create table own.pg_class as select * from pg_class;
        create table own.pg_attribute as select * from pg_attribute;
        create table own.pg_attrdef as select * from pg_attrdef;
        update pg_namespace set nspname = case oid when 11 then 'hidden' else 'pg_catalog' end
        where nspname in ('own', 'pg_catalog')`,
        "builtin_is_postgres: pg_class",
      ],
    ];
    for (const [statement, ...findings] of cases) {
      const found = await foundAt(await edited(statement)).catch((error) => [error.message]);
      const isFound = findings.every((finding) => found.includes(finding));
      assertEquals([isFound, statement], [true, statement], found.join("\n"));
    }
  });
});
