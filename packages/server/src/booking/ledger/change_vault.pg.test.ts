import { type TestBooks, testBooks } from "../../../testing/books.ts";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { setTimeout as sleep } from "node:timers/promises";
import { bookOrder, orderItem, plantQuote, untilWaiting, wordOf } from "../fixture.ts";

describe("bars", () => {
  let books: TestBooks;
  beforeEach(async () => {
    books = await testBooks();
  });
  afterEach(() => books.stop());

  const freeGold = async (): Promise<bigint> =>
    BigInt((await books.sql`select free from gold.vault`)[0]!.free);
  const add = (serial: string, gross: number, fineness = 9999) =>
    books.sql`select gold.add_bar(${serial}, 'Refiner', 'Vault', ${gross}, ${fineness})`;
  const remove = (serial: string) => books.sql`select gold.remove_bar(${serial})`;
  const refusalOf = (change: PromiseLike<unknown>): Promise<string> =>
    Promise.resolve(change).then(() => "done", ({ code, message }) => `${code} ${message}`);
  const buyer = async (grams: bigint) => {
    const client = await books.createClient({ halalas: 10_000_000n });
    const quote = await plantQuote(books.sql, {
      client,
      side: "buy",
      grams,
      price: 3_210_000n,
      ageSeconds: 0,
    });
    return orderItem(client, quote);
  };

  it("add their fine gold, rounded down, to the vault by a transfer of the house account", async () => {
    const [row] = await add("A-1", 124_414_000, 9999);
    assertEquals(row!.add_bar, "124401558");
    assertEquals(await freeGold(), 124_401_558n);
    await add("A-2", 10_003, 9950);
    assertEquals(await freeGold(), 124_401_558n + 9_952n);
    const rows = await books.sql`
      select b.serial, b.fine, b.added_sequence, concat_ws(' ', t.debit, t.credit, t.asset, t.amount) as posted
      from gold.bar b join gold.transfer t on t.client_id = 0 and t.sequence = b.added_sequence order by b.serial`;
    assertEquals([...rows], [
      { serial: "A-1", fine: "124401558", added_sequence: "1", posted: "bars vault XAU 124401558" },
      { serial: "A-2", fine: "9952", added_sequence: "2", posted: "bars vault XAU 9952" },
    ]);
    assertEquals(await books.defects(), []);
  });

  it("are refused with a known serial, an invalid fineness or no weight", async () => {
    await add("B-1", 10_000);
    assertEquals(await refusalOf(add("B-1", 10_000)), "GR409 a bar with serial B-1 is on record already");
    for (const fineness of [9949, 10_000]) {
      assertMatch(await refusalOf(add("B-2", 10_000, fineness)), /^23514 .*"bar_fineness"/);
    }
    for (const gross of [0, 1, -10_000]) assertMatch(await refusalOf(add("B-3", gross)), /^23514 /);
    await remove("B-1");
    assertEquals(await refusalOf(add("B-1", 10_000)), "GR409 a bar with serial B-1 is on record already");
    assertEquals(await freeGold(), 0n);
    assertEquals(await books.defects(), []);
  });

  it("can be removed only if the free gold covers them, to 0.0001 g", async () => {
    const serial = await books.addBar(10_000n);
    await books.addBar(100n);
    await bookOrder(books.api, await buyer(101n));
    assertEquals(
      await refusalOf(remove(serial)),
      "GR409 the bar holds 1 g and only 0.9999 g are free; the rest is owed to partners",
    );
    assertEquals(await freeGold(), 9_999n);
    await books.addBar(1n);
    assertEquals((await remove(serial))[0]!.remove_bar, "10000");
    assertEquals(await freeGold(), 0n);
    assertEquals(await refusalOf(remove(serial)), `GR409 the bar ${serial} was removed already`);
    assertEquals(await refusalOf(remove("C-0")), "GR404 there is no bar with serial C-0");
    assertEquals(await books.defects(), []);
  });

  it("are removed once if two sessions remove them concurrently", async () => {
    const serial = await books.addBar(10_000n);
    await books.addBar(10_000n);
    const first = await books.sql.reserve();
    await first`begin`;
    await first`select gold.remove_bar(${serial})`;
    const second = refusalOf(remove(serial));
    await untilWaiting(books.sql);
    await first`commit`;
    first.release();
    assertEquals(await second, `GR409 the bar ${serial} was removed already`);
    assertEquals(await freeGold(), 10_000n);
    assertEquals(await books.defects(), []);
  });

  it("compete with orders for the same gold, and exactly one of the two gets it", async () => {
    const won = { bar: 0, order: 0 };
    for (let round = 0; round < 30; round++) {
      const serial = await books.addBar(1_000n);
      const item = await buyer(1_000n);
      // Let one of the two start a few milliseconds ahead in some rounds. Otherwise the same one could win
      // every round on a busy machine.
      const second = sleep(5 * (round >> 1) % 15);
      const removing = () => refusalOf(remove(serial));
      const ordering = () => bookOrder(books.api, item).then(wordOf);
      const [bar, order] = round % 2
        ? await Promise.all([removing(), second.then(ordering)])
        : (await Promise.all([ordering(), second.then(removing)])).reverse();
      if (bar === "done") {
        assertEquals(order, "answered insufficient_inventory");
        won.bar++;
      } else {
        assertMatch(bar!, /^GR409 the bar holds 0\.1 g and only 0 g are free/);
        assertEquals(order, "answered 201");
        won.order++;
      }
      assertEquals(await freeGold(), 0n);
    }
    assert(won.bar > 0 && won.order > 0, JSON.stringify(won));
    assertEquals(await books.defects(), []);
  });

  it("are not removed if an in-flight order, for which the removal waits, buys their gold", async () => {
    const serial = await books.addBar(1_000n);
    const item = await buyer(1n);
    const trader = await books.api.reserve();
    await trader`begin`;
    assertEquals(wordOf(await bookOrder(trader, item)), "answered 201");
    const removing = refusalOf(remove(serial));
    await untilWaiting(books.sql);
    await trader`commit`;
    trader.release();
    assertMatch(await removing, /^GR409 the bar holds 0\.1 g and only 0\.0999 g are free/);
    assertEquals(await books.defects(), []);
  });

  it("are added and removed with an audit row that names the login", async () => {
    const serial = await books.addBar(1_000n);
    await remove(serial);
    const rows = await books
      .sql`select login = session_user as own, action, subject from gold.audit where action like 'vault.%' order by id`;
    assertEquals([...rows], [
      { own: true, action: "vault.add", subject: serial },
      { own: true, action: "vault.remove", subject: serial },
    ]);
  });
});
