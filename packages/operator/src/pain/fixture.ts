import { assertThrows } from "@std/assert";
import { Failure } from "../failure.ts";
import type { Payment, PaymentBatch } from "./payment_initiation.ts";
import { compactUuid } from "./payment_text.ts";

/** Returns a Saudi IBAN with correct check digits. The same number always gives the same account. */
export function ibanOf(account: number): string {
  const digits = `80${`${account}`.padStart(18, "0")}`;
  const checkDigits = 98n - BigInt(`${digits}281000`) % 97n;
  return `SA${`${checkDigits}`.padStart(2, "0")}${digits}`;
}

export function paymentOf(number: number, differing: Partial<Payment> = {}): Payment {
  return {
    endToEndId: compactUuid(`019a9b3c-0000-7000-8000-${number.toString(16).padStart(12, "0")}`),
    amountHalalas: 10_000n,
    creditorName: "Example Bank",
    creditorIban: ibanOf(number),
    reference: `payout ${number}`,
    ...differing,
  };
}

export function batchOf(payments: readonly Payment[], differing: Partial<PaymentBatch> = {}): PaymentBatch {
  return {
    messageId: compactUuid("019a9b3c-1111-7000-8000-000000000001"),
    createdAt: new Date("2026-01-31T09:30:00.250Z"),
    requestedExecutionDate: "2026-02-01",
    debtor: { name: "Gold House", iban: ibanOf(608_010_167_519), bic: "EXAMSARIXXX" },
    payments,
    ...differing,
  };
}

/** 500 payments: very small and large amounts, some without a reference. */
export function largeBatch(): PaymentBatch {
  const numbers = Array.from({ length: 500 }, (_, index) => index + 1);
  return batchOf(numbers.map((number) =>
    paymentOf(number, {
      amountHalalas: number % 7 === 0 ? BigInt(number) : 987_654_321_987n + BigInt(number),
      ...(number % 3 === 0 ? { reference: null } : {}),
    })
  ));
}

/**
 * The content of the golden file: a plain payment, one with every
 * character to escape, and one in Arabic without a reference.
 */
export const GOLDEN_BATCH: PaymentBatch = batchOf([
  paymentOf(1),
  paymentOf(2, {
    amountHalalas: 1n,
    creditorName: `Sons & "Daughters" <Trading>'s`,
    reference: "inv-7/2026",
  }),
  paymentOf(3, { amountHalalas: 123_456_705n, creditorName: "شركة الذهب", reference: null }),
]);

/** Returns the message of a refusal. */
export function refusalOf(attempt: () => unknown): string {
  const { code, message } = assertThrows(attempt, Failure);
  if (code !== "payment_refused") throw new Error(`Expected payment_refused; got ${code}: ${message}`);
  return message;
}
