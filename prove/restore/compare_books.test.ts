import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { compareBooks } from "./compare_books.ts";

describe("compareBooks()", () => {
  const SECOND_MS = 10_000;
  const books = (rows: Record<string, number>, hash = "a", balances = "1 0 0") => ({
    rows: new Map(Object.entries(rows)),
    hashes: new Map([["1 7", hash], ["1 8", "b"]]),
    balances: new Map([["1 7", balances], ["1 8", "0 0 5"]]),
    accounts: [{ record: "1 7", balances }],
  });
  const original = books({ "orders a": 9000, "orders b": 9900, "orders c": 10_100 });
  const violationsOf = (...restored: Parameters<typeof books>) =>
    compareBooks(original, books(...restored), SECOND_MS).violations;

  it("accepts the rows of the second, and rows that the restored service adds later", () => {
    assertEquals(violationsOf({ "orders a": 9000, "orders b": 9900, "epoch a": 20_000 }), []);
  });

  it("reports each table that lacks a row of the second, or has a row that was not committed by then", () => {
    assertEquals(violationsOf({ "orders a": 9000, "orders c": 9950, "nonce a": 9000 }), [
      "orders lacks 1 rows that were committed before the second",
      "orders has 1 rows that it did not have at the second",
      "nonce has 1 rows that it did not have at the second",
    ]);
  });

  it("reports a record with another hash, and other balances", () => {
    assertEquals(violationsOf({ "orders a": 9000, "orders b": 9900 }, "c", "2 0 0"), [
      "record 1 7 has another hash",
      "the balances after record 1 7 are 2 0 0, not 1 0 0",
    ]);
  });
});
