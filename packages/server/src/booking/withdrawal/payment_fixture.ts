import type { TestBooks } from "../../../testing/books.ts";
import { rolledBack, valueOf } from "../../../testing/rows.ts";

/** A payment of a document that a test builds. */
export interface TestPayment {
  readonly id: string;
  readonly halalas: bigint;
  readonly name: string;
  readonly iban: string;
  readonly reference: string | null;
}

const BATCH = "019a9b3c-1111-7000-8000-000000000001";

/** Returns a Saudi IBAN with correct check digits. The same number always gives the same account. */
export function ibanOf(account: number): string {
  const digits = `80${`${account}`.padStart(18, "0")}`;
  const checkDigits = 98n - BigInt(`${digits}281000`) % 97n;
  return `SA${`${checkDigits}`.padStart(2, "0")}${digits}`;
}

export function paymentOf(number: number, differing: Partial<TestPayment> = {}): TestPayment {
  return {
    id: `019a9b3c-0000-7000-8000-${number.toString(16).padStart(12, "0")}`,
    halalas: 10_000n,
    name: "Example Bank",
    iban: ibanOf(number),
    reference: `payout ${number}`,
    ...differing,
  };
}

/** A plain payment, one with every character to escape, and one in Arabic without a reference. */
export const GOLDEN_PAYMENTS: readonly TestPayment[] = [
  paymentOf(1),
  paymentOf(2, { halalas: 1n, name: `Sons & "Daughters" <Trading>'s`, reference: "inv-7/2026" }),
  paymentOf(3, { halalas: 123_456_705n, name: "شركة الذهب", reference: null }),
];

/** 500 payments: very small and large amounts, some without a reference. */
export const LARGE_PAYMENTS: readonly TestPayment[] = Array.from(
  { length: 500 },
  (_, index) =>
    paymentOf(index + 1, {
      halalas: (index + 1) % 7 === 0 ? BigInt(index + 1) : 987_654_321_987n + BigInt(index + 1),
      ...((index + 1) % 3 === 0 ? { reference: null } : {}),
    }),
);

/**
 * Builds the document of these payments with the database's function, from rows that are undone. `payer`
 * replaces columns of the payout account.
 */
export async function buildDocument(
  { sql }: TestBooks,
  payments: readonly TestPayment[],
  payer: { readonly name?: string; readonly iban?: string; readonly bic?: string } = {},
): Promise<string> {
  return await rolledBack(sql, async (transaction) => {
    // Without triggers and foreign keys, because the rows need no booking.
    await transaction`set local session_replication_role = replica`;
    const { name = "Gold House", iban = ibanOf(608_010_167_519), bic = "EXAMSARIXXX" } = payer;
    await transaction`update gold.deployment set payout_name = ${name}, payout_iban = ${iban}, payout_bic = ${bic}`;
    const rows = payments.map(({ id, halalas, name, iban, reference }, index) => ({
      ...{ id, name, iban, reference, halalas: `${halalas}` },
      client: 1_000_000 + index,
    }));
    await transaction`
      insert into gold.partner (id, public_id, name, iban, rate_per_second, burst, maximum_grams)
      overriding system value
      select client, 'sbx_' || lpad(client::text, 20, '0'), name, iban, 1, 1, 1
      from jsonb_to_recordset(${transaction.json(rows)}::jsonb) r(client int, name text, iban text)`;
    await transaction`
      insert into gold.withdrawal (bucket, client_id, id, sequence, amount, created_at, iban, reference)
      select client % 64, client, id, 1, halalas, now(), iban, reference
      from jsonb_to_recordset(${
      transaction.json(rows)
    }::jsonb) r(client int, id uuid, halalas bigint, iban text, reference text)`;
    return await valueOf(transaction`
      select gold.payment_document(${BATCH}, '2026-01-31T09:30:00.250Z', '2026-02-01', ${`{${
      payments.map(({ id }) => id).join()
    }}`}::text::uuid[]) as document`);
  });
}
