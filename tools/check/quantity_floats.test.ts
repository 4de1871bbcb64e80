import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { after, before, expectEach, expectViolation, find, PRICE } from "./sample_tree.ts";

const floats = "no float on a quantity";
const EXACT = "packages/protocol/src/quantity.ts";

/** The clean repository with this text in quantity.ts, which price.ts imports. */
const exactly = (text: string) => ({ [EXACT]: text, ...before(PRICE, `import "./quantity.ts";`) });

describe("no float on a quantity", () => {
  it("rejects each way to convert a quantity to a double", async () => {
    const texts = [
      "Number(amountHalalas)",
      "new Number(amountHalalas)",
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
      "JSON.parse(amountHalalas.toString()) / 3",
      "amountHalalas as unknown as number",
      "amountHalalas as any",
      "r.total_sar + r.fee_sar * 1.1",
      "(r.gold_grams)! - x",
      "amountHalalas * 0.5",
    ];
    await expectEach(floats, "a quantity is a bigint", texts.map((text) => after(PRICE, `${text};`)));
  });

  it("rejects a quantity that is declared as a number", async () => {
    const declared = [
      "interface A { amountHalalas: number }",
      "interface A { amountHalalas?: number | undefined }",
      "interface A { amountHalalas: readonly number[] }",
      "const f = (buyPrice: number) => buyPrice;",
      "const f = (amountHalalas: any) => amountHalalas;",
      "const f = (feeHalalas = 0.5) => feeHalalas;",
      "const FEE_HALALAS = 5;",
      `type A = Record<"amountHalalas", number>;`,
      `type A = { [name in "amountHalalas"]: number };`,
    ];
    await expectEach(floats, "as number", declared.map((text) => after(PRICE, text)));
  });

  it("ignores other names, and types of the JSON that is sent", async () => {
    const others = [
      "Number(program); Math.max(chips, histogram); Number(limit);",
      "interface Reply { gold_grams: number }",
      "const FEE_HALALAS = 5n, reply = { amountHalalas: 1 }; amountHalalas * 2n;",
      "interface A { readAmount: (length: number) => bigint; price: { decimals: number } }",
    ];
    assertEquals(await find(after(PRICE, others.join("\n"))), []);
  });

  it("rejects every conversion in the files that hold quantities, for any name", async () => {
    const texts = [
      "(units: bigint) => Number(units) / 1e4;",
      "const t = totalHalalas; Number(t) / 100;",
      "Number.parseFloat(String(value));",
      "new Number(value);",
      "JSON.parse(value.toString()) / 3;",
      "const { parse } = JSON;",
      "globalThis[`Num${'ber'}`](value);",
      "new Float64Array(1);",
      "value.toFixed(2);",
      "+value;",
      "value * 0.5;",
      "value * 1e4;",
      "(value: any) => value;",
      "value as unknown as bigint;",
      "value as never;",
      "value as number;",
      "const count: number = value;",
      "interface A { value: bigint | number }",
      `type A = Record<"value", number>;`,
    ];
    const booking = texts.map((text) => ({ "packages/server/src/booking/trading/book.ts": text }));
    await expectEach(floats, "a quantity is a bigint", [...texts.map(exactly), ...booking]);
    const reads = { "packages/server/src/reads/account_reads.ts": "Number(value);" };
    await expectViolation(floats, "uses Number", reads);
  });

  it("allows counting, text and the names that NO_QUANTITY lists in a file of EXACT", async () => {
    const text =
      "text.length > 9; JSON.stringify(text); (error: unknown) => error; 1_000n * 0x10n; bits & 0xff;";
    assertEquals(await find(exactly(text)), []);
    const listed = "packages/server/src/booking/outcome.ts";
    await expectViolation(floats, "gives amount the type number", {
      [listed]: "interface A { amount: number | null }",
    });
    await expectViolation(floats, "gives a value the type number", { [listed]: "x as number;" });
    assertEquals(await find({ [listed]: "interface A { status: number | null }" }), []);
    const queue = "packages/server/src/booking/batcher.ts";
    assertEquals(await find({ [queue]: "const waitMs: number = 20 * (0.5 + Math.random()); waitMs;" }), []);
    await expectViolation(floats, "calls Number", { [queue]: "Number(amountHalalas);" });
  });
});
