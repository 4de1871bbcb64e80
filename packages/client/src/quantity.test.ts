import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { GoldError } from "./gold_error.ts";
import { Quantity } from "./quantity.ts";

describe("Quantity", () => {
  it("calculates exactly where doubles do not", () => {
    const sum = Quantity.sar("0.10").plus(Quantity.sar("0.20"));
    assertEquals([`${sum}`, sum.units, sum.compare(Quantity.sar("0.3"))], ["0.3", 30n, 0]);
    assertEquals(`${Quantity.sar("999999999999.99").minus(Quantity.sar("0.01"))}`, "999999999999.98");
    assertEquals(String(Quantity.grams("0.0001").minus(Quantity.grams("1"))), "-0.9999");
    assertEquals(Quantity.grams("1.5"), Quantity.grams("15e-1"));
  });

  it("compares quantities and checks their equality by value", () => {
    const [less, more] = [Quantity.grams("0.9"), Quantity.grams("10")];
    assertEquals([less.compare(more), more.compare(less), more.compare(more)], [-1, 1, 0]);
    assertEquals([less.equals(Quantity.grams("0.90")), less.equals(more)], [true, false]);
  });

  it("throws for every operator that would convert a quantity to a double or a string", () => {
    const [one, two] = [Quantity.sar("1"), Quantity.sar("2")] as unknown as [number, number];
    const acts = [() => one + two, () => one * 2, () => one < two, () => +one, () => Math.max(one, two)];
    for (const act of acts) assertThrows(act, TypeError, "plus()");
  });

  it("does not round, and does not mix units", () => {
    assertThrows(() => Quantity.sar("0.001"), GoldError, "more than 2 decimals");
    for (const text of ["1,5", "", 1.5, NaN, null, undefined, 5n] as string[]) {
      const error = assertThrows(() => Quantity.sar(text), GoldError);
      assertEquals(error.code, "argument_invalid");
    }
    const [sar, grams] = [Quantity.sar("1"), Quantity.grams("1") as unknown as Quantity<"SAR">];
    for (
      const act of [
        () => sar.plus(grams),
        () => sar.minus(grams),
        () => sar.compare(grams),
        () => sar.equals(grams),
      ]
    ) {
      assertThrows(act, TypeError, "SAR and g");
    }
  });

  it("is immutable", () => {
    const quantity = Quantity.sar("1") as { units: bigint };
    assertThrows(() => quantity.units = 5n, TypeError);
  });

  it("has a text with all decimals of its unit, or with as many as are asked for, and never drops one", () => {
    const [total, gold] = [Quantity.sar("752.3"), Quantity.grams("-2")];
    assertEquals([total.toFixed(), total.toFixed(2), total.toFixed(3)], ["752.30", "752.30", "752.300"]);
    assertEquals([gold.toFixed(), gold.toFixed(0), gold.toFixed(2)], ["-2.0000", "-2", "-2.00"]);
    assertThrows(() => total.toFixed(0), GoldError, "more than 0 decimals");
  });

  it("becomes its decimal text in JSON", () => {
    assertEquals(JSON.stringify({ total_sar: Quantity.sar("752.250") }), '{"total_sar":"752.25"}');
  });
});
