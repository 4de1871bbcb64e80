import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { clean, expectOffence, find, PRICE } from "./planted_tree.ts";

describe("no float on a quantity", () => {
  it("refuses each door from a quantity to a double", async () => {
    const doors = [
      "Number(amountHalalas)",
      "parseFloat(number.source)",
      "Number.parseFloat(body.gold_grams)",
      "Math.round(x * price)",
      "Math.max(0, totalHalalas)",
      "Math.trunc(goldTenthMilligrams)",
      "Number(body.gold_grams)",
      "parseInt(pricePips, 10)",
      "Number(account.balance_after)",
      "(+buyPrice)",
      "prices.map(Number)",
      "totalHalalas.toFixed(2)",
      "Number(String(order.amount_sar))",
    ];
    for (const door of doors) {
      await expectOffence("no float on a quantity", "a quantity is a bigint", {
        [PRICE]: `${clean(PRICE)}\n${door};`,
      });
    }
  });

  it("refuses a quantity that is declared as a number", async () => {
    for (
      const text of ["interface A { amountHalalas: number }", "const f = (buyPrice: number) => buyPrice;"]
    ) {
      await expectOffence("no float on a quantity", "as number", { [PRICE]: `${clean(PRICE)}\n${text}` });
    }
    const others = "Number(program); Math.max(chips, histogram); Number(limit);";
    assertEquals(await find({ [PRICE]: `${clean(PRICE)}\n${others}` }), []);
    assertEquals(await find({ [PRICE]: `${clean(PRICE)}\ninterface Reply { gold_grams: number }` }), []);
  });
});
