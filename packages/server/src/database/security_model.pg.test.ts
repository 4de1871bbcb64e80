import { readFile } from "node:fs/promises";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { suiteBooks } from "../../testing/books.ts";

const PAGE = new URL("../../../../docs/security_model.md", import.meta.url);
const OPERATORS = ["treasury", "credentials", "pricing", "keys", "audit"];

/**
 * Tables whose lines other tests check: packages/audit/src/security_model.pg.test.ts and
 * deploy/secrets.test.ts.
 */
const CHECKED_ELSEWHERE = ["Who, Can do alone, Outcome", "Container, Secrets of Kubernetes"];

interface Line {
  /** The titles of the columns, joined. */
  readonly table: string;
  readonly cells: readonly string[];
}

/** Reads the lines of all tables of the page. */
function readTables(page: string): Line[] {
  const lines: Line[] = [];
  let table: string | undefined;
  for (const text of page.split("\n")) {
    const cells = text.startsWith("|") ? text.split("|").slice(1, -1).map((cell) => cell.trim()) : undefined;
    if (!cells) table = undefined;
    else if (table === undefined) table = cells.join(", ");
    else if (!cells.every((cell) => /^-+$/.test(cell))) lines.push({ table, cells });
  }
  return lines;
}

/** What gold_ticker may call. */
const TICKER = "`tick_price` `current_price` `is_stale` `market_open`";

/** The words of a cell that are set as code. */
const codesOf = (cell = ""): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, word]) => word!).sort();

/** The words of the column "Who", and a condition that is true only for the roles `r` that they describe. */
const WHO: Readonly<Record<string, string>> = {
  "owns the tables, and the functions that write balances, protect history and create partitions":
    `(select bool_and(c.relowner = r.oid) from pg_class c where c.relnamespace = 'gold'::regnamespace) and (
      select count(*) = 3 from pg_proc p where p.proowner = r.oid and p.proname in ('post_transfers', 'refuse_change', 'keep_attempts'))`,
  "owns all other functions; cannot change or delete history":
    `(select bool_or(p.proowner = r.oid) and bool_and(p.proowner in (r.oid, 'gold_owner'::regrole))
      from pg_proc p where p.pronamespace = 'gold'::regnamespace)
    and not exists (select from unnest('{gold.transfer, gold.event, gold.audit, gold.nonce}'::text[]) history
      where has_any_column_privilege(r.oid, history, 'update') or has_table_privilege(r.oid, history, 'delete, truncate'))`,
  "operators with all roles, as in 0.4.0":
    "not exists (select from unnest(gold.all_roles()) o where not pg_has_role(r.oid, 'gold_' || o, 'usage'))",
  "operators with this role": "r.rolname = any (select 'gold_' || o from unnest(gold.all_roles()) o)",
  "a process of the service": "r.rolcanlogin",
};

describe("docs/security_model.md", () => {
  const books = suiteBooks();
  let lines: readonly Line[];
  before(async () => {
    lines = readTables(await readFile(PAGE, "utf8"));
  });

  /** Which of the roles may call the function or read the view. Throws if there is none of this name. */
  async function holdersOf(name: string, roles: readonly string[]): Promise<string[]> {
    const rows = await books.sql`
      select r.name, bool_or(may) as may from unnest(${[...roles]}::text[]) r (name), lateral (
        select has_function_privilege(r.name, p.oid, 'execute') as may from pg_proc p
        where p.pronamespace = 'gold'::regnamespace and p.proname = ${name}
        union all
        select has_table_privilege(r.name, c.oid, 'select, insert, update, delete') or has_any_column_privilege(r.name, c.oid, 'select, update')
        from pg_class c where c.relnamespace = 'gold'::regnamespace and c.relname = ${name} and c.relkind in ('r', 'p', 'v')
      ) item group by 1`;
    if (rows.length === 0) throw new Error(`there is no function, view or table ${name}`);
    return rows.filter(({ may }) => may).map((row) => row.name as string).sort();
  }

  /** Everything that the role may call or read. */
  async function reachOf(role: string): Promise<string[]> {
    const rows = await books.sql`
      select distinct p.proname as name from pg_proc p where p.pronamespace = 'gold'::regnamespace and has_function_privilege(${role}, p.oid, 'execute')
      union select c.relname from pg_class c where c.relnamespace = 'gold'::regnamespace and c.relkind in ('r', 'p', 'v')
        and has_any_column_privilege(${role}, c.oid, 'select')`;
    return rows.map(({ name }) => name as string).sort();
  }

  const checks: Readonly<Record<string, (cells: readonly string[]) => Promise<void>>> = {
    "Role, Can log in, Member of, Who": async ([role = "", login, groups, who = ""]) => {
      const described = await books.sql.unsafe(
        `select rolname from pg_roles r where rolname ~ '^gold_' and rolname !~ '^gold_(simulation|migration)' and not rolsuper and (${
          WHO[who]
        })`,
      );
      assert(described.some(({ rolname }) => rolname === codesOf(role)[0]), `${role}: ${who}`);
      const [row] = await books.sql`
        select rolcanlogin as login, rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication as power,
          array(select m.roleid::regrole::text from pg_auth_members m where m.member = r.oid order by 1) as groups
        from pg_roles r where rolname = ${codesOf(role)[0]!}`;
      assertEquals({ ...row }, { login: login === "yes", power: false, groups: codesOf(groups) });
    },
    "What, Roles, With whom, Functions": async ([what, roles, whom = "", functions]) => {
      const expected = codesOf(roles).map((role) => `gold_${role}`);
      for (const name of codesOf(functions)) {
        assertEquals(
          await holdersOf(name, OPERATORS.map((role) => `gold_${role}`)),
          expected,
          `${what}: ${name}`,
        );
      }
      const [row] = await books.sql`
        select bool_or(provolatile = 'v') as changes from pg_proc where pronamespace = 'gold'::regnamespace and proname = any (${
        codesOf(functions)
      })`;
      assertEquals(row!.changes, whom !== "reads", what);
    },
    "Roles, Views": async ([roles, views]) => {
      const expected = codesOf(roles).map((role) => `gold_${role}`);
      for (const name of codesOf(views)) {
        assertEquals(await holdersOf(name, OPERATORS.map((role) => `gold_${role}`)), expected, name);
      }
    },
    "Role, Kinds of proposals": async ([role, kinds]) => {
      for (const kind of codesOf(kinds)) {
        const [row] = await books.sql`select gold.role_of_kind(${kind}) as role`;
        assertEquals([row!.role], codesOf(role), kind);
      }
    },
    "Login, Process, Functions and views": async ([login, process = "", names]) => {
      const [name] = codesOf(login) as [string];
      assertEquals(await reachOf(name), codesOf(names));
      // The table of the containers, which deploy/secrets.test.ts checks. No container runs the role `all`.
      const secret = `gold-${name === "gold_api" ? "service" : name.slice("gold_".length)}-database`;
      const containers = lines.filter(({ table, cells }) =>
        table === "Container, Secrets of Kubernetes" && codesOf(cells[1]).includes(secret)
      ).flatMap(({ cells }) => codesOf(cells[0]));
      const processes = process.split(" and ").map((one) =>
        one.replace(/`(--role )?/g, "").replace(" ", "-")
      );
      assertEquals(processes.filter((one) => one !== "all"), containers, `${login}: ${process}`);
    },
    "Role, Cannot, Functions and tables": async ([role, , names]) => {
      assert(codesOf(names).length > 0);
      for (const name of codesOf(names)) {
        assertEquals(await holdersOf(name, codesOf(role)), [], `${role}: ${name}`);
      }
    },
  };

  it("has only lines that are true in the database", async () => {
    assert(lines.length > 60);
    for (const { table, cells } of lines) {
      if (CHECKED_ELSEWHERE.includes(table)) continue;
      const check = checks[table];
      assert(check, `no check for the table "${table}"`);
      await check(cells);
    }
    const tables = [...Object.keys(checks), ...CHECKED_ELSEWHERE].sort();
    assertEquals([...new Set(lines.map(({ table }) => table))].sort(), tables);
  });

  it("leaves out no function, view, kind of proposal and role", async () => {
    const listed = (table: string, column: number) =>
      lines.filter((line) => line.table === table).flatMap(({ cells }) => codesOf(cells[column])).sort();
    const stated = [...listed("What, Roles, With whom, Functions", 3), ...listed("Roles, Views", 1)].sort();
    assertEquals(stated, await reachOf("gold_operator"));
    const [source] = await books.sql`select prosrc from pg_proc where proname = 'apply_change'`;
    const kinds = Array.from(
      source!.prosrc.matchAll(/when '([a-z_.]+)' then/g),
      ([, kind]: string[]) => kind!,
    ).sort();
    assertEquals(listed("Role, Kinds of proposals", 1), kinds);
    const roles = await books.sql`
      select rolname from pg_roles where rolname ~ '^gold_' and rolname !~ '^gold_(simulation|migration)' order by rolname`;
    assertEquals(listed("Role, Can log in, Member of, Who", 0), roles.map(({ rolname }) => rolname));
  });

  it("finds a line that is not true", async () => {
    const wrong: readonly [table: string, cells: readonly string[]][] = [
      ["What, Roles, With whom, Functions", ["x", "`audit`", "alone", "`set_price`"]],
      ["Roles, Views", ["`pricing`", "`audit_overview`"]],
      ["Role, Kinds of proposals", ["`pricing`", "`vault.add`"]],
      ["Login, Process, Functions and views", ["`gold_trust`", "trust sync", "`read_trust` `read_registry`"]],
      ["Login, Process, Functions and views", ["`gold_ticker`", "`--role delivery` and `all`", TICKER]],
      ["Role, Cannot, Functions and tables", ["`gold_ticker`", "x", "`tick_price`"]],
      ["Role, Can log in, Member of, Who", ["`gold_api`", "no", "—", "a process of the service"]],
      ["Role, Can log in, Member of, Who", ["`gold_api`", "yes", "—", "operators with this role"]],
      ["Role, Can log in, Member of, Who", ["`gold_api`", "yes", "—", "x"]],
    ];
    for (const [table, cells] of wrong) {
      assertEquals(await checks[table]!(cells).then(() => "true", () => "not true"), "not true", table);
    }
  });
});
