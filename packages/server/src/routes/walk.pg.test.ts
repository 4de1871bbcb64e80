import { suiteService } from "../../testing/service.ts";
import { type EventsReply, eventsReply, ordersReply } from "@gold-partner/protocol";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { sendOrders } from "../booking/trading/book_orders.ts";
import { orderItem, plantQuote } from "../booking/fixture.ts";
import { type Account, openAccount } from "./fixture.ts";

const BEFORE = 500;
const MEANWHILE = 1000;
const BATCH = 50;
const PAGE = 7;

describe("paging through a list", () => {
  const service = suiteService();
  let account: Account;
  before(async () => {
    await service.books.addBar(10_000_000n);
    account = await openAccount(service);
    await account.fund(1_000_000);
  });

  /** Books real orders, in batches as the service sends them. */
  async function book(count: number): Promise<string[]> {
    const { partner: { client } } = account;
    const { sql, api } = service.books;
    const terms = { client, side: "buy", grams: 1n, price: 3_210_000n, ageSeconds: 0 } as const;
    const booked: string[] = [];
    while (booked.length < count) {
      const quotes = await Promise.all(Array.from({ length: BATCH }, () => plantQuote(sql, terms)));
      const orders = quotes.map((quote) => orderItem(client, quote));
      const outcomes = await sendOrders(api)(orders, { wait: true, settle: false });
      assertEquals(outcomes.filter(({ status }) => status !== 201), []);
      booked.push(...quotes.map((quote) => `ord_${quote}`));
    }
    return booked;
  }

  it("returns each order that existed at the first page exactly once, while orders are added", async () => {
    const existing = await book(BEFORE);
    const seen: string[] = [];
    let cursor: string | null = null;
    let added = 0;
    do {
      const query: string = cursor === null ? "" : `&cursor=${cursor}`;
      const page: { items: { order_id: string }[]; next_cursor: string | null } = await account.read(
        `/v1/orders?limit=${PAGE}${query}`,
        ordersReply,
      );
      seen.push(...page.items.map(({ order_id }) => order_id));
      cursor = page.next_cursor;
      if (added < MEANWHILE) added += (await book(BATCH)).length;
    } while (cursor !== null);
    assertEquals(seen, existing.reverse());
    assertEquals(added, MEANWHILE);
  });

  it("returns every event exactly once, including events that are added meanwhile", async () => {
    let writing = true;
    const written = book(MEANWHILE).finally(() => writing = false);
    const numbers: number[] = [];
    let after = "0";
    for (let ended = false; !ended;) {
      // Read once more after the last write. Events that were written after the last page would be missed.
      ended = !writing;
      const { items }: EventsReply = await account.read(`/v1/events?after=${after}&limit=200`, eventsReply);
      numbers.push(...items.map(({ sequence }) => sequence));
      after = `${numbers.at(-1)}`;
      if (items.length === 200) ended = false;
    }
    await written;
    assert(numbers.length > BEFORE + 2 * MEANWHILE);
    assertEquals(numbers, numbers.map((_, index) => index + 1));
    const [row] = await service.books.sql`
      select event_sequence::int as last from gold.account where client_id = ${account.partner.client}`;
    assertEquals(numbers.length, row!.last);
  });
});
