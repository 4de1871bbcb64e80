import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { withManyRows } from "./vault_rows.ts";

const BOOK_ORDERS = new URL(
  "../../packages/server/src/booking/trading/book_orders.sql",
  import.meta.url,
);

describe("withManyRows()", () => {
  it("changes the one line of the service's function that takes the vault's row, and nothing else", () => {
    const [own, many] = [readFileSync(BOOK_ORDERS, "utf8").split("\n"), [] as string[]];
    many.push(...withManyRows(own.join("\n")).split("\n"));
    assertEquals(many.length, own.length);
    const changed = own.flatMap((line, index) => line === many[index] ? [] : [many[index]!]);
    assertEquals(changed.map((line) => line.includes("skip locked limit 1")), [true]);
  });
  it("says what to do where the function takes it in another way", () => {
    assertThrows(() => withManyRows("select 1"), Error, "locks the vault in another way");
  });
});
