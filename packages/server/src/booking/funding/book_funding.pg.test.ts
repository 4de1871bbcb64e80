import {
  AMOUNT_MAX_HALALAS,
  BALANCE_MAX_HALALAS,
  fundingCreatedReply,
  PROBLEM_REGISTRY,
  problemSchema,
} from "@gold-partner/protocol";
import { suiteBooks } from "../../../testing/books.ts";
import { assertEquals, assertMatch } from "../../../../../tools/testing/assert.ts";
import { describe, it } from "node:test";
import {
  bookFunding,
  bookOrder,
  fundingItem,
  maskInstants,
  newUuid,
  orderItem,
  readBooks,
  wordOf,
} from "../fixture.ts";

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
    const outcome = await bookFunding(books.api, item);
    const { status, title, retryable } = PROBLEM_REGISTRY.limit_exceeded;
    assertEquals([outcome.outcome, outcome.status], ["answered", status]);
    const { detail, ...problem } = problemSchema.strict().parse(JSON.parse(outcome.body!));
    assertMatch(
      detail,
      /^A funding is at most 10000000000 SAR, and an account holds at most 999999999999\.99 SAR\./,
    );
    assertEquals(problem, {
      type: "/docs/errors#limit_exceeded",
      title,
      status,
      code: "limit_exceeded",
      request_id: `req_${item.requestId}`,
      retryable,
    });
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

  it("replays an answer byte for byte, and refuses the key with another fingerprint", async () => {
    const client = await books.createClient();
    for (const amount of [5n, AMOUNT_MAX_HALALAS + 1n]) {
      const item = fundingItem(client, amount);
      const first = await bookFunding(books.api, item);
      const retry = { ...item, id: newUuid(), requestId: newUuid() };
      const committed = await readBooks(books.sql);
      assertEquals(await bookFunding(books.api, retry), { ...first, outcome: "replayed" });
      assertEquals(
        wordOf(await bookFunding(books.api, { ...retry, fingerprint: "0b".repeat(32) })),
        "idempotency_key_conflict",
      );
      assertEquals(await bookFunding(books.api, item, { settle: true }), first);
      assertEquals(await readBooks(books.sql), committed);
    }
  });

  it("refuses an order with the idempotency key of a funding", async () => {
    const client = await books.createClient();
    const item = fundingItem(client, 5n);
    await bookFunding(books.api, item);
    const order = orderItem(client, null, { key: item.key, fingerprint: "0b".repeat(32) });
    assertEquals(wordOf(await bookOrder(books.api, order)), "idempotency_key_conflict");
  });

  it("stores nothing if the admission version is not the account's current one", async () => {
    const client = await books.createClient();
    const item = fundingItem(client, 5n, { admissionVersion: "2" });
    const before = await readBooks(books.sql);
    assertEquals(wordOf(await bookFunding(books.api, item)), "admission_changed");
    assertEquals(await readBooks(books.sql), before);
    assertEquals(wordOf(await bookFunding(books.api, { ...item, admissionVersion: "1" })), "answered 201");
  });

  it("executes one of many concurrent calls with one key, and gives the others its result", async () => {
    const client = await books.createClient();
    const item = fundingItem(client, 5n);
    const pool = books.connect("gold_api", 12);
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () => bookFunding(pool, { ...item, id: newUuid(), requestId: newUuid() })),
    );
    assertEquals(outcomes.filter(({ outcome }) => outcome === "answered").length, 1);
    assertEquals(new Set(outcomes.map(({ body }) => body)).size, 1);
    const [account] = await books.sql`select sar_available from gold.account where client_id = ${client}`;
    assertEquals(account!.sar_available, "5");
  });

  it("creates no money outside the sandbox, even for a superuser", async () => {
    const client = await books.createClient();
    const code = await books.sql.begin(async (sql) => {
      await sql`update gold.deployment set environment = 'production'`;
      await bookFunding(sql as never, fundingItem(client, 5n));
    }).then(() => "booked", (error) => error.code);
    assertEquals(code, "GB004");
  });

  it("runs only at READ COMMITTED", async () => {
    const client = await books.createClient();
    const message = await books.api.begin(
      "isolation level repeatable read",
      (sql) => bookFunding(sql as never, fundingItem(client, 5n)),
    )
      .then(() => "booked", (error: Error) => error.message);
    assertMatch(message, /^booking runs at READ COMMITTED/);
  });

  it("leaves no defects in the books", async () => {
    assertEquals(await books.defects(), []);
  });
});
