import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { checkDeadTuples, type Table } from "./tables.ts";

const table = (name: string, live: number, dead: number, changed: number, vacuums = 0): Table => ({
  name,
  live,
  dead,
  changed,
  vacuums,
});

describe("checkDeadTuples()", () => {
  const before = [table("account", 20, 0, 100), table("orders", 1000, 0, 0)];
  const loaded = [
    table("account", 20, 90, 5000),
    table("orders", 90_000, 0, 0),
    table("new", 10_000, 4000, 4000),
  ];

  it("waits until no hot table has too many dead rows, and ignores other tables", async () => {
    const looks = [loaded, [loaded[0]!, table("new", 10_000, 10, 4000)], [
      table("account", 20, 0, 5000),
      table("new", 10_000, 10, 4000, 2),
    ]];
    const finding = await checkDeadTuples(before, loaded, async () => looks.shift()!);
    assertEquals(looks, []);
    assertEquals(finding, {
      what:
        "account 90 dead and 20 live under load, now 0 dead (vacuumed 0 times); new 4000 dead and 10000 live " +
        "under load, now 10 dead (vacuumed 2 times); autovacuum ignores 50 dead rows and 20.00 % of the live rows",
      violations: [],
    });
  });
  it("reports a table in which a fifth of the rows stays dead", async () => {
    const bloated = [table("new", 8000, 2000, 4000)];
    assertEquals((await checkDeadTuples(before, loaded, async () => bloated, 0)).violations, [
      "20.00 % of new is dead after autovacuum; the limit is 20.00 %",
    ]);
  });
  it("accepts a table up to autovacuum's threshold", async () => {
    const small = [table("account", 20, 54, 5000)];
    assertEquals((await checkDeadTuples(before, loaded, async () => small, 0)).violations, []);
  });
});
