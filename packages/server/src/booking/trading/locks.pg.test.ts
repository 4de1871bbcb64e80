import { suiteBooks } from "../../../testing/books.ts";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { Sql } from "postgres";
import type { Outcome } from "../outcome.ts";
import {
  byGrams,
  lockAccount,
  newUuid,
  orderItem,
  plantQuote,
  quoteItem,
  readBooks,
  untilWaiting,
  wordOf,
} from "../fixture.ts";
import { type OrderItem, sendOrders } from "./book_orders.ts";
import { sendQuotes } from "./book_quotes.ts";

const TERMS = { side: "buy", grams: 100n, price: 3_210_000n, ageSeconds: -3600 } as const;
const SKIPPING = { wait: false, settle: false };
const WAITING = { wait: true, settle: false };
const STRESS_MS = 5_000;

describe("the locks of the books", () => {
  const books = suiteBooks();
  before(() => books.addBar(100_000_000n));

  const buy = async (client: number): Promise<OrderItem> =>
    orderItem(client, await plantQuote(books.sql, { ...TERMS, client }));
  const rich = () => books.createClient({ halalas: 1_000_000_000n });

  /** A connection whose statements fail with 55P03 (lock_timeout) after 150 ms of waiting. */
  async function connectImpatient(): Promise<Sql> {
    const impatient = books.connect("gold_api", 1);
    await impatient`set lock_timeout = '150ms'`;
    return impatient;
  }

  /** Calls `run` while another session holds the lock of the client's account. */
  async function whileHeld<T>(client: number, run: () => Promise<T>): Promise<T> {
    const holder = await lockAccount(books.sql, client);
    try {
      return await run();
    } finally {
      await holder.release();
    }
  }

  it("report a locked client as busy at once, and do not stop the other clients' items", async () => {
    const [held, free] = [await rich(), await rich()];
    const items = [await buy(held), await buy(free), await buy(held), await buy(free)];
    const before = (await readBooks(books.sql)).filter((line) => line.includes(`"client_id": ${held},`));
    await whileHeld(held, async () => {
      const impatient = await connectImpatient();
      const outcomes = await sendOrders(impatient)(items, SKIPPING);
      assertEquals(outcomes.map(wordOf), ["busy", "answered 201", "busy", "answered 201"]);
      const quotes = items.map(({ client }) => quoteItem(client, byGrams("buy", 1n)));
      const quoted = await sendQuotes(impatient)(quotes, SKIPPING);
      assertEquals(quoted.map(wordOf), ["busy", "answered 201", "busy", "answered 201"]);
    });
    const after = (await readBooks(books.sql)).filter((line) => line.includes(`"client_id": ${held},`));
    assertEquals(after, before);
    const later = await sendOrders(books.api)([items[0]!, items[2]!], SKIPPING);
    assertEquals(later.map(wordOf), ["answered 201", "answered 201"]);
  });

  it("let a single order wait for its client", async () => {
    const client = await rich();
    const item = await buy(client);
    let waiting: Promise<Outcome[]> | undefined;
    await whileHeld(client, async () => {
      waiting = sendOrders(books.api)([item], WAITING);
      await untilWaiting(books.sql);
      const [order] = await books.sql`select from gold.orders where client_id = ${client}`;
      assertEquals(order, undefined);
    });
    assertEquals((await waiting!).map(wordOf), ["answered 201"]);
  });

  it("end a wait with 55P03 at the connection's lock_timeout, and nothing is stored", async () => {
    const client = await rich();
    const item = await buy(client);
    const quote = quoteItem(client, byGrams("buy", 1n));
    const before = await readBooks(books.sql);
    await whileHeld(client, async () => {
      const impatient = await connectImpatient();
      const sends = [
        () => sendOrders(impatient)([item], WAITING),
        () => sendQuotes(impatient)([quote], WAITING),
      ];
      for (const send of sends) {
        const code = await send().then(() => "booked", (error: { code: string }) => error.code);
        assertEquals(code, "55P03");
      }
    });
    assertEquals(await readBooks(books.sql), before);
    assertEquals((await sendOrders(books.api)([item], WAITING)).map(wordOf), ["answered 201"]);
  });

  it("let one of many concurrent orders with one key execute; the others get its result", async () => {
    const client = await rich();
    const same = await buy(client);
    const pool = books.connect("gold_api", 16);
    const outcomes = await Promise.all(
      Array.from(
        { length: 16 },
        () => sendOrders(pool)([{ ...same, nonce: newUuid(), requestId: newUuid() }], WAITING),
      ),
    );
    const words = outcomes.flat().map(wordOf).sort();
    assertEquals(words, ["answered 201", ...Array.from({ length: 15 }, () => "replayed 201")]);
    assertEquals(new Set(outcomes.flat().map(({ body }) => body)).size, 1);
  });

  it("let only one of many concurrent orders use a nonce or a quote", async () => {
    const client = await rich();
    const pool = books.connect("gold_api", 16);
    const [sameNonce, { asked }] = [newUuid(), await buy(client)];
    const items = await Promise.all(Array.from({ length: 16 }, () => buy(client)));
    const race = (given: Partial<OrderItem>) =>
      Promise.all(items.map((item) => sendOrders(pool)([{ ...item, ...given }], WAITING)));
    const byQuote = (await race({ asked })).flat().map(wordOf).sort();
    assertEquals(byQuote.filter((word) => word === "answered 201").length, 1);
    assertEquals(byQuote.filter((word) => word === "answered quote_already_executed").length, 15);
    for (const item of items) Object.assign(item, { key: newUuid() });
    const byNonce = (await race({ nonce: sameNonce })).flat().map(wordOf).sort();
    assertEquals(byNonce.filter((word) => word === "answered 201").length, 1);
    assertEquals(byNonce.filter((word) => word === "nonce_reused").length, 15);
  });

  it("never deadlock batches of the same clients in opposite orders, whether they wait or skip", async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, rich));
    const until = performance.now() + STRESS_MS;
    const pool = books.connect("gold_api", 8);
    const seen = new Map<string, number>();
    const worker = async (sql: Sql, n: number): Promise<void> => {
      // A busy machine needs longer until enough orders are booked.
      while (performance.now() < until || (seen.get("answered 201") ?? 0) <= 100) {
        const order = n % 2 === 0 ? clients : clients.toReversed();
        const items = await Promise.all(order.map((client) => buy(client)));
        const outcomes = n % 4 < 3
          ? await sendOrders(sql)(items, n % 3 === 0 ? SKIPPING : WAITING)
          : await sendQuotes(sql)(
            order.map((client) => quoteItem(client, byGrams("sell", 100n))),
            WAITING,
          );
        for (const outcome of outcomes) seen.set(wordOf(outcome), (seen.get(wordOf(outcome)) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, n) => worker(pool, n)));
    const words = [...seen.keys()].filter((word) => word !== "busy");
    assertEquals(words, ["answered 201"]);
    assert(seen.get("answered 201")! > 100, `${seen.get("answered 201")} were booked`);
    assertEquals(await books.defects(), []);
  });

  it("keep a partner's results independent of another partner's items in the same batch", async () => {
    const [good, bad] = [await rich(), await books.createClient()];
    const goods = await Promise.all(Array.from({ length: 20 }, () => buy(good)));
    const spent = newUuid();
    const bads = goods.map(({ key, nonce, asked }, n) =>
      // Every item names the other client's quote. Some items also have the other client's key and nonce, a
      // repeated nonce, or an unknown admission version.
      orderItem(bad, null, { asked, ...[{ key, nonce }, { nonce: spent }, { admissionVersion: "9" }][n % 4] })
    );
    const mixed = goods.flatMap((item, n) => [bads[n]!, item]);
    const outcomes = await sendOrders(books.api)(mixed, SKIPPING);
    assertEquals(outcomes.filter((_, n) => n % 2 === 1).map(wordOf), goods.map(() => "answered 201"));
    assert(
      !outcomes.some(({ status }, n) => n % 2 === 0 && status === 201),
      "no order of the other client may be executed",
    );
    const [account] = await books
      .sql`select event_sequence, sar_available from gold.account where client_id = ${good}`;
    assertEquals([...Object.values(account!)], ["21", `${1_000_000_000n - 20n * 321n}`]);
    assertEquals(await books.defects(), []);
  });
});
