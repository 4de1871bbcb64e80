import { suiteBooks } from "../../testing/books.ts";
import { before, beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import postgres, { type Sql } from "postgres";

describe("read_reserves", () => {
  const books = suiteBooks();
  before(() => books.addBar(10_000_000n));
  beforeEach(() => books.sql`delete from gold.published_reserves`);

  const read = async (sql: Sql = books.api): Promise<string> =>
    (await sql`select gold.read_reserves() as body`)[0]!.body;
  const parts = (body: string) => JSON.parse(body) as { as_of: string; owed_grams: number };
  const age = (span: string) =>
    books.sql`update gold.published_reserves set as_of = as_of - ${span}::text::interval`;
  const trade = () => books.createClient({ tenthMilligrams: 10_000n });

  it("returns the same figure and as_of for an hour, despite trades", async () => {
    const first = await read();
    const { owed_grams: owed, as_of: asOf } = parts(first);
    await trade();
    await age("55 minutes");
    assertEquals(await read(), first);
    await age("5 minutes");
    const next = parts(await read());
    assertEquals(next.owed_grams, owed + 1);
    assert(next.as_of > asOf);
    const [row] = await books.sql`select as_of from gold.published_reserves`;
    assertEquals(row!.as_of.toISOString(), next.as_of);
  });

  it("keeps the figure while the clock is behind its as_of", async () => {
    const first = await read();
    await age("-2 hours");
    await trade();
    assertEquals(await read(), first);
  });

  it("returns the same figure to concurrent readers, even when it is due to change", async () => {
    for (const prepare of [() => books.sql`delete from gold.published_reserves`, () => age("2 hours")]) {
      await prepare();
      const bodies = await Promise.all(Array.from({ length: 16 }, () => read(books.connect("gold_api", 1))));
      assertEquals(new Set(bodies).size, 1);
      await trade();
      assertEquals(await read(), bodies[0]);
    }
  });

  it("returns the last figure, however old, if the database accepts no writes", async () => {
    const replica = postgres(books.url, {
      max: 1,
      onnotice: () => {},
      connection: { role: "gold_api", default_transaction_read_only: true },
    });
    try {
      assertEquals(await read(replica), null);
      const first = await read();
      await age("3 hours");
      await trade();
      assertEquals(await read(replica), first);
      assertNotEquals(await read(), first);
    } finally {
      await replica.end();
    }
  });
});
