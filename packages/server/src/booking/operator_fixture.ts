import { startedBooks, type SuiteBooks, type TestBooks } from "../../testing/books.ts";
import { setUp } from "../../testing/set_up.ts";
import { randomBytes } from "node:crypto";
import postgres, { type Sql } from "postgres";
import { dropLogins } from "../../../../tools/testing/drop_logins.ts";
import { valueOf } from "../../testing/rows.ts";

/** An operator with its own login. A test uses two of them for a change that needs two people. */
export type TestOperator = ReturnType<typeof operatorOn>;

/**
 * Returns the operator of this login. Usually `sql` is one connection, so that a transaction or role that a
 * test sets also applies to the next statements. Each step returns "done", or the error as verdictOf() does.
 */
export function operatorOn(login: string, sql: Sql, leave: () => Promise<void>) {
  const step = (name: string) => (id: string) => verdictOf(sql.unsafe(`select gold.${name}($1)`, [id]));
  return {
    login,
    sql,
    leave,
    approveWithdrawal: step("approve_withdrawal"),
    rejectWithdrawal: step("reject_withdrawal"),
    payWithdrawal: step("pay_withdrawal"),
    returnWithdrawal: step("return_withdrawal"),
    approveDeposit: step("approve_deposit"),
    reverseDeposit: step("reverse_deposit"),
    /** Prepares the payment document and submits it, as `gold withdrawal submit` does. */
    submitWithdrawals(ids: readonly string[], batch?: string): Promise<string> {
      const list = `{${ids.join()}}`;
      return verdictOf(sql`
        select gold.submit_payment(p.batch, ${list}::text::uuid[], p.prepared_at, p.sha256)
        from gold.prepare_payment(${list}::text::uuid[], ${batch ?? null}::text::uuid) p`);
    },
    recordDeposit: (publicId: string, amountHalalas: bigint, bankReference: string): Promise<string> =>
      valueOf(sql`
        select gold.record_deposit(${publicId}, ${`${amountHalalas}`}::text::bigint, ${bankReference}) as id`),
  };
}

/** Hires an operator for all tests of a suite. */
export const suiteOperator = (books: SuiteBooks, connections = 1): TestOperator =>
  setUp(
    () => hireOperator(startedBooks(books), connections),
    (operator) => operator.leave(),
  );

/** Hires two operators for all tests of a suite. */
export const suiteOperators = (
  books: SuiteBooks,
): [TestOperator, TestOperator] => [suiteOperator(books), suiteOperator(books)];

export async function hireOperator({ url, sql: admin }: TestBooks, connections = 1): Promise<TestOperator> {
  const login = `test_operator_${randomBytes(4).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  await admin.unsafe(`create role ${login} login password '${password}'; grant gold_operator to ${login}`);
  // Not with add_operator(), whose time limits for sessions would end tests on a busy machine.
  await admin`select gold.note('operator.add', ${login}, '{}')`;
  // The account from which submitWithdrawals() pays.
  await admin`
    update gold.deployment set payout_name = 'Gold House', payout_iban = 'SA0380000000608010167519', payout_bic = 'EXAMSARIXXX'
    where payout_iban is null`;
  const own = new URL(url);
  [own.username, own.password] = [login, password];
  const sql = postgres(own.href, { max: connections, onnotice: () => {} });
  return operatorOn(login, sql, async () => {
    await sql.end({ timeout: 1 });
    await dropLogins(admin, login);
  });
}

/** Waits for a change and returns "done", or the SQLSTATE and message of its error. */
export const verdictOf = (change: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(change).then(() => "done", ({ code, message }) => `${code} ${message}`);

/** A client's three balances, as one text. */
export async function balanceOf({ sql }: TestBooks, client: number): Promise<string> {
  return await valueOf(sql`
    select concat_ws(' ', sar_available, sar_held, gold) as balance from gold.account where client_id = ${client}`);
}

export async function publicIdOf({ sql }: TestBooks, client: number): Promise<string> {
  return await valueOf(sql`select public_id from gold.partner where id = ${client}`);
}
