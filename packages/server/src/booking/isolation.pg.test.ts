import { suiteBooks } from "../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import { sendNonces } from "./nonce/spend_nonces.ts";
import { publicIdOf, suiteOperator, verdictOf } from "./operator_fixture.ts";
import {
  bookFunding,
  bookOrder,
  bookWithdrawal,
  fundingItem,
  nonceItem,
  orderItem,
  withdrawalItem,
} from "./fixture.ts";

const REFUSAL =
  "P0001 booking runs at READ COMMITTED: each statement after a lock must see what the previous holder of the lock committed";

describe("functions that lock an account", () => {
  const books = suiteBooks();
  let client: number;
  const operator = suiteOperator(books);
  before(async () => {
    client = await books.createClient({ halalas: 1_000n });
  });

  it("run only at READ COMMITTED: orders, fundings, nonces, deposits, withdrawals, balances", async () => {
    const publicId = await publicIdOf(books, client);
    const [deposit] = await books.sql`select gold.record_deposit(${publicId}, 5, 'R') as id`;
    const withdrawal = withdrawalItem(client, 10n);
    await bookWithdrawal(books.api, withdrawal);
    const calls: Record<string, (sql: Sql) => PromiseLike<unknown>> = {
      book_orders: (sql) => bookOrder(sql, orderItem(client, null)),
      book_funding: (sql) => bookFunding(sql, fundingItem(client, 5n)),
      book_withdrawal: (sql) => bookWithdrawal(sql, withdrawalItem(client, 5n)),
      spend_nonces: (sql) => sendNonces(sql)([nonceItem(client)], { wait: true, settle: false }),
      reverse_deposit: (sql) => sql`select gold.reverse_deposit(${deposit!.id})`,
      approve_withdrawal: (sql) => sql`select gold.approve_withdrawal(${withdrawal.id})`,
      balance_at: (sql) => sql`select gold.balance_at(${client}, now() - interval '1 second')`,
      balance_now: (sql) => sql`select gold.balance_now(${client})`,
    };
    for (const [name, call] of Object.entries(calls)) {
      for (const level of ["repeatable read", "serializable", "read committed"]) {
        const verdict = await verdictOf(
          (name === "approve_withdrawal" ? operator : books).sql.begin(
            `isolation level ${level}`,
            (sql) => call(sql as unknown as Sql),
          ),
        );
        assertEquals(verdict, level === "read committed" ? "done" : REFUSAL, `${name} at ${level}`);
      }
    }
  });
});
