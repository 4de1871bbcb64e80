import { suiteBooks } from "../../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { verdictOf } from "../operator_fixture.ts";
import { valueOf } from "../../../testing/rows.ts";

/** A price as the operator sets it: source, URL, spread in basis points, mid. */
type Terms = readonly [source: string, url: string | null, spreadBasisPoints: number, midPips: number];

const URL_A = "https://a.example/";
const URL_B = "https://b.example/";

describe("tick_price", () => {
  const books = suiteBooks();

  const set = ([source, url, spread, mid]: Terms) =>
    books.sql`select gold.set_price(${source}, ${mid}, ${mid + 100}, ${mid - 100}, ${spread}, 10, ${url})`;
  async function standing() {
    const [row] = await books.sql`
      select source, url, spread_basis_points as spread, mid::int, buy::int, sell::int, as_of, as_of::text as known from gold.price`;
    return { ...row };
  }
  /** Sends a tick that began from the given price. The new price is about one second old. */
  async function tick({ known, url, spread }: Record<string, unknown>): Promise<boolean> {
    return await valueOf(books.ticker`
      select gold.tick_price(${known as string}::text::timestamptz, ${url as string}::text, ${spread as number}::int,
        4000000, 4010000, 3990000, date_trunc('second', clock_timestamp()) - interval '1 second') as ticked`);
  }

  it("stores a tick if the price has not changed since the tick began, and otherwise drops it", async () => {
    for (const terms of [["http", URL_A, 60, 3_200_000], ["simulated", null, 60, 3_200_000]] as const) {
      await set(terms);
      const began = await standing();
      assertEquals([await tick(began), await tick(began)], [true, false]);
      const { mid, buy, sell } = await standing();
      assertEquals([mid, buy, sell], [4_000_000, 4_010_000, 3_990_000]);
    }
  });

  it("drops a tick if an operator has set another URL, spread, source or price meanwhile", async () => {
    const cases: [string, before: Terms, after: Terms][] = [
      ["another URL", ["http", URL_A, 60, 3_200_000], ["http", URL_B, 60, 3_200_000]],
      ["another spread", ["http", URL_A, 60, 3_200_000], ["http", URL_A, 61, 3_200_000]],
      ["a simulated source", ["http", URL_A, 60, 3_200_000], ["simulated", null, 60, 3_200_000]],
      ["a fixed source", ["simulated", null, 60, 3_200_000], ["fixed", null, 60, 3_200_000]],
      ["another price", ["simulated", null, 60, 3_200_000], ["simulated", null, 60, 3_300_000]],
    ];
    for (const [name, first, second] of cases) {
      await set(first);
      const began = await standing();
      await set(second);
      const changed = await standing();
      assertEquals([await tick(began), await standing()], [false, changed], name);
    }
  });

  it("never changes a fixed price", async () => {
    await set(["fixed", null, 60, 3_200_000]);
    const fixed = await standing();
    assertEquals([await tick(fixed), await standing()], [false, fixed]);
  });

  it("relies on a table constraint that keeps spread and stale_after_seconds above zero", async () => {
    for (const terms of ["spread_basis_points = 0", "spread_basis_points = -1", "stale_after_seconds = 0"]) {
      assertEquals(
        await verdictOf(books.sql.unsafe(`update gold.price set ${terms}`)),
        '23514 new row for relation "price" violates check constraint "price_terms"',
      );
    }
  });
});
