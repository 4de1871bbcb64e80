import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import {
  byGrams,
  lockAccount,
  orderItem,
  quoteItem,
  untilWaiting,
  withdrawalItem,
  wordOf,
} from "../fixture.ts";
import type { Outcome } from "../outcome.ts";
import { sendWithdrawal } from "../withdrawal/book_withdrawal.ts";
import { sendOrders } from "./book_orders.ts";
import { sendQuotes } from "./book_quotes.ts";

const WAITING = { wait: true, settle: false };

// A migration that adds a column needs no lock of an account. A write that waits for its account goes on with
// the body of the last release.
describe("a write that waits while a column is added to its table", () => {
  const books = suiteBooks();
  let client: number;
  before(async () => {
    await books.addBar(100_000_000n);
    client = await books.createClient({ halalas: 1_000_000_000n });
  });

  async function bookWhileAdding(table: string, book: () => Promise<Outcome[]>): Promise<void> {
    const holder = await lockAccount(books.sql, client);
    const booking = book();
    await untilWaiting(books.sql);
    await books.sql`alter table gold.${books.sql(table)} add column added text`;
    await holder.release();
    assertEquals((await booking).map(wordOf), ["answered 201"]);
    const rows = await books.sql`select from gold.${
      books.sql(table)
    } where client_id = ${client} and added is null`;
    assertEquals(rows.length > 0, true);
  }

  it("is a quote, and is booked", () =>
    bookWhileAdding(
      "quote",
      () => sendQuotes(books.api)([quoteItem(client, byGrams("buy", 100n))], WAITING),
    ));

  it("is an order, and is booked", async () => {
    const item = orderItem(client, await books.quote(client, "buy", 100n));
    await bookWhileAdding("orders", () => sendOrders(books.api)([item], WAITING));
  });

  it("is a withdrawal, and is booked", () =>
    bookWhileAdding("withdrawal", () => sendWithdrawal(books.api)([withdrawalItem(client, 100n)], WAITING)));
});
