import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { Sql, TransactionSql } from "postgres";
import { type AuditedBooks, auditedBooks } from "../books_fixture.ts";
import { auditBooks } from "../full_audit.ts";
import { type Finding, Findings } from "../findings.ts";
import { BUILTIN_STATEMENTS, compareBuiltin, knownDigests } from "./builtin.ts";
import { compareCatalog } from "./fingerprint.ts";
import { LAYOUT_STATEMENTS } from "./layout.ts";
import { readAllowed } from "../outside_files.ts";
import { HARMLESS_CATALOG, PRINTED_CATALOG } from "./harmless.ts";
import { TREE_STATEMENTS } from "./hidden_calls.ts";
import { CATALOG_STATEMENTS } from "./objects.ts";
import { ROLE_STATEMENTS } from "./roles.ts";
import { openAuditConnection } from "../snapshot.ts";
import { lookAfter } from "../audit_fixture.ts";

/** The stored tree of the constant true. */
const TRUE =
  "{CONST :consttype 16 :consttypmod -1 :constcollid 0 :constlen 1 :constbyval true :constisnull false :location -1 :constvalue 1 [ 1 0 0 0 0 0 0 0 ]}";
/** Edits the stored tree of a constraint. `parts` are the pattern and the replacement. */
const editTree = (constraint: string, parts: string) => `
  create cast (text as pg_node_tree) without function;
  update pg_constraint set conbin = regexp_replace(conbin::text, ${parts})::pg_node_tree where conname = '${constraint}';
  drop cast (text as pg_node_tree)`;

/** Different statements read initdb's rows of these tables and the release's. */
const HAVE_BOTH = ["pg_attribute", "pg_class", "pg_proc", "pg_rewrite", "pg_type"];
const printedOf = (table: string) => PRINTED_CATALOG[table]?.trim().split(/\s+/) ?? [];
const isHarmless = (table: string, column: string) =>
  `${table}.*` in HARMLESS_CATALOG || `${table}.${column}` in HARMLESS_CATALOG;

/** A statement, and the beginning of the finding that it causes. */
type Case = readonly [statement: string, finding: string];
/** Reads cases that stand on one line each, with the finding first. */
const casesOf = (text: string): Case[] =>
  text.trim().split("\n").map((line) => line.trim().split(" <- ").reverse() as [string, string]);

describe("the catalog and the roles", () => {
  let audited: AuditedBooks;
  let sql: Sql;
  let last: Awaited<ReturnType<typeof auditBooks>> | undefined;
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
      last = await auditBooks(transaction, options);
      return last.findings;
    });
  }
  const compareObjects = (transaction: TransactionSql) =>
    collect((findings) => compareCatalog(transaction, findings, "sandbox"));
  const compareInitial = (transaction: TransactionSql) =>
    collect(async (findings) =>
      compareBuiltin(transaction, findings, await knownDigests(transaction, findings))
    );
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
    const findings = await lookAfter(audited.books.url, (sql) => sql.unsafe(statement), compare);
    return findings.map(({ rule, row, found }) => `${rule}: ${row}${withFound ? `: ${found}` : ""}`);
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
    const changes: readonly Case[] = [
      [
        `do $$ begin execute format('alter database %I owner to ${
          audited.logins[0]
        }', current_database()); end $$;
        grant gold_owner to ${audited.logins[0]}`,
        `role_is_expected: role ${audited.logins[0]}`,
      ],
      ...casesOf(`
      catalog_is_release: function gold.verify_ledger() <- create or replace function gold.verify_ledger() returns table (rule text, subject text, detail text) language sql stable security definer set search_path = gold, pg_temp as $$ select '', '', '' where false $$
      catalog_is_release: function gold.extra() <- create function gold.extra() returns int language sql return 1
      catalog_is_release: function gold.verify_chain() <- alter function gold.verify_chain() security invoker
      catalog_is_release: constraint gold.orders.orders_rounding <- alter table gold.orders drop constraint orders_rounding
      catalog_is_release: trigger gold.orders.append_only <- alter table gold.orders disable trigger append_only
      catalog_is_release: relation gold.withdrawal_step <- alter table gold.withdrawal_step disable trigger all
      catalog_is_release: index gold.certificate_key_hash <- drop index gold.certificate_key_hash
      catalog_is_release: column gold.quote.price <- alter table gold.quote alter price drop not null
      catalog_is_release: column gold.vault.free <- alter table gold.vault alter free set default 5
      catalog_is_release: relation gold.transfer <- grant update on gold.transfer to gold_api
      catalog_is_release: column gold.account.gold <- grant update (gold) on gold.account to gold_book
      catalog_is_release: function gold.create_partner <- grant execute on function gold.create_partner to public
      catalog_is_release: relation gold.account <- alter table gold.account owner to gold_api
      role_is_expected: role audit_test_root <- create role audit_test_root superuser
      role_is_expected: role audit_test_member <- create role audit_test_member in role gold_book
      role_is_expected: role audit_test_member <- create role app_team; create role audit_test_member in role app_team; grant gold_audit to app_team
      role_is_expected: role audit_test_chief <- create role audit_test_member; grant gold_keys to audit_test_member with admin option; create role audit_test_chief in role audit_test_member
      role_is_expected: role gold_api <- grant postgres to gold_api
      role_is_expected: role gold_delivery <- create role app_team; grant app_team to gold_delivery
      role_is_expected: role audit_test_member <- create role audit_test_member in role ${audited.logins[1]}
      role_is_expected: role ${audited.logins[0]} <- grant ${audited.logins[1]} to ${audited.logins[0]}
      role_is_expected: role gold_api <- alter role gold_api set session_replication_role = replica
      role_is_expected: role gold_owner <- alter role gold_owner login
      role_is_expected: role gold_api <- create role app_team; grant postgres to app_team; grant app_team to gold_api; delete from pg_authid where rolname = 'app_team'
      role_is_expected: role pg_checkpoint <- update pg_authid set rolsuper = true, rolcanlogin = true where rolname = 'pg_checkpoint'
      role_is_expected: role pg_own <- create role own superuser login; update pg_authid set rolname = 'pg_own', oid = 9100 where rolname = 'own'
      role_is_expected: role pg_monitor <- grant pg_read_server_files to pg_monitor`),
    ];
    for (const [statement, finding] of changes) {
      const isObject = finding.startsWith("catalog_is_release");
      const lines = isObject ? await findAfter(statement, compareObjects) : await auditAfter(statement);
      const isFound = lines.some((line) => line.startsWith(finding));
      assertEquals([isFound, statement], [true, statement], lines.join("\n"));
    }
  });

  it("are compared outside the release's schemas, too", async () => {
    const [{ server_version }] = await sql`show server_version` as unknown as [{ server_version: string }];
    const major = parseInt(server_version, 10);
    const changes: readonly Case[] = [
      // A comment ends with its line.
      [
        `do $$ begin execute regexp_replace(pg_get_functiondef('gold.approve_proposal'::regproc),
          '(-- The proposer may have lost[^\\n]*)\\n *', '\\1 '); end $$`,
        "function gold.approve_proposal",
      ],
      ...(major < 17 ? [] : [["grant maintain on gold.account to gold_book", "relation gold.account"]]) as [
        string,
        string,
      ][],
      [
        `create cast (text as pg_node_tree) without function;
        update pg_constraint set conbin = ('{FUNCEXPR :funcid ' || 'boolle(bool,bool)'::regprocedure::oid ||
          ' :funcresulttype 16 :funcretset false :funcvariadic false :funcformat 2 :funccollid 0 :inputcollid 0 :args (' ||
          conbin::text || ' ${TRUE}) :location -1}')::pg_node_tree
        where conname = 'vault_not_negative'; drop cast (text as pg_node_tree)`,
        "constraint vault_not_negative of gold.vault",
      ],
      [
        editTree("vault_not_negative", "':opfuncid \\d+', ':opfuncid ' || 'int8ne'::regproc::oid"),
        "constraint vault",
      ],
      [
        editTree(
          "proposal_two",
          "'DISTINCTEXPR :opno \\d+ :opfuncid \\d+', 'DISTINCTEXPR :opno 664 :opfuncid 740'",
        ),
        "constraint proposal_two",
      ],
      [editTree("proposal_state", "':negfuncid 0', ':negfuncid 740'"), "constraint proposal_state"],
      [editTree("proposal_state", "':opno', ' :opno'"), "constraint proposal_state"],
      [
        `create cast (text as pg_node_tree) without function; update pg_proc set prosqlbody =
          regexp_replace(prosqlbody::text, 'CASEWHEN :expr [{]OPEXPR :opno \\d+ :opfuncid \\d+',
            'CASEWHEN :expr {OPEXPR :opno 3517 :opfuncid 3509')::pg_node_tree
        where oid = 'gold.side_used'::regproc; drop cast (text as pg_node_tree)`,
        "function gold.side_used",
      ],
      [
        `create cast (text as pg_node_tree) without function;
        create view public.own as select count(*) from pg_class group by relname; update pg_rewrite set ev_action =
          regexp_replace(ev_action::text, ':eqop [1-9]\\d*', ':eqop 660')::pg_node_tree
        where ev_class = 'public.own'::regclass; drop cast (text as pg_node_tree)`,
        "rule of public.own",
      ],
      [
        `create cast (text as pg_node_tree) without function; update pg_rewrite set ev_action =
          regexp_replace(ev_action::text, ':securityQuals <>', ':securityQuals (${TRUE})')::pg_node_tree
        where ev_class = 'gold.bar_overview'::regclass; drop cast (text as pg_node_tree)`,
        "rule of gold.bar_overview",
      ],
      [
        `create cast (text as pg_node_tree) without function;
        update pg_type set typdefaultbin = (select adbin::text::pg_node_tree from pg_attrdef limit 1) where typname = 'int8';
        drop cast (text as pg_node_tree)`,
        "type_default bigint",
      ],
      ...casesOf(`
      schema own of postgres <- create schema own
      relation public.own of postgres <- create table public.own (n int)
      relation public.own of postgres <- create view public.own as select 1 as n
      relation public.own of postgres <- create materialized view public.own as select 1 as n
      relation public.own of postgres <- create sequence public.own
      function public.own() of gold_owner <- create function public.own() returns int language sql security definer return 1; alter function public.own owner to gold_owner
      function own() of postgres <- set local allow_system_table_mods = on; create function pg_catalog.own() returns int language sql return 1
      function public.own() of postgres <- create procedure public.own() language sql begin atomic select 1; end
      function public.own(integer) of postgres <- create aggregate public.own(int) (sfunc = int4pl, stype = int)
      type public.own of postgres <- create type public.own as enum ('a')
      type public.own of postgres <- create type public.own as (n int)
      type public.own of postgres <- create domain public.own as int
      type gold.own <- create domain gold.own as int
      type public.own of postgres <- create type public.own as range (subtype = int)
      operator public.=== of postgres <- create operator public.=== (leftarg = int, rightarg = int, function = int4eq)
      cast public.own to integer <- create type public.own as enum ('a'); create cast (public.own as int) with inout
      collation public.own of postgres <- create collation public.own from "C"
      conversion public.own of postgres <- create conversion public.own for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8
      operator_class public.own of postgres <- create operator class public.own for type int4 using btree as operator 1 <, function 1 btint4cmp(int4, int4)
      operator_family public.own of postgres <- create operator family public.own using btree
      family_operator integer_ops public.<<<(integer,numeric) <- create function public.own(int4, numeric) returns bool language sql immutable return true; create operator public.<<< (leftarg = int4, rightarg = numeric, function = public.own); alter operator family integer_ops using btree add operator 1 public.<<< (int4, numeric)
      access_method own <- create access method own type index handler bthandler
      language own of postgres <- create language own handler plpgsql_call_handler
      event_trigger own of postgres <- create function public.own() returns event_trigger language plpgsql as 'begin end'; create event trigger own on ddl_command_end execute function public.own()
      extension own of postgres <- insert into pg_extension values (99999, 'own', 10, 2200, false, '1', null, null)
      foreign_data_wrapper own of postgres <- create foreign data wrapper own
      server own of postgres <- create foreign data wrapper own; create server own foreign data wrapper own
      pg_user_mapping own <- create foreign data wrapper own; create server own foreign data wrapper own; create user mapping for gold_api server own
      relation public.own of postgres <- create foreign data wrapper own; create server own foreign data wrapper own; create foreign table public.own (n int) server own
      publication own of postgres <- create publication own for all tables
      published own gold.account <- create publication own for table gold.account
      published own gold <- create publication own for tables in schema gold
      subscription own of postgres <- create subscription own connection 'host=192.0.2.1' publication own with (connect = false)
      default_grant gold r of postgres <- alter default privileges in schema gold grant select on tables to gold_api
      parameter_grant session_replication_role <- grant set on parameter session_replication_role to gold_api
      database_grant gold_api CREATE <- do $$ begin execute format('grant create on database %I to gold_api', current_database()); end $$
      inheritance public.own of gold.account <- create table public.own () inherits (gold.account)
      inheritance gold.own of gold.account <- create table gold.own () inherits (gold.account)
      policy gold.account.own <- create policy own on gold.account
      policy public.own.own <- create table public.own (n int); create policy own on public.own
      column gold.audit_overview.detail <- grant select (detail) on gold.audit_overview to gold_pricing
      relation gold.bar_overview <- alter view gold.bar_overview set (security_invoker = on)
      relation gold.bar_overview <- alter view gold.bar_overview set (security_barrier = on)
      sequence gold.audit_id_seq <- alter sequence gold.audit_id_seq increment by 2
      trigger gold_attempts.week_DATE.append_only <- alter table gold_attempts.WEEK disable trigger append_only
      trigger gold_attempts.week_DATE.append_only <- drop trigger append_only on gold_attempts.WEEK
      relation gold_attempts.week_DATE <- alter table gold_attempts.WEEK owner to gold_book
      relation gold_attempts.week_DATE <- grant update on gold_attempts.WEEK to gold_book
      column gold_attempts.week_DATE.error <- grant update (error) on gold_attempts.WEEK to gold_book
      column gold_attempts.week_DATE.error <- alter table gold_attempts.WEEK alter error set default 'own'
      rule gold_attempts.week_DATE.own <- create rule own as on insert to gold_attempts.WEEK do instead nothing
      relation gold_attempts.week_DATE <- alter table gold.attempt detach partition gold_attempts.WEEK
      relation gold_attempts.week_DATE <- alter table gold_attempts.WEEK enable row level security
      schema gold_migrations <- grant usage on schema gold_migrations to gold_api
      relation gold_migrations.__drizzle_migrations <- grant insert on gold_migrations.__drizzle_migrations to gold_api
      function gold.two_people() <- update pg_proc set prosupport = 'generate_series_int4_support'::regproc where oid = 'gold.two_people()'::regprocedure
      index gold.certificate_key_hash <- update pg_index set indislive = false where indexrelid = 'gold.certificate_key_hash'::regclass
      relation gold.withdrawal_step <- delete from pg_trigger where tgisinternal and tgrelid = 'gold.withdrawal_step'::regclass
      schema public of gold_api <- alter schema public owner to gold_api
      function gold.own() <- create function gold.own() returns int language sql return 1; update pg_proc set proowner = 4000000 where proname = 'own'
      function public.own() of no role <- create function public.own() returns int language sql return 1; update pg_proc set proowner = 4000000 where proname = 'own'
      relation no schema.own of postgres <- create table public.own (n int); update pg_class set relnamespace = 4000000 where relname = 'own'
      relation public.own of no role <- create view public.own as select 1 as n; update pg_class set relowner = 4000000 where relname = 'own'
      publication own of no role <- create publication own for all tables; update pg_publication set pubowner = 4000000, oid = 9000
      foreign_data_wrapper own of postgres <- create foreign data wrapper own; update pg_foreign_data_wrapper set oid = 9000
      schema pg_catalog of no role <- update pg_namespace set nspowner = 4000000 where nspname = 'pg_catalog'
      schema pg_temp_own of postgres <- set local allow_system_table_mods = on; create schema pg_temp_own
      schema pg_temp_777 of postgres <- set local allow_system_table_mods = on; create schema pg_temp_777; grant usage on schema pg_temp_777 to gold_api
      relation gold.audit <- update pg_class set relhastriggers = false where oid = 'gold.audit'::regclass
      relation gold.vault <- update pg_class set relchecks = 0 where oid = 'gold.vault'::regclass
      relation gold.vault <- update pg_class set relhasindex = false where oid = 'gold.vault'::regclass
      column gold.vault. <- update pg_attribute set atthasdef = false where atthasdef and attrelid = 'gold.vault'::regclass
      collation gold.own of postgres <- create collation gold.own from "C"
      operator_family gold.own of postgres <- create operator family gold.own using btree
      extended_statistics gold.own of postgres <- create table public.own (n int, m int); create statistics gold.own on n, m from public.own
      constraint gold.withdrawal_step.withdrawal_step_batch_id_payment_batch_id_fk <- update pg_constraint set conpfeqop[1] = '<>(int8,int8)'::regoperator where conname = 'withdrawal_step_batch_id_payment_batch_id_fk'
      constraint gold.withdrawal_step.withdrawal_step_batch_id_payment_batch_id_fk <- update pg_constraint set conppeqop[1] = '<>(int8,int8)'::regoperator where conname = 'withdrawal_step_batch_id_payment_batch_id_fk'
      constraint gold.withdrawal_step.withdrawal_step_batch_id_payment_batch_id_fk <- update pg_constraint set conffeqop[1] = '<>(int8,int8)'::regoperator where conname = 'withdrawal_step_batch_id_payment_batch_id_fk'
      constraint gold.withdrawal_step.withdrawal_step_batch_id_payment_batch_id_fk <- update pg_constraint set conparentid = oid where conname = 'withdrawal_step_batch_id_payment_batch_id_fk'
      constraint gold.nonce.nonce_bucket_client_id_nonce_pk <- update pg_constraint set conindid = 'gold.certificate_key_hash'::regclass where conname = 'nonce_bucket_client_id_nonce_pk'
      type gold.side <- update pg_type set typdefault = 'buy' where oid = 'gold.side'::regtype
      type gold.side <- update pg_type set typinput = 'textin'::regproc where oid = 'gold.side'::regtype
      type gold.side <- update pg_type set typsend = 'textsend'::regproc where oid = 'gold.side'::regtype
      type gold._orders <- update pg_type set typelem = 'gold.quote'::regtype where oid = 'gold._orders'::regtype
      type gold.orders <- update pg_type set typinput = 'anyarray_in'::regproc where oid = 'gold.orders'::regtype
      type gold_attempts._week_DATE <- update pg_type set typdelim = ';' where oid = 'gold_attempts.WEEK[]'::regtype
      trigger gold.orders.append_only <- update pg_trigger set tginitdeferred = true where tgname = 'append_only' and tgrelid = 'gold.orders'::regclass
      trigger gold.orders.append_only <- update pg_trigger set tgparentid = oid where tgname = 'append_only' and tgrelid = 'gold.orders'::regclass
      relation gold.withdrawal_step <- update pg_trigger set tginitdeferred = true where tgisinternal and tgrelid = 'gold.withdrawal_step'::regclass
      relation gold.withdrawal_step <- update pg_trigger set tgconstraint = (select min(oid) from pg_constraint) where tgisinternal and tgrelid = 'gold.withdrawal_step'::regclass
      relation gold.withdrawal_step <- update pg_trigger set tgconstrindid = 'gold.certificate_key_hash'::regclass where tgisinternal and tgrelid = 'gold.withdrawal_step'::regclass
      relation gold.withdrawal_step <- update pg_trigger set tgattr = '1' where tgisinternal and tgtype & 16 <> 0 and tgrelid = 'gold.withdrawal_step'::regclass
      index gold.certificate_key_hash <- update pg_index set indisprimary = true where indexrelid = 'gold.certificate_key_hash'::regclass
      index gold.certificate_key_hash <- update pg_attribute set attalign = 'd' where attrelid = 'gold.certificate_key_hash'::regclass
      column gold.vault.free <- update pg_attribute set attalign = 'c' where attname = 'free' and attrelid = 'gold.vault'::regclass
      relation gold.attempt <- update pg_partitioned_table set partdefid = partrelid where partrelid = 'gold.attempt'::regclass
      function gold.verify_ledger() <- update pg_proc set pronargdefaults = 1 where oid = 'gold.verify_ledger'::regproc
      function gold.verify_ledger() <- update pg_proc set provariadic = 25 where oid = 'gold.verify_ledger'::regproc
      function pg_temp_777.own() of postgres <- set local allow_system_table_mods = on; create schema pg_temp_777; create function pg_temp_777.own() returns int language sql return 1`),
    ];
    const [{ week }] =
      await sql`select min(relname) as week from pg_class where relname ~ '^week_'` as unknown as [
        { week: string },
      ];
    for (const [statement, finding] of changes) {
      const lines = await findAfter(statement.replaceAll("WEEK", week), compareObjects);
      const isFound = lines.some((line) => line.startsWith(`catalog_is_release: ${finding}`));
      assertEquals([isFound, statement], [true, statement], lines.join("\n"));
    }
  });

  it("are compared with a new server where initdb made them", async () => {
    const changes: readonly Case[] = [
      // The planner inlines this body, so the printer shows the replaced function as it was.
      [
        "update pg_proc set prolang = 14, prosrc = 'select null::text' where proname = 'pg_get_function_sqlbody'",
        "pg_proc: ",
      ],
      // A table of the same name in another schema hides nothing.
      [
        "create temporary table pg_proc (n int); grant execute on function pg_read_file(text) to public",
        "grants of pg_proc pg_read_file: =X",
      ],
      ...casesOf(`
      pg_proc: <- update pg_proc set prosrc = 'int4ne' where proname = 'int4eq'
      pg_rewrite: <- set local allow_system_table_mods = on; create or replace view pg_catalog.pg_roles as select rolname, rolsuper and rolname <> 'own' as rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolconnlimit, '********'::text as rolpassword, rolvaliduntil, rolbypassrls, null::text[] collate "C" as rolconfig, oid from pg_authid
      pg_operator: <- update pg_operator set oprcode = 'nameeq' where oprcode = 'namene'::regproc
      pg_cast: <- update pg_cast set castmethod = 'i', castfunc = 0 where castfunc <> 0 and castsource = 'macaddr'::regtype
      pg_aggregate: <- update pg_aggregate set aggtransfn = 'bool_or'::regproc where aggfnoid = 'bool_and'::regproc
      pg_type: <- update pg_type set typsend = 'textsend' where typname = 'name'
      pg_language: <- update pg_language set lanpltrusted = true where lanname = 'c'
      pg_amproc: <- update pg_amproc set amproc = 'hashmacaddr8' where amproc = 'hashmacaddr'::regproc
      pg_init_privs: <- delete from pg_init_privs where privtype = 'i'
      grants of pg_proc pg_read_file: gold_api=X <- grant execute on function pg_read_file(text) to gold_api
      grants of pg_proc pg_read_file: =X <- grant execute on function pg_read_file(text) to public
      grants of pg_class pg_authid: gold_api=r <- grant select on pg_authid to gold_api
      grants of pg_attribute rolpassword: gold_api=r <- grant select (rolpassword) on pg_authid to gold_api
      grants of pg_namespace public: gold_api=C <- grant create on schema public to gold_api
      grants of pg_proc pg_ls_dir: =X <- update pg_proc set proacl = null where proname = 'pg_ls_dir'`),
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

  it("are read completely: each table and column of pg_catalog is compared, or harmless for a stated reason", async () => {
    const rows = await sql`
      select c.relname, array_to_json(array_agg(a.attname order by a.attnum))::text as columns from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'r' and a.attnum > 0 group by 1`;
    const wordsOf = (statements: readonly string[]) => statements.map((text) => new Set(text.match(/\w+/g)));
    const builtin = wordsOf([...LAYOUT_STATEMENTS, ...BUILTIN_STATEMENTS]);
    const others = wordsOf([...CATALOG_STATEMENTS, ...ROLE_STATEMENTS, ...TREE_STATEMENTS]);
    const missing: string[] = [];
    for (const { relname, columns } of rows) {
      if (relname in HARMLESS_CATALOG) continue;
      const lists = HAVE_BOTH.includes(relname) ? [builtin, others] : [[...builtin, ...others]];
      for (const list of lists.map((list) => list.filter((words) => words.has(relname)))) {
        if (list.length === 0) missing.push(relname);
        const printed = list.some((words) => others.includes(words)) ? printedOf(relname) : [];
        for (const column of JSON.parse(columns)) {
          const isRead = list.some((words) => words.has(column)) || printed.includes(column);
          if (!isRead && !isHarmless(relname, column)) missing.push(`${relname}.${column}`);
        }
      }
    }
    assertEquals(missing, []);
    assertEquals(rows.length >= 60, true);
  });

  it("may have what the operator allows, each with a reason; an unused entry is a warning", async () => {
    const reason = "monitoring";
    const allowed = [
      { rule: "catalog_is_release", row: "* monitoring* of own", reason },
      { rule: "role_is_expected", row: "role own", found: "superuser", reason },
      { rule: "catalog_is_release", row: "extension own of postgres", reason },
    ] as const;
    const monitored =
      `create role own; create schema monitoring authorization own; create table monitoring.own (n int);
      alter table monitoring.own owner to own; alter role own superuser`;
    const own = (lines: readonly string[]) => lines.filter((line) => /own|monitoring/.test(line));
    assertEquals(own(await auditAfter(monitored, { allowed })), []);
    assertEquals(last!.allowed, 3);
    assertEquals(last!.warnings.map(({ row }) => row), ["allowed extension own of postgres"]);
    const definer =
      `${monitored}; create function monitoring.own() returns int language sql return 1; alter function monitoring.own owner to gold_owner`;
    assertEquals(own(await auditAfter(definer, { allowed })), [
      "catalog_is_release: function monitoring.own() of gold_owner",
    ]);
    assertEquals(own(await auditAfter(`${monitored}; alter role own replication`, { allowed })), [
      "role_is_expected: role own",
    ]);
  });

  it("may have what the example of docs/audit.md names", async () => {
    const page = await readFile(new URL("../../../../docs/audit.md", import.meta.url), "utf8");
    const allowed = readAllowed(/```json\n(.+?)```/s.exec(page)![1]!)!;
    const monitored = "create extension pg_stat_statements; create role exporter in role pg_monitor";
    const own = (lines: readonly string[]) =>
      lines.filter((line) => /pg_stat_statements|exporter/.test(line));
    assertEquals(own(await auditAfter(monitored)).length > 3, true);
    assertEquals(own(await auditAfter(monitored, { allowed })), []);
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
