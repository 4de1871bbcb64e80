import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { suiteOperators } from "../operator_fixture.ts";
import { bookWithdrawal, newUuid, withdrawalItem } from "../fixture.ts";

const CHECK_VIOLATION = "23514";
const UNIQUE_VIOLATION = "23505";
const FOREIGN_KEY_VIOLATION = "23503";
const STATUSES = ["pending_approval", "approved", "submitted", "paid", "rejected", "returned", "cancelled"];
const LEGAL = [
  " pending_approval",
  "pending_approval approved",
  "pending_approval rejected",
  "pending_approval cancelled",
  "approved submitted",
  "approved rejected",
  "submitted paid",
  "submitted returned",
  "paid returned",
];

/** A row of withdrawal_step that the role gold_book inserts directly, without the booking functions. */
interface PlantedStep {
  readonly status: string;
  readonly login: string;
  readonly previous: string | null;
  readonly previousLogin: string | null;
  readonly batch?: string | null;
  readonly withdrawal?: string;
  readonly client?: number;
}

describe("the tables of withdrawals and deposits", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);
  let client: number;
  let batch: string;
  before(async () => {
    client = await books.createClient({ halalas: 1_000n });
    const submitted = withdrawalItem(client, 10n);
    await bookWithdrawal(books.api, submitted);
    await maker.approveWithdrawal(submitted.id);
    batch = newUuid();
    await checker.submitWithdrawals([submitted.id], batch);
  });

  /**
   * Runs the statement as gold_book, the owner of the functions, and rolls back. Returns "written", or the
   * SQLSTATE and the constraint.
   */
  const plant = (statement: string, values: readonly (string | number | null)[]): Promise<string> =>
    books.sql.begin(async (sql) => {
      await sql`set local role gold_book`;
      await sql.unsafe(statement, [...values]);
      throw Object.assign(new Error("rolled back"), { code: "written" });
    }).catch(({ code, constraint_name }) => [code, constraint_name].filter(Boolean).join(" "));

  const plantStep = (step: PlantedStep): Promise<string> =>
    plant(
      `insert into gold.withdrawal_step (bucket, client_id, withdrawal_id, sequence, status, login, previous, previous_login, at, batch_id, answer)
       values ($1::int % 64, $1, $2, 999, $3, $4, $5, $6, now(), $7, $8)`,
      [
        step.client ?? client,
        step.withdrawal ?? "",
        step.status,
        step.login,
        step.previous,
        step.previousLogin,
        step.batch === undefined ? (step.status === "submitted" ? batch : null) : step.batch,
        step.status === "cancelled" ? "\\x00" : null,
      ],
    );

  async function withdraw(way: readonly string[] = []): Promise<string> {
    const item = withdrawalItem(client, 10n);
    await bookWithdrawal(books.api, item);
    if (way.includes("approved")) await maker.approveWithdrawal(item.id);
    return item.id;
  }

  it("accept only the legal steps", async () => {
    const writable: string[] = [];
    for (const previous of [null, ...STATUSES]) {
      for (const status of STATUSES) {
        const withdrawal = await withdraw();
        // Accept that a legal step fails at a key, because its previous step does not exist or its status
        // exists already. It has then passed the check constraints, which Postgres tests first.
        const verdict = await plantStep({
          withdrawal,
          status,
          login: "somebody",
          previous,
          previousLogin: previous && "postgres",
        });
        if (!verdict.startsWith(CHECK_VIOLATION)) writable.push(`${previous ?? ""} ${status}`);
        else assertEquals(verdict, `${CHECK_VIOLATION} withdrawal_step_legal`, `${previous} ${status}`);
      }
    }
    assertEquals(writable.sort(), LEGAL.toSorted());
  });

  it("accept a step only if the previous step exists, by the login that the new step names", async () => {
    const [pending, approved] = [await withdraw(), await withdraw(["approved"])];
    const submitting = { status: "submitted", login: "somebody", previous: "approved" };
    const missing = `${FOREIGN_KEY_VIOLATION} withdrawal_step_after`;
    assertEquals(
      await plantStep({ ...submitting, withdrawal: pending, previousLogin: maker.login }),
      missing,
    );
    assertEquals(await plantStep({ ...submitting, withdrawal: approved, previousLogin: "another" }), missing);
    assertEquals(
      await plantStep({ ...submitting, withdrawal: approved, previousLogin: maker.login }),
      "written",
    );
    const foreign = await books.createClient();
    assertEquals(
      await plantStep({ ...submitting, withdrawal: approved, previousLogin: maker.login, client: foreign }),
      `${FOREIGN_KEY_VIOLATION} withdrawal_step_after`,
    );
  });

  it("refuse a submission by the login that approved", async () => {
    const withdrawal = await withdraw(["approved"]);
    const submitting = { withdrawal, status: "submitted", previous: "approved" };
    assertEquals(
      await plantStep({ ...submitting, login: maker.login, previousLogin: maker.login }),
      `${CHECK_VIOLATION} withdrawal_step_two`,
    );
    // Also try a submission without the previous step, or without the login of the previous step. The table
    // refuses both.
    for (const [previous, previousLogin] of [["approved", null], [null, maker.login]] as const) {
      const verdict = await plantStep({ ...submitting, login: maker.login, previous, previousLogin });
      assertEquals(verdict.split(" ")[0], CHECK_VIOLATION);
    }
  });

  it("accept only one next step after each step, and each status only once", async () => {
    const withdrawal = await withdraw(["approved"]);
    assertEquals(
      await plantStep({
        withdrawal,
        status: "rejected",
        login: "a",
        previous: "pending_approval",
        previousLogin: "postgres",
      }),
      `${UNIQUE_VIOLATION} withdrawal_step_previous`,
    );
    assertEquals(
      await plantStep({
        withdrawal,
        status: "pending_approval",
        login: "a",
        previous: null,
        previousLogin: null,
      }),
      `${UNIQUE_VIOLATION} withdrawal_step_bucket_client_id_withdrawal_id_status_pk`,
    );
  });

  it("require an existing batch for a submitted step, and no batch for other steps", async () => {
    const withdrawal = await withdraw(["approved"]);
    const step = { withdrawal, login: "a", previous: "approved", previousLogin: maker.login };
    const unbound = `${CHECK_VIOLATION} withdrawal_step_batch`;
    assertEquals(await plantStep({ ...step, status: "submitted", batch: null }), unbound);
    assertEquals(await plantStep({ ...step, status: "rejected", batch }), unbound);
    assertEquals(
      await plantStep({ ...step, status: "submitted", batch: newUuid() }),
      `${FOREIGN_KEY_VIOLATION} withdrawal_step_batch_id_payment_batch_id_fk`,
    );
  });

  it("refuse an approval by the login that recorded the deposit, and an incomplete step", async () => {
    const insert = (columns: string, values: string) =>
      plant(
        `insert into gold.deposit (bucket, client_id, id, bank_reference, recorded_at, recorded_by, amount${columns})
         values ($1::int % 64, $1, $2::text::uuid, $2::text, now(), 'a', ${values})`,
        [client, newUuid()],
      );
    const approved = ", approved_at, approved_by";
    const reversed = ", reversed_at, reversed_by, reversed_sequence";
    const steps = `${CHECK_VIOLATION} deposit_steps`;
    assertEquals(await insert("", "1"), "written");
    assertEquals(await insert(approved, "1, now(), 'b'"), "written");
    assertEquals(await insert(approved, "1, now(), 'a'"), `${CHECK_VIOLATION} deposit_two`);
    assertEquals(await insert(approved, "1, now(), null"), steps);
    assertEquals(await insert(approved, "1, null, 'b'"), steps);
    assertEquals(await insert(reversed, "1, now(), null, null"), steps);
    assertEquals(await insert(reversed, "1, now(), 'b', 7"), steps);
    assertEquals(await insert(approved + reversed, "1, now(), 'b', null, null, 7"), steps);
    for (const amount of ["0", "-1"]) {
      assertEquals(await insert("", amount), `${CHECK_VIOLATION} deposit_amount`);
    }
  });

  it("refuse a deposit without a bank reference", async () => {
    const verdict = await plant(
      `insert into gold.deposit (bucket, client_id, id, bank_reference, recorded_at, recorded_by, amount)
       values ($1::int % 64, $1, $2::text::uuid, '', now(), 'a', 1)`,
      [client, newUuid()],
    );
    assertEquals(verdict, `${CHECK_VIOLATION} deposit_bank_reference_form`);
  });

  it("have no defects, because every planted row was rolled back", async () => {
    assertEquals(await books.defects(), []);
  });
});
