import { AMOUNT_MAX_HALALAS, BALANCE_MAX_HALALAS, fundingCreatedReply } from "@gold-partner/protocol";
import { itLeavesNoDefects, suiteBooks } from "../../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { bookFunding, fundingItem, maskInstants, problemIn, wordOf } from "../fixture.ts";

describe("book_funding", () => {
  const books = suiteBooks();

  it("books the amount and answers with the balances after it", async () => {
    const client = await books.createClient({ halalas: 1_000n });
    const item = fundingItem(client, 12_345n);
    const outcome = await bookFunding(books.api, item);
    assertEquals([outcome.outcome, outcome.status], ["answered", 201]);
    assertEquals(
      maskInstants(outcome.body!),
      `{"funding_id":"fnd_${item.id}","amount_sar":123.45,"created_at":"<instant>",` +
        `"balances":{"sar":{"available":133.45,"held":0},"gold":{"grams":0},"as_of":"<instant>"}}`,
    );
    const { created_at, balances } = fundingCreatedReply.strict().parse(JSON.parse(outcome.body!));
    assertEquals(balances.as_of, created_at);
    const written = await books.sql`
      select f.amount, f.sequence, e.type, e.subject, k.result_kind, k.result_id, k.request_id,
        concat_ws(' ', t.debit, t.credit, t.asset, t.amount, t.sar_available_after) as posted
      from gold.funding f join gold.event e using (bucket, client_id, sequence) join gold.transfer t using (bucket, client_id, sequence)
      join gold.idempotency_key k using (bucket, client_id) where f.id = ${item.id} and k.key = ${item.key}`;
    assertEquals([...written], [{
      amount: "12345",
      sequence: "2",
      type: "funding.completed",
      subject: item.id,
      result_kind: "funding",
      result_id: item.id,
      request_id: item.requestId,
      posted: "bank available SAR 12345 13345",
    }]);
  });

  it("refuses more than the largest amount, and more than an account can hold, to the halala", async () => {
    const client = await books.createClient();
    const item = fundingItem(client, AMOUNT_MAX_HALALAS + 1n);
    const { detail, request_id } = problemIn(await bookFunding(books.api, item), "limit_exceeded");
    assertMatch(
      detail,
      /^A funding is at most 10000000000 SAR, and an account holds at most 999999999999\.99 SAR\./,
    );
    assertEquals(request_id, `req_${item.requestId}`);
    assertEquals(
      wordOf(await bookFunding(books.api, fundingItem(client, 10n ** 30n))),
      "answered limit_exceeded",
    );
    const rich = await books.createClient({ halalas: BALANCE_MAX_HALALAS - AMOUNT_MAX_HALALAS });
    assertEquals(wordOf(await bookFunding(books.api, fundingItem(rich, AMOUNT_MAX_HALALAS))), "answered 201");
    assertEquals(wordOf(await bookFunding(books.api, fundingItem(rich, 1n))), "answered limit_exceeded");
    const [account] = await books.sql`select sar_available from gold.account where client_id = ${rich}`;
    assertEquals(account!.sar_available, `${BALANCE_MAX_HALALAS}`);
  });

  it("counts held money towards the most that an account can hold", async () => {
    const client = await books.createClient();
    const verdict = await books.sql.begin(async (sql) => {
      await sql`update gold.account set sar_held = ${`${BALANCE_MAX_HALALAS}`}::text::bigint where client_id = ${client}`;
      throw new Error(wordOf(await bookFunding(sql as never, fundingItem(client, 1n))));
    }).catch((error: Error) => error.message);
    assertEquals(verdict, "answered limit_exceeded");
  });

  it("creates no money outside the sandbox, even for a superuser", async () => {
    const client = await books.createClient();
    const code = await books.sql.begin(async (sql) => {
      await sql`update gold.deployment set environment = 'production'`;
      await bookFunding(sql as never, fundingItem(client, 5n));
    }).then(() => "booked", (error) => error.code);
    assertEquals(code, "GB004");
  });

  itLeavesNoDefects(books);
});
