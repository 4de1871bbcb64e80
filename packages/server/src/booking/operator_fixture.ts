import type { TestBooks } from "../../testing/books.ts";
import { setUp } from "../../testing/set_up.ts";
import { randomBytes } from "node:crypto";
import postgres, { type Sql } from "postgres";
import { dropLogins } from "../../../../tools/testing/drop_logins.ts";

/** An operator with its own login. A test uses two of them for a change that needs two people. */
export interface TestOperator {
  readonly login: string;
  /** By default, one connection, so that a transaction or role that a test sets also applies to the next statements. */
  readonly sql: Sql;
  leave(): Promise<void>;
}

/** Hires an operator for all tests of a suite. */
export const suiteOperator = (books: TestBooks, connections = 1): TestOperator =>
  setUp(() => hireOperator(books, connections), (operator) => operator.leave());

/** Hires two operators for all tests of a suite. */
export const suiteOperators = (
  books: TestBooks,
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
  return {
    login,
    sql,
    async leave() {
      await sql.end({ timeout: 1 });
      await dropLogins(admin, login);
    },
  };
}

/** Waits for a change and returns "done", or the SQLSTATE and message of its error. */
export const verdictOf = (change: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(change).then(() => "done", ({ code, message }) => `${code} ${message}`);

export const approveWithdrawal = ({ sql }: TestOperator, id: string): Promise<string> =>
  verdictOf(sql`select gold.approve_withdrawal(${id})`);
export const rejectWithdrawal = ({ sql }: TestOperator, id: string): Promise<string> =>
  verdictOf(sql`select gold.reject_withdrawal(${id})`);
/** Prepares the payment document and submits it, as `gold withdrawal submit` does. */
export async function submitWithdrawals(
  { sql }: TestOperator,
  ids: readonly string[],
  batch?: string,
): Promise<string> {
  const list = `{${ids.join()}}`;
  return await verdictOf(sql`
    select gold.submit_payment(p.batch, ${list}::text::uuid[], p.prepared_at, p.sha256)
    from gold.prepare_payment(${list}::text::uuid[], ${batch ?? null}::text::uuid) p`);
}
export const payWithdrawal = ({ sql }: TestOperator, id: string): Promise<string> =>
  verdictOf(sql`select gold.pay_withdrawal(${id})`);
export const returnWithdrawal = ({ sql }: TestOperator, id: string): Promise<string> =>
  verdictOf(sql`select gold.return_withdrawal(${id})`);

export async function recordDeposit(
  { sql }: TestOperator,
  publicId: string,
  amountHalalas: bigint,
  bankReference: string,
): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select gold.record_deposit(${publicId}, ${`${amountHalalas}`}::text::bigint, ${bankReference}) as id`;
  return row!.id;
}
export const approveDeposit = ({ sql }: TestOperator, id: string): Promise<string> =>
  verdictOf(sql`select gold.approve_deposit(${id})`);
export const reverseDeposit = ({ sql }: TestOperator, id: string): Promise<string> =>
  verdictOf(sql`select gold.reverse_deposit(${id})`);

/** A client's three balances, as one text. */
export async function balanceOf({ sql }: TestBooks, client: number): Promise<string> {
  const [row] = await sql<{ balance: string }[]>`
    select concat_ws(' ', sar_available, sar_held, gold) as balance from gold.account where client_id = ${client}`;
  return row!.balance;
}

export async function publicIdOf({ sql }: TestBooks, client: number): Promise<string> {
  const [row] = await sql<
    { public_id: string }[]
  >`select public_id from gold.partner where id = ${client}`;
  return row!.public_id;
}
