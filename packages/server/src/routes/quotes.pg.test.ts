import { suiteService } from "../../testing/service.ts";
import { quoteReply } from "@gold-partner/protocol";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { plantQuote, untilWaiting } from "../booking/fixture.ts";
import { type Account, openAccount } from "./fixture.ts";

describe("GET /v1/quotes/{id}", () => {
  const service = suiteService();
  let account: Account;
  before(async () => {
    await service.books.addBar(10_000_000n);
    account = await openAccount(service);
    await account.fund(100_000);
  });

  const plant = (ageSeconds: number) =>
    plantQuote(service.books.sql, {
      client: account.partner.client,
      side: "buy",
      grams: 10_000n,
      price: 3_210_000n,
      ageSeconds,
    });

  it("returns whether the quote is open, executed or expired, by the database's clock", async () => {
    const open = await account.quote("buy", 1.5);
    const expected = {
      quote_id: open,
      side: "buy",
      gold_grams: 1.5,
      price_per_gram_sar: 321,
      total_sar: 481.5,
    };
    const { created_at, expires_at, ...read } = await account.read(`/v1/quotes/${open}`, quoteReply);
    assertEquals(read, { ...expected, side: "buy", status: "open" });
    assertEquals(Date.parse(expires_at) - Date.parse(created_at), 60_000);
    const { quote_id } = await account.trade("buy", 1);
    assertEquals((await account.read(`/v1/quotes/${quote_id}`, quoteReply)).status, "executed");
    const statusAt = async (ageSeconds: number) =>
      (await account.read(`/v1/quotes/qt_${await plant(ageSeconds)}`, quoteReply)).status;
    assertEquals([await statusAt(50), await statusAt(61), await statusAt(86_400)], [
      "open",
      "expired",
      "expired",
    ]);
    service.shiftClock(120_000);
    const later = await account.read(`/v1/quotes/${open}`, quoteReply).finally(() => service.shiftClock(0));
    assertEquals(later.status, "open");
  });

  it("waits for an in-flight order before it reports a quote as expired", async () => {
    const id = await plant(60);
    // Set a longer lock timeout, because on a slow machine the service's own could expire before the order
    // commits.
    await service.books.sql`alter function gold.find_quote set lock_timeout = '9s'`;
    const order = service.books.connect("superuser", 1);
    let pending: Promise<string> | undefined;
    await order.begin(async (sql) => {
      await sql`select from gold.account where client_id = ${account.partner.client} for no key update`;
      pending = account.read(`/v1/quotes/qt_${id}`, quoteReply).then(({ status }) => status);
      await untilWaiting(service.books.sql);
      await sql`
        insert into gold.orders (bucket, client_id, side, id, sequence, grams, price, total, executed_at, sar_available_after, sar_held_after, gold_after)
        select bucket, client_id, side, id, 999999, grams, price, total, created_at, 0, 0, 0 from gold.quote where id = ${id}`;
    });
    assertEquals(await pending, "executed");
  });
});
