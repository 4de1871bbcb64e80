import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { withManyRows, withOneRow } from "./vault_rows.ts";

const BOOK_ORDERS = new URL(
  "../../packages/server/src/booking/trading/book_orders.sql",
  import.meta.url,
);

describe("withOneRow() and withManyRows()", () => {
  it("change the one line of the service's function that takes the vault's row, and differ in which row it is", () => {
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

  it("say what to do where the function takes it in another way", () => {
    assertThrows(() => withManyRows("select 1"), Error, "locks the vault in another way");
  });
});
