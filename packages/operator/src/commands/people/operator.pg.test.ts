import { after, before, describe, it } from "node:test";
import { randomBytes } from "node:crypto";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import postgres, { type Sql } from "postgres";
import { type Run, runGold } from "../../gold_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";
import { ROLES } from "../../roles.ts";
import { dropLogins } from "../../../../../tools/testing/drop_logins.ts";

const GROUPS = ROLES.map((role) => `gold_${role}`);

describe("gold operator", () => {
  let operator: TestOperator;
  let sql: Sql;
  /** The migration login. It is not a superuser, as in production. */
  let migration: string;
  const made: string[] = [];
  before(async () => {
    operator = await testOperator();
    sql = operator.service.books.sql;
    migration = await newLogin("createrole", "gold_owner, gold_book");
    await sql.unsafe(`grant gold_operator, ${GROUPS} to ${migration} with admin option`);
  });
  after(async () => {
    if (made.length > 0) await dropLogins(sql, ...made);
    await operator.stop();
  });

  function newName(): string {
    const name = `person_${randomBytes(6).toString("hex")}`;
    made.unshift(name);
    return name;
  }
  async function newLogin(attributes: string, groups: string): Promise<string> {
    const name = newName();
    await sql.unsafe(`create role ${name} login password '${name}' ${attributes} in role ${groups}`);
    return name;
  }
  function urlOf(login: string): string {
    const url = new URL(operator.service.books.url);
    [url.username, url.password] = [login, login];
    return url.href;
  }
  const asMigration = (...argv: string[]): Promise<Run> =>
    runGold([...argv, "--json", "--yes"], {
      env: { DATABASE_URL: operator.url, MIGRATION_DATABASE_URL: urlOf(migration) },
    });
  async function added(name = newName()): Promise<{ name: string; url: string }> {
    const { exit, err, json } = await asMigration("operator", "add", name);
    assertEquals([exit, err], [0, ""]);
    assertEquals(Object.keys(json), ["login", "database_url"]);
    return { name, url: json.database_url as string };
  }
  const onUrl = (url: string, ...argv: string[]) =>
    runGold([...argv, "--json", "--yes"], { env: { DATABASE_URL: url } });
  const codeOf = (change: PromiseLike<unknown>): Promise<string> =>
    Promise.resolve(change).then(() => "done", ({ code }) => code);

  describe("add", () => {
    it("creates a login that has all roles and no other privileges, for a single operator", async () => {
      const { name, url } = await added();
      const { clientId } = await operator.service.addPartner();
      assertEquals((await onUrl(url, "partner", "suspend", clientId)).exit, 0);
      const [note] =
        await sql`select login from gold.audit where subject = ${clientId} order by id desc limit 1`;
      assertEquals(note!.login, name);
      const [role] = await sql`
        select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
          (select string_agg(m.roleid::regrole::text, ',' order by m.roleid::regrole::text) from pg_auth_members m where m.member = r.oid) as member_of,
          (select bool_or(m.admin_option) from pg_auth_members m where m.member = r.oid) as hands_on
        from pg_roles r where rolname = ${name}`;
      assertEquals(Object.values(role!), [
        ...[false, false, false, false, false],
        GROUPS.toSorted().join(),
        false,
      ]);
    });

    it("creates a login for several database hosts", async () => {
      const severalHosts = (url: string) =>
        `${url.replace("@", "@127.0.0.1:1,")}?target_session_attrs=primary`;
      const name = newName();
      const made = await runGold(["operator", "add", name, "--json", "--yes"], {
        env: { DATABASE_URL: operator.url, MIGRATION_DATABASE_URL: severalHosts(urlOf(migration)) },
      });
      assertEquals([made.exit, made.err], [0, ""]);
      const url = made.json.database_url as string;
      assert(url.includes("@127.0.0.1:1,") && url.endsWith("?target_session_attrs=primary"), url);
      // Without GOLD_KEYS, this command looks for the key file of an `npm start`.
      assertEquals((await onUrl(url, "ca", "list")).exit, 0);
    });

    it("shows the password, and stores only its SCRAM verifier", async () => {
      const { name, url } = await added();
      const { password } = new URL(url);
      assert(password.length >= 32);
      const [stored] = await sql`select rolpassword from pg_authid where rolname = ${name}`;
      assert(/^SCRAM-SHA-256\$4096:/.test(stored!.rolpassword), stored!.rolpassword);
      const notes = await sql`select login, action, detail::text from gold.audit where subject = ${name}`;
      assertEquals(notes.map((row) => ({ ...row })), [{
        login: migration,
        action: "operator.add",
        detail:
          '{"mode": "single_operator", "roles": ["treasury", "credentials", "pricing", "keys", "audit"]}',
      }]);
    });

    it("creates a login whose password only the new person knows, and takes no plain password instead", async () => {
      const file = operator.path("verifier");
      const own = await runGold(["operator", "password", "--out", file, "--json"]);
      assertEquals([own.exit, Object.keys(own.json)], [0, ["password", "scram_verifier"]], own.err);
      const add = (name: string, verifier: string) =>
        asMigration("operator", "add", name, "--scram-verifier", verifier);
      const name = newName();
      const { json, err, out } = await add(name, file);
      assertEquals([err, Object.keys(json)], ["", ["login", "database_url"]]);
      assert(!out.includes(own.json.password as string));
      const url = new URL(json.database_url as string);
      assertEquals([url.username, url.password], [name, ""]);
      url.password = own.json.password as string;
      assertEquals((await onUrl(url.href, "partner", "list")).exit, 0);
      url.password = `${url.password}x`;
      refused(await onUrl(url.href, "partner", "list"), 2, `user "${name}"`);
      const plain = await operator.write("plain", `${own.json.password}\n`);
      const rejected = await add(newName(), plain);
      refused(rejected, 2, "--scram-verifier must be a file with one SCRAM-SHA-256 verifier");
      assert(!rejected.err.includes(own.json.password as string));
      refused(await add(newName(), operator.path("none")), 2, "--scram-verifier cannot be read");
      refused(await runGold(["operator", "password", "--out", file, "--json"]), 2, "already exists");
    });

    it("rejects an invalid name and the name of an existing role, and changes nothing", async () => {
      for (
        const wrong of [
          "ab",
          "Anna",
          "1anna",
          "an-na",
          "gold_anna",
          "pg_anna",
          "postgres",
          "public",
          "none",
          "a".repeat(41),
          "anna;",
        ]
      ) {
        refused(await asMigration("operator", "add", wrong), 1, "the name of a login must have 3 to 40");
      }
      const other = await newLogin("", "gold_api");
      for (const taken of [other, operator.login, migration]) {
        refused(await asMigration("operator", "add", taken), 1, `there is already a database login ${taken}`);
      }
      const [role] = await sql`
        select string_agg(m.roleid::regrole::text, ',') as member_of from pg_auth_members m where m.member = ${other}::regrole`;
      assertEquals(role!.member_of, "gold_api");
    });

    it("refuses add and remove when an operator runs them, so that one person cannot act as two", async () => {
      const { url } = await added();
      for (const own of [url, operator.url]) {
        for (const argv of [["add", newName()], ["remove", operator.colleague.login]]) {
          refused(await onUrl(own, "operator", ...argv), 1, "Set MIGRATION_DATABASE_URL");
        }
        const direct = postgres(own, { max: 1, onnotice: () => {} });
        assertEquals(await codeOf(direct`select gold.add_operator(${newName()}, 'x')`), "42501");
        assertEquals(await codeOf(direct`select gold.remove_operator(${operator.colleague.login})`), "42501");
        assertEquals(
          await codeOf(direct.unsafe(`create role ${newName()} login in role gold_operator`)),
          "42501",
        );
        await direct.end();
      }
    });

    it("names the grant that the migration login lacks; only Postgres 16 and newer need it", async () => {
      const bare = await newLogin("createrole", "gold_owner, gold_book");
      const [server] = await sql`select current_setting('server_version_num')::int >= 160000 as strict`;
      const name = newName();
      const run = await onUrl(urlOf(bare), "operator", "add", name);
      if (server!.strict) refused(run, 1, `with admin option`);
      else assertEquals(run.exit, 0);
      const [role] = await sql`select count(*)::int as n from pg_roles where rolname = ${name}`;
      assertEquals(role!.n, server!.strict ? 0 : 1);
    });
  });

  describe("remove", () => {
    it("removes the login and ends its sessions at once, and keeps its audit rows", async () => {
      const { name, url } = await added();
      const { clientId } = await operator.service.addPartner();
      await onUrl(url, "partner", "suspend", clientId);
      const session = postgres(url, { max: 1, onnotice: () => {}, backoff: () => 0.05, connect_timeout: 30 });
      const [own] = await session`select pg_backend_pid() as pid`;
      assertEquals((await asMigration("operator", "remove", name)).json, { login: name, status: "removed" });
      const [left] = await sql`select count(*)::int as n from pg_stat_activity where pid = ${own!.pid}`;
      assertEquals(left!.n, 0);
      await session.end({ timeout: 0 });
      refused(await onUrl(url, "partner", "list"), 2, `user "${name}"`);
      const notes = await sql`
        select login, action from gold.audit where ${name} in (login, subject) order by id`;
      assertEquals(notes.map(({ login, action }) => [login, action]), [
        [migration, "operator.add"],
        [name, "partner.suspend"],
        [migration, "operator.remove"],
      ]);
    });

    it("without --yes and without a terminal, exits with 2 and removes nothing", async () => {
      const { name } = await added();
      const env = { MIGRATION_DATABASE_URL: urlOf(migration) };
      refused(await runGold(["operator", "remove", name], { env }), 2, "with --yes");
      const [role] = await sql`select rolcanlogin from pg_roles where rolname = ${name}`;
      assertEquals(role!.rolcanlogin, true);
    });

    it("keeps the name reserved; add refuses every name that the audit or the books contain", async () => {
      const words = "was used before and appears in the audit or the books";
      const { name } = await added();
      await asMigration("operator", "remove", name);
      refused(await asMigration("operator", "add", name), 1, words);
      const [asker, recorder] = [newName(), newName()];
      const { client } = await operator.service.addPartner();
      await sql`
        update gold.partner set pending_iban = 'SA', pending_iban_by = ${asker}, pending_iban_at = clock_timestamp() where id = ${client}`;
      refused(await asMigration("operator", "add", asker), 1, words);
      await sql`insert into gold.audit (login, action, subject, detail) values (${recorder}, 'x', 'x', '{}')`;
      refused(await asMigration("operator", "add", recorder), 1, words);
    });

    it("rejects every role that is not an operator, and removes none of them", async () => {
      const other = await newLogin("", "gold_api");
      const builder = await newLogin("createrole", "gold_operator");
      for (
        const none of [
          "gold_api",
          "gold_operator",
          "gold_owner",
          "postgres",
          other,
          builder,
          migration,
          "nobody_here",
        ]
      ) {
        refused(await asMigration("operator", "remove", none), 1, `there is no operator ${none}`);
      }
      const [roles] = await sql`
        select count(*)::int as n from pg_roles where rolname in ('gold_api', ${other}, ${builder}, ${migration})`;
      assertEquals(roles!.n, 4);
    });

    it("refuses a login that owns database objects, and leaves the login unchanged", async () => {
      const { name } = await added();
      await sql.unsafe(
        `create table public.kept_${name} (n int); alter table public.kept_${name} owner to ${name}`,
      );
      refused(await asMigration("operator", "remove", name), 1, `${name} owns objects in a database`);
      const [role] = await sql`select rolcanlogin from pg_roles where rolname = ${name}`;
      assertEquals(role!.rolcanlogin, true);
      await sql.unsafe(`drop table public.kept_${name}`);
      assertEquals((await asMigration("operator", "remove", name)).exit, 0);
    });
  });

  it("list shows logins that gold added and logins created by hand, which add records once", async () => {
    const { name, url } = await added();
    const { clientId } = await operator.service.addPartner();
    await onUrl(url, "partner", "suspend", clientId);
    const items = itemsOf(await operator.done("operator", "list"));
    const [item] = items.filter(({ login }) => login === name);
    assertEquals(Object.keys(item!), ["login", "roles", "added_at", "added_by", "last_change_at"]);
    assertEquals(item!.added_by, migration);
    assertStringIncludes(item!.last_change_at as string, "Z");
    const made = await newLogin("", "gold_operator");
    const byHand = async () =>
      itemsOf(await operator.done("operator", "list")).find(({ login }) => login === made)!;
    const { added_at, added_by } = await byHand();
    assertEquals([added_at, added_by], [null, null]);
    // In Postgres 15, a login with CREATEROLE may change every role that is no superuser.
    const [{ server_version }] = await sql`show server_version` as unknown as [{ server_version: string }];
    if (parseInt(server_version, 10) >= 16) {
      refused(
        await asMigration("operator", "add", made),
        1,
        `grant ${made} to ${migration} with admin option`,
      );
    }
    await sql.unsafe(`grant ${made} to ${migration} with admin option`);
    const { json } = await asMigration("operator", "add", made);
    assertEquals(new URL(json.database_url as string).password, "");
    assertEquals((await byHand()).added_by, migration);
    const logins = items.map(({ login }) => login);
    for (const no of [migration, "gold_api", "postgres"]) assert(!logins.includes(no), no);
  });
});
