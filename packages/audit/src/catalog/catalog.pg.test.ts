import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { Sql, TransactionSql } from "postgres";
import { type AuditedBooks, auditedBooks } from "../books_fixture.ts";
import { auditBooks } from "../full_audit.ts";
import { type Finding, Findings } from "../findings.ts";
import { compareBuiltin } from "./builtin.ts";
import { openAuditConnection, SESSION_SETTINGS } from "../snapshot.ts";

describe("the catalog and the roles", () => {
  let audited: AuditedBooks;
  let sql: Sql;
  before(async () => {
    audited = await auditedBooks();
    sql = openAuditConnection(audited.books.url);
  });
  after(async () => {
    await sql?.end({ timeout: 1 });
    await audited?.stop();
  });

  /** Runs the statement, audits, and rolls back. Returns the findings, one line each. */
  async function auditAfter(
    statement: string,
    options: Parameters<typeof auditBooks>[1] = {},
  ): Promise<string[]> {
    return await findAfter(statement, async (transaction) => {
      return (await auditBooks(transaction, options)).findings;
    });
  }
  const compareInitial = (transaction: TransactionSql) =>
    collect((findings) => compareBuiltin(transaction, findings));
  async function collect(compare: (findings: Findings) => Promise<void>): Promise<readonly Finding[]> {
    const findings = new Findings();
    await compare(findings);
    return findings.kept;
  }
  /** Runs the statement, compares, and rolls back. With `withFound`, the lines say what was found. */
  async function findAfter(
    statement: string,
    compare: (transaction: TransactionSql) => Promise<readonly Finding[]>,
    withFound = false,
  ): Promise<string[]> {
    const undone = new Error("undone");
    let lines: string[] = [];
    await sql.begin(async (transaction: TransactionSql) => {
      await transaction.unsafe(statement);
      for (const setting of SESSION_SETTINGS) await transaction.unsafe(setting);
      lines = (await compare(transaction)).map(({ rule, row, found }) =>
        `${rule}: ${row}${withFound ? `: ${found}` : ""}`
      );
      throw undone;
    }).catch((error) => {
      if (error !== undone) throw error;
    });
    return lines;
  }

  it("match the release in a freshly migrated database (if not, run npm run schema)", async () => {
    // Other tests create roles on the same server at the same time.
    const lines = await auditAfter("select 1");
    assertEquals(lines.filter((line) => !/^role_is_expected: role (?!gold_)/.test(line)), []);
  });

  it("match the release if the login that migrates owns the database and the schemas, under any name", async () => {
    const lines = await auditAfter(`do $$ begin
      create role gold_builder login createrole;
      execute format('alter database %I owner to gold_builder', current_database());
      alter schema gold owner to gold_builder;
      alter schema gold_attempts owner to gold_builder;
      alter schema gold_migrations owner to gold_builder;
      alter table gold_migrations.__drizzle_migrations owner to gold_builder;
    end $$`);
    assertEquals(lines.filter((line) => !/^role_is_expected: role (?!gold_)/.test(line)), []);
  });

  it("are compared object by object", async () => {
    const changes: readonly [statement: string, finding: string][] = [
      [
        "create or replace function gold.verify_ledger() returns table (rule text, subject text, detail text) language sql stable security definer set search_path = gold, pg_temp as $$ select '', '', '' where false $$",
        "catalog_is_release: function gold.verify_ledger()",
      ],
      [
        "create function gold.extra() returns int language sql return 1",
        "catalog_is_release: function gold.extra()",
      ],
      [
        "alter function gold.verify_chain() security invoker",
        "catalog_is_release: function gold.verify_chain()",
      ],
      [
        "alter table gold.orders drop constraint orders_rounding",
        "catalog_is_release: constraint gold.orders.orders_rounding",
      ],
      [
        "alter table gold.orders disable trigger append_only",
        "catalog_is_release: trigger gold.orders.append_only",
      ],
      [
        "alter table gold.withdrawal_step disable trigger all",
        "catalog_is_release: relation gold.withdrawal_step",
      ],
      ["drop index gold.certificate_key_hash", "catalog_is_release: index gold.certificate_key_hash"],
      ["alter table gold.quote alter price drop not null", "catalog_is_release: column gold.quote.price"],
      ["alter table gold.vault alter free set default 5", "catalog_is_release: column gold.vault.free"],
      ["grant update on gold.transfer to gold_api", "catalog_is_release: relation gold.transfer"],
      ["grant update (gold) on gold.account to gold_book", "catalog_is_release: column gold.account.gold"],
      [
        "grant execute on function gold.create_partner to public",
        "catalog_is_release: function gold.create_partner",
      ],
      ["alter table gold.account owner to gold_api", "catalog_is_release: relation gold.account"],
      ["create role audit_test_root superuser", "role_is_expected: role audit_test_root"],
      ["create role audit_test_member in role gold_book", "role_is_expected: role audit_test_member"],
      [
        "create role app_team; create role audit_test_member in role app_team; grant gold_audit to app_team",
        "role_is_expected: role audit_test_member",
      ],
      [
        "create role audit_test_member; grant gold_keys to audit_test_member with admin option; create role audit_test_chief in role audit_test_member",
        "role_is_expected: role audit_test_chief",
      ],
      ["grant postgres to gold_api", "role_is_expected: role gold_api"],
      ["create role app_team; grant app_team to gold_delivery", "role_is_expected: role gold_delivery"],
      [
        `create role audit_test_member in role ${audited.logins[1]}`,
        "role_is_expected: role audit_test_member",
      ],
      [`grant ${audited.logins[1]} to ${audited.logins[0]}`, `role_is_expected: role ${audited.logins[0]}`],
      ["alter role gold_api set session_replication_role = replica", "role_is_expected: role gold_api"],
      ["alter role gold_owner login", "role_is_expected: role gold_owner"],
    ];
    for (const [statement, finding] of changes) {
      const lines = await auditAfter(statement);
      const isFound = lines.some((line) => line.startsWith(finding));
      assertEquals([isFound, statement], [true, statement], lines.join("\n"));
    }
  });

  it("are compared with a new server where initdb made them", async () => {
    const changes: readonly [statement: string, finding: string][] = [
      // The planner inlines this body, so the printer shows the replaced function as it was.
      [
        "update pg_proc set prolang = 14, prosrc = 'select null::text' where proname = 'pg_get_function_sqlbody'",
        "pg_proc: ",
      ],
      ["update pg_proc set prosrc = 'int4ne' where proname = 'int4eq'", "pg_proc: "],
      [
        "set local allow_system_table_mods = on; create or replace view pg_catalog.pg_roles as select rolname, rolsuper and rolname <> 'own' as rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolconnlimit, '********'::text as rolpassword, rolvaliduntil, rolbypassrls, null::text[] collate \"C\" as rolconfig, oid from pg_authid",
        "pg_rewrite: ",
      ],
      ["update pg_operator set oprcode = 'nameeq' where oprcode = 'namene'::regproc", "pg_operator: "],
      [
        "update pg_cast set castmethod = 'i', castfunc = 0 where castfunc <> 0 and castsource = 'macaddr'::regtype",
        "pg_cast: ",
      ],
      [
        "update pg_aggregate set aggtransfn = 'bool_or'::regproc where aggfnoid = 'bool_and'::regproc",
        "pg_aggregate: ",
      ],
      ["update pg_type set typsend = 'textsend' where typname = 'name'", "pg_type: "],
      ["update pg_language set lanpltrusted = true where lanname = 'c'", "pg_language: "],
      ["update pg_amproc set amproc = 'hashmacaddr8' where amproc = 'hashmacaddr'::regproc", "pg_amproc: "],
      [
        "update pg_init_privs set initprivs = initprivs where false; delete from pg_init_privs where privtype = 'i'",
        "pg_init_privs: ",
      ],
      [
        "grant execute on function pg_read_file(text) to gold_api",
        "grants of pg_proc pg_read_file: gold_api=X",
      ],
      ["grant execute on function pg_read_file(text) to public", "grants of pg_proc pg_read_file: =X"],
      ["grant select on pg_authid to gold_api", "grants of pg_class pg_authid: gold_api=r"],
      [
        "grant select (rolpassword) on pg_authid to gold_api",
        "grants of pg_attribute rolpassword: gold_api=r",
      ],
      ["grant create on schema public to gold_api", "grants of pg_namespace public: gold_api=C"],
    ];
    for (const [statement, finding] of changes) {
      const lines = await findAfter(statement, compareInitial, true);
      const isFound = lines.some((line) => line.startsWith(`builtin_is_postgres: ${finding}`));
      assertEquals([isFound, statement], [true, statement], lines.join("\n"));
    }
    const [line] = await findAfter(changes[0]![0], compareInitial, true);
    assertEquals(/last written: pg_get_function_sqlbody/.test(line!), true, line);
    const hardened =
      "revoke execute on function pg_sleep(float8) from public; revoke all on schema public from public; revoke select on pg_settings from public";
    assertEquals(await findAfter(hardened, compareInitial), []);
  });

  it("are not used: after all routines and views are dropped, the audit still has the same result", async () => {
    const dropAll = `
      do $$ declare name text; begin
        foreach name in array (select array_agg(oid::regprocedure::text) from pg_proc where pronamespace = 'gold'::regnamespace) loop
          execute format('drop routine if exists %s cascade', name);
        end loop;
        foreach name in array (select array_agg(oid::regclass::text) from pg_class where relnamespace = 'gold'::regnamespace and relkind = 'v') loop
          execute format('drop view if exists %s cascade', name);
        end loop;
      end $$`;
    assertEquals(await auditAfter(dropAll, { rowsOnly: true }), []);
  });
});
