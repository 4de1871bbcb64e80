import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { Sql, TransactionSql } from "postgres";
import { type AuditedBooks, auditedBooks } from "../books_fixture.ts";
import { auditBooks } from "../full_audit.ts";
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
    const undone = new Error("undone");
    let lines: string[] = [];
    await sql.begin(async (transaction: TransactionSql) => {
      await transaction.unsafe(statement);
      for (const setting of SESSION_SETTINGS) await transaction.unsafe(setting);
      const { findings } = await auditBooks(transaction, options);
      lines = findings.map(({ rule, row }) => `${rule}: ${row}`);
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
