import { suiteBooks } from "../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { Sql } from "postgres";

const DENIED = "42501";
const ROLES = [
  "api",
  "delivery",
  "ticker",
  "trust",
  "operator",
  "treasury",
  "credentials",
  "pricing",
  "keys",
  "audit",
]
  .map((role) => `gold_${role}`);
describe("the roles", () => {
  const books = suiteBooks();
  let tables: string[];
  before(async () => {
    await books.addBar(10_000n);
    const client = await books.createClient({ halalas: 100_000n, tenthMilligrams: 10n });
    await books.sql`select gold.seal_chain(${client})`;
    const rows = await books
      .sql`select relname from pg_class where relnamespace = 'gold'::regnamespace and relkind in ('r', 'p') order by relname`;
    tables = rows.map(({ relname }) => relname);
  });

  const codeOf = (change: PromiseLike<unknown>): Promise<string> =>
    Promise.resolve(change).then(() => "done", (error) => error.code);
  const columnsOf = async (table: string): Promise<string[]> =>
    (await books.sql`
      select attname from pg_attribute where attrelid = ${`gold.${table}`}::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`)
      .map(({ attname }) => attname);

  for (const role of ["gold_api", "gold_operator"]) {
    it(`${role} cannot read, write, lock, truncate or drop a table or disable its triggers`, async () => {
      const sql: Sql = books.connect(role);
      for (const table of tables) {
        const [column] = await columnsOf(table);
        const attempts = [
          sql`select from gold.${sql(table)}`,
          sql`select count(*) from gold.${sql(table)}`,
          sql`insert into gold.${sql(table)} default values`,
          sql`update gold.${sql(table)} set ${sql(column!)} = ${sql(column!)}`,
          sql`delete from gold.${sql(table)}`,
          sql`truncate gold.${sql(table)}`,
          sql.begin((sql) => sql`lock table gold.${sql(table)} in access share mode`),
          sql`alter table gold.${sql(table)} disable trigger all`,
          sql`drop table gold.${sql(table)}`,
        ];
        assertEquals(await Promise.all(attempts.map(codeOf)), attempts.map(() => DENIED), table);
      }
    });

    it(`${role} cannot disable triggers or create objects in the schema`, async () => {
      const [own] = await books.sql`
        select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication from pg_roles where rolname = ${role}`;
      assertEquals(Object.values(own!), [false, false, false, false, false]);
      const sql: Sql = books.connect(role, 1);
      const attempts = [
        sql`set session_replication_role = replica`,
        sql`create table gold.mine (n int)`,
        sql`create function gold.mine() returns int language sql return 1`,
        sql`create or replace function gold.decimal_text(bigint, numeric) returns text language sql return 'mine'`,
        sql`alter function gold.book_funding owner to gold_api`,
        sql`drop schema gold cascade`,
      ];
      assertEquals(await Promise.all(attempts.map(codeOf)), attempts.map(() => DENIED));
    });
  }

  it("every role can read each of its views, with the functions that the view calls", async () => {
    for (const role of ROLES) {
      const views = await books.sql`
        select relname from pg_class where relnamespace = 'gold'::regnamespace and relkind = 'v' and has_table_privilege(${role}, oid, 'select')`;
      const sql: Sql = books.connect("superuser", 1);
      await sql`select set_config('role', ${role}, false)`;
      for (const { relname } of views) {
        assertEquals(await codeOf(sql`select * from gold.${sql(relname)}`), "done", `${role}: ${relname}`);
      }
    }
  });

  it("the service cannot call operators' functions, and operators cannot call the service's", async () => {
    const [api, operator] = [books.api, books.connect("gold_operator")];
    const attempts = [
      api`select gold.suspend_partner('x')`,
      api`select gold.set_price('fixed', 1, 2, 1, 1, 1, null)`,
      api`select gold.post_funding(null, 1, gen_random_uuid(), now())`,
      api`select gold.take_turn(false, 1, 1, null, 'k', '\\x00', gen_random_uuid())`,
      api`select gold.post_event(1, 1, gen_random_uuid(), gen_random_uuid(), now(), 'order.executed')`,
      api`select gold.approve_withdrawal(gen_random_uuid())`,
      api`select gold.record_deposit('x', 1, 'r')`,
      api`select gold.approve_iban('x', 'y')`,
      api`select gold.note('a', 'b', '{}')`,
      api`select gold.end_admission(1)`,
      operator`select gold.book_funding(false, 1, 1, 'k', '\\x00', 1, 1, gen_random_uuid(), gen_random_uuid())`,
      operator`select gold.spend_nonces(true, '{1}', '{1}', array[gen_random_uuid()], array[gen_random_uuid()])`,
      operator`select gold.book_withdrawal(false, 1, 1, gen_random_uuid(), 'k', '\\x00', 1, 1, null, gen_random_uuid(), gen_random_uuid(),
        null, '\\xab', sha256(''))`,
      operator`select gold.advance_withdrawal(gen_random_uuid(), 'paid', null)`,
      operator`select gold.note('a', 'b', '{}')`,
      operator`select gold.seal_audit()`,
      operator`select gold.book_bar(true, 1)`,
      operator`select gold.add_operator('somebody', 'x')`,
      operator`select gold.remove_operator('somebody')`,
      operator`select gold.end_admission(1)`,
    ];
    assertEquals(await Promise.all(attempts.map(codeOf)), attempts.map(() => DENIED));
  });

  it("gold_book cannot update history or balances, or delete their rows", async () => {
    const book = books.connect("superuser", 1);
    await book`set role gold_book`;
    const MAY_UPDATE: Record<string, readonly string[]> = {
      receiver: ["url", "types", "typed_after", "removed_at"],
      account: ["admission_version", "event_sequence", "last_posted_at", "closed_until", "simulations"],
      authority: ["retired_at", "revocation_list", "revocation_number", "revocation_next_at"],
      bar: ["removed_at", "removed_sequence", "removed_list"],
      certificate: ["revoked_at", "last_used_at", "revocation_reason"],
      client_secret: ["retire_at", "last_used_at"],
      signing_key: ["retire_at", "last_used_at"],
      token_key: ["sealed", "sealing_key", "retire_at", "last_used_at"],
      webhook_secret: ["sealed", "sealing_key", "retire_at", "last_used_at"],
      deposit: ["approved_at", "approved_by", "reversed_at", "reversed_by", "reversed_sequence"],
      published_reserves: ["as_of", "body"],
      proposal: ["state", "decided_by", "decided_at", "secrets", "proposer_signature", "approver_signature"],
      operator_key: ["ended_at"],
      change_request: [
        "taken_by",
        "taken_at",
        "proposal",
        "certificate",
        "declined_by",
        "declined_at",
        "reason",
      ],
      vault: ["stripe", "list_id", "maximum_exposure", "day_net", "day_ends_at"],
      open_exposure: ["buys", "sells"],
    };
    const MAY_DELETE =
      "allowance allowed_ip market_session delivery_worker endpoint open_exposure rate_use retry"
        .split(" ");
    const whole = (
      "allowance chain_tail audit_tail partner price registry_version deployment delivery_worker " +
      "endpoint rate_use retry"
    ).split(" ");
    for (const table of tables) {
      const columns = await columnsOf(table);
      const updatable: string[] = [];
      for (const column of columns) {
        const code = await codeOf(
          book`update gold.${book(table)} set ${book(column)} = ${book(column)} where false`,
        );
        if (code === "done") updatable.push(column);
        else assertEquals(code, DENIED, `${table}.${column}`);
      }
      assertEquals(updatable, [...whole.includes(table) ? columns : MAY_UPDATE[table] ?? []], table);
      const removals = [
        book`delete from gold.${book(table)} where false`,
        book`truncate gold.${book(table)}`,
        book`alter table gold.${book(table)} disable trigger all`,
      ];
      const deleted = MAY_DELETE.includes(table) ? "done" : DENIED;
      assertEquals(await Promise.all(removals.map(codeOf)), [deleted, DENIED, DENIED], table);
    }
    assertEquals(await codeOf(book`set session_replication_role = replica`), DENIED);
  });

  it("only the service's roles can log in, and only gold_operator is a member of other roles", async () => {
    const rows = await books.sql`
      select rolname::text as name, rolcanlogin as login, rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication as power,
        array(select m.roleid::regrole::text from pg_auth_members m where m.member = r.oid order by 1) as groups
      from pg_roles r where rolname = any (${[...ROLES, "gold_owner", "gold_book"]}) order by rolname`;
    const operators = ["gold_audit", "gold_credentials", "gold_keys", "gold_pricing", "gold_treasury"];
    assertEquals(
      rows.map((row) => ({ ...row })),
      [...ROLES, "gold_owner", "gold_book"].sort().map((name) => ({
        name,
        login: /_(api|delivery|ticker|trust)$/.test(name),
        power: false,
        groups: name === "gold_operator" ? operators : [],
      })),
    );
  });

  it("gold_owner owns the tables and five functions; gold_book owns all other functions", async () => {
    const relations = await books.sql`
      select distinct pg_get_userbyid(relowner) as owner from pg_class where relnamespace = 'gold'::regnamespace and relkind in ('r', 'p', 'v', 'S', 'c')`;
    assertEquals(relations.map(({ owner }) => owner), ["gold_owner"]);
    const functions = await books.sql`
      select pg_get_userbyid(proowner) as owner, count(*)::int as n, array_agg(proname::text order by proname) as names
      from pg_proc where pronamespace = 'gold'::regnamespace group by 1 order by 1`;
    assertEquals(functions.map(({ owner }) => owner), ["gold_book", "gold_owner"]);
    assertEquals(functions[1]!.names, [
      "freeze_steps",
      "gather_vault",
      "keep_attempts",
      "post_transfers",
      "refuse_change",
    ]);
  });

  it("only gold_owner can use the schema of the weekly attempt partitions", async () => {
    const rows = await books.sql`
      select r.rolname from pg_roles r where r.rolname like 'gold%' and has_schema_privilege(r.oid, 'gold_attempts', 'usage')
      union all
      select c.relname from pg_class c
      where c.relnamespace = 'gold_attempts'::regnamespace and c.relkind = 'r' and c.relowner <> 'gold_owner'::regrole`;
    assertEquals(rows.map(({ rolname }) => rolname), ["gold_owner"]);
  });

  it("every SECURITY DEFINER function has a fixed search_path; PUBLIC may call no function", async () => {
    const loose = await books.sql`
      select proname from pg_proc where pronamespace = 'gold'::regnamespace and prosecdef
        and not coalesce('search_path=gold, pg_temp' = any(proconfig), false)`;
    assertEquals(loose.length, 0);
    const definers = await books
      .sql`select from pg_proc where pronamespace = 'gold'::regnamespace and prosecdef`;
    assertEquals(definers.length >= 20, true);
    const open = await books.sql`
      select proname from pg_proc where pronamespace = 'gold'::regnamespace
        and (proacl is null or exists (select from aclexplode(proacl) where grantee = 0))`;
    assertEquals(open.map(({ proname }) => proname), []);
    const tables = await books.sql`
      select relname from pg_class, aclexplode(relacl) where relnamespace = 'gold'::regnamespace and grantee = 0`;
    assertEquals(tables.length, 0);
  });

  it("a caller's temporary table never replaces a table of the books", async () => {
    const sql = books.connect("gold_api", 1);
    await sql`create temp table price (one boolean, source text)`;
    await sql`create temp table account (client_id int)`;
    const [row] = await sql`
      select outcome from gold.book_funding(false, 1, 1, 'temp', '\\x00', 1, 10, gen_random_uuid(), gen_random_uuid())`;
    assertEquals(row!.outcome, "answered");
  });
});
