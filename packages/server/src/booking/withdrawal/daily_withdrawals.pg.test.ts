import { suiteBooks } from "../../../testing/books.ts";
import { moveDayEndAway } from "../../../testing/close_today.ts";
import { before, describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { limitClient } from "../allowance/allowance_fixture.ts";
import { bookWithdrawal, withdrawalItem, wordOf } from "../fixture.ts";
import { suiteOperator } from "../operator_fixture.ts";

const REFUSED = "answered withdrawal_limit_exceeded";
const MADE = "answered 201";

describe("the limits on a day's withdrawals", () => {
  const books = suiteBooks();
  const operator = suiteOperator(books);
  before(() => moveDayEndAway(books.sql));

  async function limited(limits: { daily_withdrawals?: number; daily_withdrawn?: number }): Promise<number> {
    const client = await books.createClient({ halalas: 100_000n });
    await limitClient(books.sql, client, limits);
    return client;
  }
  const withdraw = (client: number, halalas: bigint) =>
    bookWithdrawal(books.api, withdrawalItem(client, halalas));

  it("refuse one more withdrawal than a day may have, and bind the key", async () => {
    const client = await limited({ daily_withdrawals: 2 });
    assertEquals([await withdraw(client, 1n), await withdraw(client, 1n)].map(wordOf), [MADE, MADE]);
    const item = withdrawalItem(client, 1n);
    const outcome = await bookWithdrawal(books.api, item);
    assertEquals([outcome.status, wordOf(outcome)], [422, REFUSED]);
    assertMatch(
      JSON.parse(outcome.body!).detail,
      /You may request 2 withdrawals a day and have requested 2\./,
    );
    await limitClient(books.sql, client, { daily_withdrawals: null });
    const { nonce: _, ...retry } = item;
    const again = await bookWithdrawal(books.api, withdrawalItem(client, 1n, retry));
    assertEquals([again.outcome, again.body], ["replayed", outcome.body]);
    assertEquals(wordOf(await withdraw(client, 1n)), MADE);
  });

  it("refuse an amount that exceeds what is left of the day, and accept one that fits", async () => {
    const client = await limited({ daily_withdrawn: 1_000 });
    assertEquals(wordOf(await withdraw(client, 600n)), MADE);
    const outcome = await withdraw(client, 401n);
    assertEquals(wordOf(outcome), REFUSED);
    assertMatch(JSON.parse(outcome.body!).detail, /You may withdraw 10 SAR a day and have requested 6 SAR\./);
    assertEquals([await withdraw(client, 400n), await withdraw(client, 1n)].map(wordOf), [MADE, REFUSED]);
  });

  it("count a rejected withdrawal, but not one of the day before", async () => {
    const client = await limited({ daily_withdrawals: 1 });
    const made = await withdraw(client, 1n);
    const { withdrawal_id } = JSON.parse(made.body!);
    assertEquals(await operator.rejectWithdrawal(withdrawal_id.slice(3)), "done");
    assertEquals(wordOf(await withdraw(client, 1n)), REFUSED);
    await books.sql.begin(async (sql) => {
      await sql`alter table gold.event disable trigger append_only`;
      await sql`update gold.event set created_at = created_at - interval '1 day' where client_id = ${client}`;
      await sql`alter table gold.event enable trigger append_only`;
    });
    assertEquals([await withdraw(client, 1n), await withdraw(client, 1n)].map(wordOf), [MADE, REFUSED]);
  });

  it("hold for concurrent withdrawals", async () => {
    const client = await limited({ daily_withdrawn: 500 });
    const pools = [books.connect("gold_api", 5), books.connect("gold_api", 5)];
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, n) => bookWithdrawal(pools[n % 2]!, withdrawalItem(client, 100n))),
    );
    const words = outcomes.map(wordOf);
    assertEquals([MADE, REFUSED].map((word) => words.filter((each) => each === word).length), [5, 25]);
  });
});
