import { suiteBooks, testBooks } from "../../../testing/books.ts";
import { before, beforeEach, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { bookOrder, bookQuote, byGrams, orderItem, quoteItem, wordOf } from "../fixture.ts";

describe("the circuit breaker", () => {
  const books = suiteBooks();
  let client: number;
  before(async () => {
    await books.addBar(10_000_000n);
    client = await books.createClient({ halalas: 100_000_000n });
  });
  beforeEach(async () => {
    await books.sql`update gold.price set halted_at = null`;
    await setPrice(1_000_000);
    await books.sql`select gold.set_breaker(500, 60)`;
  });

  const setPrice = (mid: number) =>
    books.sql`select gold.set_price('simulated', ${mid}, ${mid + 1}, ${mid - 1}, 60, 10, null)`;
  /** Stores a price of the source as the service does. Returns whether the market is open after it. */
  async function tick(mid: number): Promise<boolean> {
    const [row] = await books.ticker`
      select gold.tick_price(p.ticked_at, p.url, p.spread_basis_points, ${mid}, ${mid + 1}, ${
      mid - 1
    }, null) as stored
      from gold.current_price p`;
    assert(row!.stored);
    const [{ market_open } = {}] = await books.api`select market_open from gold.current_price`;
    return market_open;
  }
  /** Makes the prices that are stored older. */
  const wait = (seconds: number) =>
    books.sql.begin(async (sql) => {
      await sql`alter table gold.price_history disable trigger append_only`;
      await sql`update gold.price_history set stored_at = stored_at - make_interval(secs => ${seconds})`;
      await sql`alter table gold.price_history enable trigger append_only`;
    });
  const quote = () => bookQuote(books.api, quoteItem(client, byGrams("buy", 10n)));
  const notes = async () =>
    (await books.sql`select action, detail from gold.audit where action like 'market.%' order by id desc`)
      .map((row) => row);

  it("closes the market if a price moves by the percentage or more, up or down, and not below it", async () => {
    assert(await tick(1_049_999));
    await setPrice(1_000_000);
    assert(!await tick(1_050_000));
    await books.sql`select gold.open_market()`;
    await setPrice(1_000_000);
    assert(await tick(950_001));
    await setPrice(1_000_000);
    assert(!await tick(950_000));
  });

  it("compares with every price of its time, and with the one in force when its time began", async () => {
    assert(await tick(1_020_000));
    assert(await tick(1_040_000));
    assert(!await tick(1_050_000), "5 % above the first of four prices");
    await books.sql`select gold.open_market()`;
    await setPrice(1_000_000);
    await wait(61);
    assert(await tick(1_040_000));
    assert(await tick(1_049_000), "the price before was still in force within the last minute");
    await wait(61);
    assert(await tick(1_080_000), "4 % in a minute, and 8 % in two");
    await wait(600);
    assert(!await tick(1_140_000), "the first price after an outage");
  });

  it("refuses quotes with market_closed, executes firm quotes, and keeps the jump in the history", async () => {
    const made = await quote();
    const id = (JSON.parse(made.body!) as { quote_id: string }).quote_id.slice(3);
    assert(!await tick(1_100_000));
    assertEquals(wordOf(await quote()), "market_closed");
    assertEquals((await bookOrder(books.api, orderItem(client, id))).status, 201);
    const [last] = await books.sql`select mid::int from gold.price_history order by id desc limit 1`;
    assertEquals(last!.mid, 1_100_000);
    assert(!await tick(1_000_000), "it stays closed if the price returns");
    await books.sql`select gold.open_market()`;
    assertEquals(wordOf(await quote()), "answered 201");
  });

  it("is noted in the audit with its reason, and so is the opening", async () => {
    await tick(1_100_000);
    await tick(1_200_000);
    const [halt, breaker] = await notes();
    assertEquals([halt!.action, breaker!.action], ["market.halt", "market.breaker"]);
    const { source, mid, earlier_mid, basis_points, seconds } = halt!.detail;
    assertEquals([source, mid, earlier_mid, basis_points, seconds], [
      "simulated",
      1_100_000,
      1_000_000,
      500,
      60,
    ]);
    await books.sql`select gold.open_market()`;
    assertEquals((await notes())[0]!.action, "market.open");
    const verdict = await books.sql`select gold.open_market()`.catch((error) => error.code);
    assertEquals(verdict, "GR409");
    assertEquals([...await books.sql`select * from gold.verify_audit()`], []);
  });

  it("compares with later prices only after the operator opened the market or set a price", async () => {
    assert(!await tick(1_100_000));
    await books.sql`select gold.open_market()`;
    assert(await tick(1_110_000));
    await setPrice(2_000_000);
    assert(await tick(2_010_000));
    await books.sql`select gold.set_price('http', 10000, 10060, 9940, 60, 10, 'https://prices.example/')`;
    assert(await tick(2_010_000), "the placeholder of a source without a price is no price");
  });

  it("closes the market once if several processes tick at once, and is off by default", async () => {
    const pools = [books.connect("gold_ticker", 3), books.connect("gold_ticker", 3)];
    const before = (await notes()).length;
    await Promise.all(Array.from({ length: 12 }, (_, n) =>
      pools[n % 2]!`
        select gold.tick_price(p.ticked_at, p.url, p.spread_basis_points, 1100000, 1100001, 1099999, null) from gold.current_price p`));
    assertEquals((await notes()).length, before + 1);
    await books.sql`select gold.open_market()`;
    await books.sql`select gold.set_breaker(null, null)`;
    assert(await tick(5_000_000));
  });

  it("is 5 % within 60 s from the start under two people, unless they have set or turned it off", async () => {
    for (const set of [undefined, "300, 30", "null, null"]) {
      const own = await testBooks();
      try {
        await own.sql`select gold.set_price('simulated', 1000000, 1000001, 999999, 60, 10, null)`;
        if (set) await own.sql.unsafe(`select gold.set_breaker(${set})`);
        await own.sql`select gold.require_two_people()`;
        const [row] = await own
          .sql`select halt_basis_points as percent, halt_seconds as within from gold.price`;
        assertEquals(`${row!.percent}, ${row!.within}`, set ?? "500, 60");
      } finally {
        await own.stop();
      }
    }
  });
});
