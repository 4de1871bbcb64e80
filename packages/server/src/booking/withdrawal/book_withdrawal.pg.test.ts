import { AMOUNT_MAX_HALALAS, withdrawalCreatedReply } from "@gold-partner/protocol";
import { itLeavesNoDefects, suiteBooks } from "../../../testing/books.ts";
import { describe, it } from "node:test";
import { assertEquals, assertMatch } from "@std/assert";
import { balanceOf } from "../operator_fixture.ts";
import {
  bookWithdrawal,
  maskInstants,
  problemIn,
  readBooks,
  untilWaiting,
  withdrawalItem,
  wordOf,
} from "../fixture.ts";

describe("book_withdrawal", () => {
  const books = suiteBooks();

  const codeOf = (change: Promise<unknown>): Promise<string> =>
    change.then(() => "booked", (error) => error.code);

  it("holds the amount and answers with the masked IBAN and the balances after it", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const item = withdrawalItem(client, 12_345n, { reference: "Invoice 7/2026" });
    const outcome = await bookWithdrawal(books.api, item);
    assertEquals([outcome.outcome, outcome.status], ["answered", 201]);
    assertEquals(
      maskInstants(outcome.body!),
      `{"withdrawal_id":"wd_${item.id}","amount_sar":123.45,"reference":"Invoice 7/2026","iban_masked":"SA03****************7519",` +
        `"status":"pending_approval","created_at":"<instant>",` +
        `"balances":{"sar":{"available":876.55,"held":123.45},"gold":{"grams":0},"as_of":"<instant>"}}`,
    );
    const { created_at, balances } = withdrawalCreatedReply.strict().parse(JSON.parse(outcome.body!));
    assertEquals(balances.as_of, created_at);
    const written = await books.sql`
      select w.amount, w.sequence, w.iban, w.created_at = s.at and s.at = t.posted_at and s.at = e.created_at as at_once,
        concat_ws(' ', s.status, s.login, s.previous) as step, concat_ws(' ', e.type, e.subject) as event, k.result_kind, k.result_id,
        concat_ws(' ', t.debit, t.credit, t.asset, t.amount, t.sar_available_after, t.sar_held_after) as posted
      from gold.withdrawal w join gold.withdrawal_step s using (bucket, client_id, sequence) join gold.event e using (bucket, client_id, sequence)
      join gold.transfer t using (bucket, client_id, sequence) join gold.idempotency_key k using (bucket, client_id)
      where w.id = ${item.id} and s.withdrawal_id = w.id and k.key = ${item.key}`;
    assertEquals([...written], [{
      amount: "12345",
      sequence: "2",
      iban: "SA0380000000608010167519",
      at_once: true,
      step: "pending_approval postgres",
      event: `withdrawal.created ${item.id}`,
      result_kind: "withdrawal",
      result_id: item.id,
      posted: "available held SAR 12345 87655 12345",
    }]);
  });

  it("accepts the whole available balance, and refuses one halala more", async () => {
    const client = await books.createClient({ halalas: 500n });
    const refused = withdrawalItem(client, 501n);
    const outcome = await bookWithdrawal(books.api, refused);
    const { detail, request_id } = problemIn(outcome, "insufficient_funds");
    assertEquals(request_id, `req_${refused.requestId}`);
    assertMatch(
      detail,
      /^The withdrawal needs 5\.01 SAR and 5 SAR are available\. .* with a new key when GET \/v1\/balances shows enough\.$/,
    );
    assertEquals(await balanceOf(books, client), "500 0 0");
    assertEquals(wordOf(await bookWithdrawal(books.api, withdrawalItem(client, 500n))), "answered 201");
    assertEquals(await balanceOf(books, client), "0 500 0");
    assertEquals(
      wordOf(await bookWithdrawal(books.api, withdrawalItem(client, 1n))),
      "answered insufficient_funds",
    );
  });

  it("does not count gold as available money", async () => {
    await books.addBar(100n);
    const client = await books.createClient({ tenthMilligrams: 100n });
    assertEquals(
      wordOf(await bookWithdrawal(books.api, withdrawalItem(client, 1n))),
      "answered insufficient_funds",
    );
  });

  it("refuses every amount above the largest amount", async () => {
    const client = await books.createClient({ halalas: AMOUNT_MAX_HALALAS + 1n });
    for (const amount of [AMOUNT_MAX_HALALAS + 1n, 2n ** 63n - 1n, 10n ** 30n]) {
      const outcome = await bookWithdrawal(books.api, withdrawalItem(client, amount));
      assertEquals(wordOf(outcome), "answered limit_exceeded");
      assertMatch(outcome.body!, /"A withdrawal is at most 10000000000 SAR\. /);
    }
    assertEquals(
      wordOf(await bookWithdrawal(books.api, withdrawalItem(client, AMOUNT_MAX_HALALAS))),
      "answered 201",
    );
  });

  it("fails and stores nothing if the amount is zero or negative", async () => {
    const client = await books.createClient({ halalas: 500n });
    const before = await readBooks(books.sql);
    // 23514 is the table's constraint. 22003: the balance after the least amount is out of range.
    for (const [amount, code] of [[0n, "23514"], [-1n, "23514"], [-(2n ** 63n), "22003"]] as const) {
      assertEquals(await codeOf(bookWithdrawal(books.api, withdrawalItem(client, amount))), code);
    }
    assertEquals(await readBooks(books.sql), before);
  });

  it("refuses the reference of another withdrawal of the client, before it checks the funds", async () => {
    const [client, other] = [
      await books.createClient({ halalas: 500n }),
      await books.createClient({ halalas: 500n }),
    ];
    const first = withdrawalItem(client, 500n, { reference: "R-1" });
    assertEquals(wordOf(await bookWithdrawal(books.api, first)), "answered 201");
    const doubled = await bookWithdrawal(books.api, withdrawalItem(client, 500n, { reference: "R-1" }));
    assertEquals(wordOf(doubled), "answered withdrawal_reference_reused");
    assertEquals(doubled.status, 409);
    assertMatch(doubled.body!, new RegExp(`The withdrawal wd_${first.id} has this reference\\.`));
    const cases = [[other, "R-1"], [client, "r-1"], [client], [client]] as [number, string?][];
    for (const [owner, reference] of cases) {
      const outcome = await bookWithdrawal(books.api, withdrawalItem(owner, 500n, { reference }));
      assertEquals(wordOf(outcome), owner === other ? "answered 201" : "answered insufficient_funds");
    }
  });

  it("stores the IBAN that is registered when the booking gets the account's lock", async () => {
    const client = await books.createClient({ halalas: 500n });
    const operator = await books.sql.reserve();
    await operator`begin`;
    await operator`select gold.end_admission(${client})`;
    await operator`update gold.partner set iban = 'SA4420000001234567891234' where id = ${client}`;
    const item = withdrawalItem(client, 1n, { admissionVersion: "2" });
    const waiting = bookWithdrawal(books.api, item);
    await untilWaiting(books.sql);
    await operator`commit`;
    operator.release();
    assertEquals(wordOf(await waiting), "answered 201");
    const [row] = await books.sql`select iban from gold.withdrawal where id = ${item.id}`;
    assertEquals(row!.iban, "SA4420000001234567891234");
  });

  it("fails for a client that does not exist", async () => {
    assertEquals(await codeOf(bookWithdrawal(books.api, withdrawalItem(1_000_000, 5n))), "P0002");
  });

  itLeavesNoDefects(books);
});
