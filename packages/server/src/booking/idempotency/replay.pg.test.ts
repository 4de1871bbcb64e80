import { itLeavesNoDefects, suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assertEquals, assertNotEquals } from "@std/assert";
import type { Outcome } from "../outcome.ts";
import { bookOrder, newUuid, orderItem, readBooks, wordOf } from "../fixture.ts";
import { sendOrders } from "../trading/book_orders.ts";
import { withoutTriggers } from "../../../testing/rows.ts";

const GRAM = 10_000n;
const OTHER = "0b".repeat(32);

describe("idempotency keys and nonces of orders", () => {
  const books = suiteBooks();
  before(() => books.addBar(100_000n * GRAM));

  const order = (client: number, quote: string | null, given = {}): Promise<Outcome> =>
    bookOrder(books.api, orderItem(client, quote, given));

  it("replay the first answer byte for byte after later orders, also a refusal", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const quote = await books.quote(client, "buy", GRAM);
    const item = orderItem(client, quote);
    const refusedItem = orderItem(client, newUuid());
    const [first, refused] = [
      await bookOrder(books.api, item),
      await bookOrder(books.api, refusedItem),
    ];
    await order(client, await books.quote(client, "buy", GRAM));
    const [again, refusedAgain] = [
      await bookOrder(books.api, { ...item, nonce: newUuid(), requestId: newUuid() }),
      await bookOrder(books.api, { ...refusedItem, nonce: newUuid(), requestId: newUuid() }),
    ];
    assertEquals(again, { ...first, outcome: "replayed" });
    assertEquals(refusedAgain, { ...refused, outcome: "replayed" });
    assertEquals(refusedAgain.status, 404);
  });

  it("refuse a known key with another fingerprint, also within a batch, and store nothing", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const [quote, other] = [await books.quote(client, "buy", GRAM), await books.quote(client, "buy", GRAM)];
    const item = orderItem(client, quote);
    const conflicting = orderItem(client, other, { key: item.key, fingerprint: "0b".repeat(32) });
    const outcomes = await sendOrders(books.api)([item, conflicting], { wait: true, settle: false });
    assertEquals(outcomes.map(wordOf), ["answered 201", "idempotency_key_conflict"]);
    const later = await bookOrder(books.api, { ...conflicting, nonce: newUuid() });
    assertEquals(
      later,
      { item: 1, outcome: "idempotency_key_conflict", status: null, body: null } as Outcome,
    );
    assertEquals((await order(client, other)).status, 201);
  });

  it("belong to one client: another client can use the same key and nonce", async () => {
    const [one, two] = [
      await books.createClient({ halalas: 100_000n }),
      await books.createClient({ halalas: 100_000n }),
    ];
    const same = { key: newUuid(), nonce: newUuid() };
    const others = { ...same, fingerprint: "0b".repeat(32) };
    assertEquals(wordOf(await order(one, await books.quote(one, "buy", GRAM), same)), "answered 201");
    assertEquals(wordOf(await order(two, await books.quote(two, "buy", GRAM), others)), "answered 201");
    const again = { key: newUuid(), nonce: newUuid() };
    const outcomes = await sendOrders(books.api)([
      orderItem(one, await books.quote(one, "buy", GRAM), again),
      orderItem(two, await books.quote(two, "buy", GRAM), { ...again, fingerprint: others.fingerprint }),
    ], { wait: true, settle: false });
    assertEquals(outcomes.map(wordOf), ["answered 201", "answered 201"]);
  });

  it("refuse a nonce that an order, a replay, a conflict or a refusal has spent", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const item = orderItem(client, await books.quote(client, "buy", GRAM));
    const spending = [
      item,
      { ...item, nonce: newUuid() },
      { ...item, nonce: newUuid(), fingerprint: "0b".repeat(32) },
      orderItem(client, newUuid()),
    ];
    for (const item of spending) assertNotEquals((await bookOrder(books.api, item)).outcome, "nonce_reused");
    for (const { nonce } of spending) {
      const before = await readBooks(books.sql);
      const outcome = await order(client, await books.quote(client, "buy", GRAM), { nonce });
      assertEquals(outcome, { item: 1, outcome: "nonce_reused", status: null, body: null } as Outcome);
      const bound = (await readBooks(books.sql)).filter((line) => !before.includes(line));
      // Only the quote for this attempt and the quote's key were stored, but nothing of the order.
      assertEquals(bound.map((line) => line.split(" ")[0]), ["idempotency_key", "quote"]);
    }
  });

  it("return the first answer if a request was committed before its connection was lost", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    for (const quote of [await books.quote(client, "buy", GRAM), newUuid()]) {
      const item = orderItem(client, quote);
      const first = await bookOrder(books.api, item);
      const committed = await readBooks(books.sql);
      assertEquals(await bookOrder(books.api, item, { settle: true }), first);
      assertEquals(await readBooks(books.sql), committed);
      assertEquals((await bookOrder(books.api, item)).outcome, "nonce_reused");
    }
  });

  it("let a lost request execute if it was not committed, and then replay its answer", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const item = orderItem(client, await books.quote(client, "buy", GRAM));
    assertEquals(wordOf(await bookOrder(books.api, item, { settle: true })), "answered 201");
    const cases = [[item.fingerprint, "replayed 201"], [OTHER, "idempotency_key_conflict"]];
    for (const [fingerprint, word] of cases) {
      const retry = { ...item, fingerprint: fingerprint!, nonce: newUuid(), requestId: newUuid() };
      for (let attempt = 1; attempt <= 2; attempt++) {
        assertEquals(wordOf(await bookOrder(books.api, retry, { settle: true })), word);
      }
      const copied = { ...retry, requestId: newUuid() };
      assertEquals(wordOf(await bookOrder(books.api, copied, { settle: true })), "nonce_reused");
      assertEquals(wordOf(await bookOrder(books.api, copied)), "nonce_reused");
    }
  });

  it("find a request of version 0.1.0 by its key, because its nonce has no request id", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const item = orderItem(client, await books.quote(client, "buy", GRAM));
    const first = await bookOrder(books.api, item);
    await withoutTriggers(books.sql, async (sql) => {
      await sql`update gold.nonce set request_id = null where nonce = ${item.nonce}`;
    });
    assertEquals(await bookOrder(books.api, item, { settle: true }), first);
    const copied = { ...item, requestId: newUuid() };
    assertEquals(wordOf(await bookOrder(books.api, copied, { settle: true })), "nonce_reused");
  });

  it("return a committed answer even if the admission version has changed since", async () => {
    const client = await books.createClient({ halalas: 100_000n });
    const item = orderItem(client, await books.quote(client, "buy", GRAM));
    const first = await bookOrder(books.api, item);
    await books.sql`update gold.account set admission_version = 2 where client_id = ${client}`;
    assertEquals(await bookOrder(books.api, item, { settle: true }), first);
    assertEquals(
      wordOf(await bookOrder(books.api, orderItem(client, null), { settle: true })),
      "admission_changed",
    );
  });

  itLeavesNoDefects(books);
});
