import { parseSignedDecimal } from "@gold-partner/protocol";
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { describe, it } from "node:test";
import { holdingsAfter, holdingsOf, minorUnits, repeatsOf, sourcesOf } from "./holdings.ts";
import { seedTests } from "../../tools/testing/seed.ts";

seedTests(import.meta.url);

describe("minorUnits()", () => {
  it("reads each number that the service writes, with the same result as the service's own parser", () => {
    const decimal = fc.tuple(fc.bigInt(-(10n ** 14n), 10n ** 14n), fc.constantFrom(0, 1, 2, 3, 4));
    fc.assert(fc.property(decimal, ([units, decimals]) => {
      const digits = `${units < 0n ? -units : units}`.padStart(decimals + 1, "0");
      const point = digits.length - decimals;
      const source = `${units < 0n ? "-" : ""}${digits.slice(0, point)}${decimals ? "." : ""}${
        digits.slice(point)
      }`;
      assertEquals(minorUnits(source, 4), parseSignedDecimal(source, 4n));
    }));
  });

  it("reads a number beyond the precision of a double", () => {
    assertEquals(minorUnits("9007199254740993.01", 2), 900719925474099301n);
  });

  it("rejects a number with too many decimals and a text that is not a number", () => {
    for (const source of ["0.001", "1e2", "", "null", "1.", ".5", "--1", "NaN"]) {
      assertThrows(() => minorUnits(source, 2), Error, `"${source}" is not a number`);
    }
  });
});

describe("sourcesOf()", () => {
  it("returns a member's source texts in the order of the items", () => {
    const body =
      '{"items":[{"side":"buy","total_sar":5.05},{"total_sar":7,"side":"sell"}],"next_cursor":"c_1"}';
    assertEquals(sourcesOf(body, "side"), ["buy", "sell"]);
    assertEquals(sourcesOf(body, "total_sar"), ["5.05", "7"]);
    assertEquals(sourcesOf(body, "next_cursor"), ["c_1"]);
    assertEquals(sourcesOf('{"items":[],"next_cursor":null}', "next_cursor"), ["null"]);
  });
});

describe("repeatsOf()", () => {
  it("counts repeated executions of the same quote", () => {
    const executed = (...quotes: string[]) => ({
      orders: quotes.map((quote) => ["buy", "50.15", "0.1", quote]),
      fundings: [],
      withdrawals: [],
    });
    assertEquals(repeatsOf(executed()), 0);
    assertEquals(repeatsOf(executed("qt_1", "qt_2", "qt_3")), 0);
    assertEquals(repeatsOf(executed("qt_1", "qt_2", "qt_1", "qt_1")), 2);
  });
});

describe("holdingsAfter()", () => {
  const opening = holdingsOf(
    '{"sar":{"available":100.1,"held":7},"gold":{"grams":1.5},"as_of":"2026-01-31T00:00:00.000Z"}',
  );
  const none = { orders: [], fundings: [], withdrawals: [] };

  it("subtracts SAR and adds gold for a buy, and the reverse for a sale", () => {
    assertEquals(opening, { halalas: 10010n, tenthMilligrams: 15000n });
    const bought = holdingsAfter(opening, { ...none, orders: [["buy", "50.15", "0.1"]] });
    assertEquals(bought, { halalas: 4995n, tenthMilligrams: 16000n });
    const sold = holdingsAfter(opening, { ...none, orders: [["sell", "49.85", "0.1"]] });
    assertEquals(sold, { halalas: 14995n, tenthMilligrams: 14000n });
  });

  it("adds fundings and subtracts withdrawals", () => {
    const after = holdingsAfter(opening, { ...none, fundings: [["0.2"], ["1"]], withdrawals: [["0.3"]] });
    assertEquals(after, { halalas: 10100n, tenthMilligrams: 15000n });
  });

  it("adds a thousand amounts of 0.1 exactly", () => {
    const tenths = Array.from({ length: 1000 }, () => ["0.1"]);
    assertEquals(holdingsAfter(opening, { ...none, fundings: tenths }).halalas, 20010n);
  });
});
