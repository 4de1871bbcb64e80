import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { withManyRows, withOneRow } from "./vault_rows.ts";

const BOOK_ORDERS = new URL(
  "../../packages/server/src/booking/trading/book_orders.sql",
  import.meta.url,
);

describe("withOneRow() and withManyRows()", () => {
  it("change only the line of the service's function that locks the vault row, each in its own way", () => {
    const own = readFileSync(BOOK_ORDERS, "utf8").split("\n");
    const ways = [[withOneRow, "where stripe = 0 for no key update"], [
      withManyRows,
      "skip locked limit 1",
    ]] as const;
    for (const [take, rows] of ways) {
      const lines = take(own.join("\n")).split("\n");
      assertEquals(lines.length, own.length);
      const changed = lines.filter((line, index) => line !== own[index]);
      assertEquals(changed.map((line) => line.includes("'peer.stripe'") && line.includes(rows)), [true]);
    }
  });

  it("throw an error if the function locks the vault row in another way", () => {
    assertThrows(() => withManyRows("select 1"), Error, "locks the vault in another way");
  });
});
