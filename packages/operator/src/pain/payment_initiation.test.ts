import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type Payment, type PaymentBatch, writePaymentInitiation } from "./payment_initiation.ts";
import { batchOf, GOLDEN_BATCH, ibanOf, largeBatch, paymentOf, refusalOf } from "./fixture.ts";

const GOLDEN = new URL("golden/three_payments.xml", import.meta.url);

/** Returns the text of every element with this name, in the document's order. */
function textsOf(name: string, document: string): string[] {
  return [...document.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, "g"))].map(([, text]) =>
    text as string
  );
}

const write = (differing: Partial<PaymentBatch>): string =>
  writePaymentInitiation(batchOf([paymentOf(1)], differing));
const writeOne = (differing: Partial<Payment>): string =>
  writePaymentInitiation(batchOf([paymentOf(1, differing)]));
const refusedBatch = (differing: Partial<PaymentBatch>): string => refusalOf(() => write(differing));
const refused = (differing: Partial<Payment>): string => refusalOf(() => writeOne(differing));

describe("writePaymentInitiation()", () => {
  it("writes the golden file, byte for byte", () => {
    assertEquals(writePaymentInitiation(GOLDEN_BATCH), readFileSync(GOLDEN, "utf8"));
  });

  it("writes the same bytes for the same payments in another order", () => {
    const batch = largeBatch();
    const reversed = { ...batch, payments: [...batch.payments].reverse() };
    assertEquals(writePaymentInitiation(reversed), writePaymentInitiation(batch));
    assertEquals(reversed.payments.at(-1), paymentOf(1, { amountHalalas: 987_654_321_988n }));
  });

  it("writes the exact count and sum into the header and into the payment block", () => {
    const batch = largeBatch();
    const document = writePaymentInitiation(batch);
    const amounts = textsOf("InstdAmt", document);
    const sum = amounts.reduce((total, amount) => total + BigInt(amount.replace(".", "")), 0n);
    assertEquals(amounts.length, 500);
    assertEquals(sum, 423_703_704_257_673n);
    assertEquals(textsOf("NbOfTxs", document), ["500", "500"]);
    assertEquals(textsOf("CtrlSum", document), ["4237037042576.73", "4237037042576.73"]);
  });

  it("writes every amount in SAR with two decimals", () => {
    const amounts: [bigint, string][] = [
      [1n, "0.01"],
      [10n, "0.10"],
      [99n, "0.99"],
      [100n, "1.00"],
      [10_000n, "100.00"],
      [10_001n, "100.01"],
      [1_000_000_000_000n, "10000000000.00"],
    ];
    for (const [amountHalalas, text] of amounts) {
      assertStringIncludes(writeOne({ amountHalalas }), `<InstdAmt Ccy="SAR">${text}</InstdAmt>`);
    }
  });

  it("rejects an amount that is not above 0 or is above the maximum, and names the payment", () => {
    for (const amountHalalas of [0n, -1n, 1_000_000_000_001n]) {
      assertStringIncludes(refused({ amountHalalas }), paymentOf(1).endToEndId);
    }
    assertStringIncludes(refused({ amountHalalas: -5n }), "has an amount of -0.05 SAR");
  });

  it("rejects an empty batch, and a batch with a duplicate end-to-end id", () => {
    assertStringIncludes(refusedBatch({ payments: [] }), "has no payments");
    const twice = [paymentOf(1), paymentOf(2), paymentOf(1, { amountHalalas: 5n })];
    assertStringIncludes(refusedBatch({ payments: twice }), `id ${paymentOf(1).endToEndId}`);
  });

  it("rejects an id over 35 characters or with a character other than letters, digits and hyphens", () => {
    const long = "a".repeat(36);
    assertStringIncludes(write({ messageId: long.slice(1) }), `<MsgId>${long.slice(1)}</MsgId>`);
    for (const id of ["", long, "019a9b3c-0000-7000-8000-000000000001", "a b", "a/b", "a\n", "ذهب"]) {
      assertStringIncludes(refusedBatch({ messageId: id }), "The message id");
      assertStringIncludes(refused({ endToEndId: id }), "The end-to-end id");
    }
  });

  it("rejects an invalid IBAN or BIC, and says whether it is the debtor's or the creditor's", () => {
    const { debtor } = GOLDEN_BATCH;
    assertStringIncludes(refused({ creditorIban: "SA0380000000608010167510" }), "creditor's IBAN of payment");
    assertStringIncludes(refused({ creditorIban: ibanOf(1).toLowerCase() }), "does not begin with SA");
    assertStringIncludes(refusedBatch({ debtor: { ...debtor, iban: "" } }), "debtor's IBAN is invalid");
    for (const bic of ["", "EXAMSARI1", "examsari", "EXAM1ARI", "EXAMSARIXXX\n"]) {
      assertStringIncludes(refusedBatch({ debtor: { ...debtor, bic } }), "is not a BIC");
    }
    assertStringIncludes(write({ debtor: { ...debtor, bic: "EXAMSARI" } }), "<BICFI>EXAMSARI</BICFI>");
  });

  it("omits the remittance element without a reference, and rejects an invalid reference", () => {
    assertEquals(textsOf("Ustrd", writeOne({ reference: "A-1" })), ["A-1"]);
    assert(!writeOne({ reference: null }).includes("RmtInf"));
    assertStringIncludes(refused({ reference: "A\n1" }), "The reference of payment");
    assertStringIncludes(refused({ reference: "" }), "The reference of payment");
  });

  it("writes the requested execution date, and rejects a date before the batch's day in Riyadh", () => {
    const createdAt = new Date("2026-01-31T20:59:59.999Z");
    const today = { createdAt, requestedExecutionDate: "2026-01-31" };
    assertEquals(textsOf("Dt", write(today)), ["2026-01-31"]);
    assertEquals(textsOf("CreDtTm", write(today)), ["2026-01-31T20:59:59.999Z"]);
    const afterMidnight = { ...today, createdAt: new Date("2026-01-31T21:00:00.000Z") };
    assertStringIncludes(refusedBatch(afterMidnight), "is before 2026-02-01");
    for (const date of ["2026-02-30", "2026-2-1", "", "2026-02-01T00:00:00.000Z", "01.02.2026"]) {
      assertStringIncludes(refusedBatch({ requestedExecutionDate: date }), "must be a calendar date");
    }
    assertThrows(() => write({ createdAt: new Date(Number.NaN) }), RangeError, "not an instant");
  });
});
