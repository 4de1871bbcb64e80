import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { suiteBooks } from "../../testing/books.ts";
import { type Granted, readGranted, readLists, readRelations } from "./granted_fixture.ts";

const ROLES = ["gold_treasury", "gold_credentials", "gold_pricing", "gold_keys", "gold_audit"];
const SERVICES = ["gold_api", "gold_delivery", "gold_ticker", "gold_trust"];

describe("the privileges of all roles", () => {
  const books = suiteBooks();
  let explained: Granted;
  before(async () => {
    explained = await readLists(await readRelations(books.sql));
  });

  const unexplained = (granted: Granted) => [...granted].filter((line) => !explained.has(line));

  it("are exactly those that the table of changes and the three files of grants list", async () => {
    const granted = await readGranted(books.sql);
    assertEquals(unexplained(granted), []);
    assertEquals([...explained].filter((line) => !granted.has(line)), []);
    assert(granted.size > 300);
    for (const role of [...ROLES, ...SERVICES]) {
      assert([...granted].some((line) => line.startsWith(`${role} execute`)));
    }
  });

  it("are found, on functions, tables, views, columns and schemas, if no list has them", async () => {
    const undone = new Error("undone");
    const given: readonly [statement: string, line: string][] = [
      ["grant execute on function gold.set_price to gold_api", "gold_api execute function set_price"],
      ["grant execute on function gold.note to public", "public execute function note"],
      ["grant select on gold.partner to gold_audit", "gold_audit select relation partner"],
      ["grant select on gold.audit_overview to gold_pricing", "gold_pricing select relation audit_overview"],
      ["grant update (iban) on gold.partner to gold_keys", "gold_keys update column partner.iban"],
      ["grant create on schema gold to gold_treasury", "gold_treasury create schema gold"],
      ["grant usage on schema gold_attempts to public", "public usage schema gold_attempts"],
      [
        "grant execute on function gold.set_price to gold_pricing with grant option",
        "gold_pricing execute with grant option function set_price",
      ],
    ];
    for (const [statement, line] of given) {
      let found: readonly string[] = [];
      await books.sql.begin(async (sql) => {
        await sql.unsafe(statement);
        found = unexplained(await readGranted(sql));
        throw undone;
      }).catch((error) => {
        if (error !== undone) throw error;
      });
      assertEquals(found, [line]);
    }
  });

  it("let audit read every view and call no function that changes something", async () => {
    const views = await books.sql`
      select relname from pg_class where relnamespace = 'gold'::regnamespace and relkind = 'v'
        and not has_table_privilege('gold_audit', oid, 'select')`;
    assertEquals(views.length, 0);
    const volatile = await books.sql`
      select proname from pg_proc where pronamespace = 'gold'::regnamespace and provolatile = 'v'
        and has_function_privilege('gold_audit', oid, 'execute')`;
    assertEquals(volatile.map(({ proname }) => proname), []);
  });
});
