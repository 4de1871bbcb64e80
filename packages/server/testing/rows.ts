import type { Sql, TransactionSql } from "postgres";

/** The rows of a statement that postgres.js runs. */
type Rows = PromiseLike<readonly object[]>;

/** Returns the value of a statement that returns one row with one column. */
// deno-lint-ignore no-explicit-any -- the driver does not know the types of a statement's columns
export async function valueOf<T = any>(rows: Rows): Promise<T> {
  const [row] = await rows;
  return Object.values(row!)[0] as T;
}

/** Returns the values of a statement that returns one column. */
// deno-lint-ignore no-explicit-any -- the driver does not know the types of a statement's columns
export async function columnOf<T = any>(rows: Rows): Promise<T[]> {
  return (await rows).map((row) => Object.values(row)[0] as T);
}

/** Runs `act` in a transaction that is rolled back, and returns its result. */
export async function rolledBack<T>(sql: Sql, act: (sql: TransactionSql) => Promise<T>): Promise<T> {
  const done = new Map<"result", T>();
  const rollback = new Error("rolled back");
  await sql.begin(async (transaction) => {
    done.set("result", await act(transaction));
    throw rollback;
  }).catch((error) => {
    if (error !== rollback) throw error;
  });
  return done.get("result") as T;
}

/** Runs `act` in a transaction without triggers and foreign keys, as if a superuser changed rows by hand. */
export const withoutTriggers = <T>(sql: Sql, act: (sql: TransactionSql) => Promise<T>) =>
  sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    return await act(transaction);
  });
