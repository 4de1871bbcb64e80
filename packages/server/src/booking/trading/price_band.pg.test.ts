import { after, before, beforeEach, describe, it } from "node:test";
import { pricesFromMid } from "@gold-partner/protocol";
import { assert, assertEquals } from "@std/assert";
import { assertStartsWith } from "../../../testing/assert_starts_with.ts";
import { bookOrder, bookQuote, byGrams, orderItem, quoteItem } from "../fixture.ts";
import { balanceOf, suiteOperators, verdictOf } from "../operator_fixture.ts";
import { suiteBooks } from "../../../testing/books.ts";

const MID = 5_000_000;

describe("the price band", () => {
  const books = suiteBooks();
  beforeEach(async () => {
    await books.sql`select gold.set_band(null, null)`;
    await set(MID);
    await books.sql`select gold.set_band(200, 500)`;
  });

  function set(mid: number, spread = 60): Promise<string> {
    const { buyPricePips, sellPricePips } = pricesFromMid(BigInt(mid), BigInt(spread));
    return verdictOf(
      books.sql`select gold.set_price('simulated', ${mid}, ${Number(buyPricePips)}, ${
        Number(sellPricePips)
      }, ${spread}, 10, null)`,
    );
  }
  /** Stores a price of the source, as the service does. */
  function tick(mid: number, { buy = 0, sell = 0, asOf = null as string | null } = {}): Promise<string> {
    const { buyPricePips, sellPricePips } = pricesFromMid(BigInt(mid), 60n);
    return verdictOf(books.ticker`
      select gold.tick_price(p.ticked_at, p.url, p.spread_basis_points, ${mid}, ${Number(buyPricePips) + buy},
        ${Number(sellPricePips) + sell}, ${asOf}::text::timestamptz) from gold.current_price p`);
  }
  const midNow = async () => (await books.sql`select mid::int from gold.price`)[0]!.mid;
  /** Makes the prices that are stored older. */
  const wait = (minutes: number) =>
    books.sql.begin(async (sql) => {
      await sql`alter table gold.price_history disable trigger append_only`;
      await sql`update gold.price_history set stored_at = stored_at - make_interval(mins => ${minutes})`;
      await sql`alter table gold.price_history enable trigger append_only`;
    });
  it("refuses a step beyond it from the source and from an operator, up and down, and names itself", async () => {
    for (const change of [tick, set]) {
      for (const [inside, outside] of [[5_100_000, 5_100_001], [4_900_000, 4_899_999]] as const) {
        const verdict = await change(outside);
        assertEquals(
          verdict,
          `GR409 the price ${
            outside / 10_000
          } differs by more than 2 % from 500, the price before it: set it with ` +
            "`gold price set --mid` under two people, or widen the band with `gold market set --band`",
        );
        assertEquals(await midNow(), MID);
        assertEquals(await change(inside), "done");
        await books.sql`select gold.set_band(null, null)`;
        await set(MID);
        await books.sql`select gold.set_band(200, 500)`;
      }
    }
  });

  it("refuses a step beyond it from a source that states the time of a price that no source has given", async () => {
    for (const asOf of ["epoch", "1969-12-31T00:00:00Z", "-infinity"]) {
      const verdict = await tick(7_500_000, { asOf });
      assert(
        verdict.startsWith("GR409 the price 750 differs by more than 2 % from 500"),
        `${asOf}: ${verdict}`,
      );
    }
  });

  it("bounds the move within an hour, so that small steps do not reach what one step may not", async () => {
    for (const mid of [5_090_000, 5_180_000, 5_250_000]) assertEquals(await tick(mid), "done");
    assertStartsWith(
      await tick(5_250_001),
      "GR409 the price 525.0001 differs by more than 5 % from 500, the price of ",
    );
    assert((await set(5_250_001)).startsWith("GR409 "), "the same for an operator");
    await wait(59);
    assert((await tick(5_250_001)).startsWith("GR409 "));
    await wait(2);
    for (const mid of [5_350_000, 5_450_000, 5_512_500]) assertEquals(await tick(mid), "done");
    assert((await tick(5_512_501)).includes(" 5 % from 525, "), "525 was in force when the hour began");
    await wait(600);
    assert((await tick(5_700_000)).startsWith("GR409 "), "the first price after an outage");
  });

  it("compares with the same prices after it was changed, and with no earlier price after it was off", async () => {
    assertEquals([await tick(5_090_000), await tick(5_180_000)], ["done", "done"]);
    await books.sql`select gold.set_band(200, 400)`;
    assert((await tick(5_210_000)).startsWith("GR409 "), "4 % above 500");
    await books.sql`select gold.set_band(null, null)`;
    assertEquals(await tick(9_000_000), "done");
    await books.sql`select gold.set_band(200, 500)`;
    assertEquals(await tick(9_100_000), "done");
  });

  it("accepts the first price ever, and a new spread, but no buy or sell price that does not follow from both", async () => {
    const done = new Error("undone");
    const undone = books.sql.begin(async (sql) => {
      await sql`alter table gold.price_history disable trigger append_only`;
      await sql`delete from gold.price_history`;
      await sql`update gold.price set mid = 1000000, buy = 1003000, sell = 997000`;
      throw done;
    });
    assertEquals(await undone.catch((error) => error), done);
    assertEquals(await set(MID, 600), "done");
    assertEquals(await set(MID, 60), "done");
    for (const off of [{ buy: 1 }, { buy: -1 }, { sell: 1 }, { sell: -4_000_000 }]) {
      const verdict = await tick(MID, off);
      assert(
        verdict.includes("do not follow from the mid price 500 and a spread of 60 basis points"),
        verdict,
      );
    }
  });

  describe("with the circuit breaker", () => {
    beforeEach(() => books.sql`select gold.set_breaker(500, 60)`);
    after(() => books.sql`select gold.set_breaker(null, null)`);
    const state = async () => {
      const [row] = await books
        .sql`select mid::int, id::int, halted_at is not null as halted from gold.price`;
      return row!;
    };
    const open = () => books.sql`select gold.open_market()`;

    it("refuses a jump, and the jump closes the market", async () => {
      for (const jump of [5_250_000, 4_750_000, 200]) {
        const before = await state();
        assertEquals([await tick(jump), await state()], ["done", { ...before, halted: true }]);
        const [halt] = await books.sql`select action, detail from gold.audit order by id desc limit 1`;
        const { action, detail: { mid, price_id, earlier_mid, earlier_price_id } } = halt!;
        assertEquals([action, mid, price_id, earlier_mid, earlier_price_id], [
          "market.halt",
          jump,
          undefined,
          MID,
          before.id,
        ]);
        assert(
          (await tick(jump)).startsWith("GR409 the price "),
          "once the market is closed, it only refuses",
        );
        await open();
        assertEquals(
          [await tick(jump), (await state()).halted],
          ["done", true],
          "and again if it was opened too early",
        );
        await open();
      }
    });

    it("refuses a smaller step and wrong buy and sell prices, and the market stays open", async () => {
      const before = await state();
      for (const refused of [tick(5_249_999), tick(4_750_001), tick(MID, { buy: 1 }), set(6_000_000)]) {
        assert((await refused).startsWith("GR409 the "));
      }
      assertEquals(await state(), before);
    });

    it("lets several steps close the market that a single one may not reach", async () => {
      await books.sql`select gold.set_breaker(300, 60)`;
      assertEquals([await tick(5_100_000), (await state()).halted], ["done", false]);
      assertEquals([await tick(5_150_000), (await state()).halted], ["done", true]);
      await open();
    });
  });

  it("has a table constraint, so that no writer can store a band that bounds nothing", async () => {
    const cases = [["null", "500"], ["200", "null"], ["0", "500"], ["200", "199"], ["200", "10001"]];
    for (const [step, hour] of cases) {
      const verdict = await verdictOf(books.sql.unsafe(
        `update gold.price set band_basis_points = ${step}, band_hour_basis_points = ${hour}`,
      ));
      assert(verdict.startsWith("23514 ") && verdict.includes("price_band"), verdict);
    }
  });
});

describe("the price band under two people", () => {
  const books = suiteBooks();
  const [maker, checker] = suiteOperators(books);
  before(async () => {
    await books.addBar(100_000_000n);
    await books.sql`select gold.set_price('simulated', 5000000, 5015000, 4985000, 60, 10, null)`;
    // Two people have turned the circuit breaker off: here, only the band refuses prices.
    await books.sql`select gold.set_breaker(null, null)`;
    await books.sql`select gold.require_two_people()`;
  });

  function tick(mid: number): Promise<string> {
    const { buyPricePips, sellPricePips } = pricesFromMid(BigInt(mid), 60n);
    return verdictOf(books.ticker`
      select gold.tick_price(p.ticked_at, p.url, p.spread_basis_points, ${mid}, ${Number(buyPricePips)}, ${
      Number(sellPricePips)
    }, null) from gold.current_price p`);
  }
  /** Sets the price by a proposal, as `gold price set --mid` does. */
  async function approve(content: Record<string, unknown>): Promise<string> {
    const [row] = await maker.sql`
      select * from gold.propose('price.set', ${
      maker.sql.json({ spread_basis_points: 60, stale_after_seconds: 10, url: null, ...content })
    }::jsonb)`;
    return await verdictOf(checker.sql`select gold.approve_proposal(${row!.id}::uuid, ${row!.sha256})`);
  }

  it("is 2 % a step and 5 % an hour from the start", async () => {
    const [row] = await books.sql`
      select p.band_basis_points as step, p.band_hour_basis_points as hour, a.detail->>'mode' as mode
      from gold.price p, gold.audit a where a.action = 'market.band'`;
    assertEquals({ ...row }, { step: 200, hour: 500, mode: "two_people" });
  });

  it("accepts a price that an approved proposal names, and then compares with it", async () => {
    assertEquals(await approve({ source: "simulated", mid: "9000000" }), "done");
    assertEquals([await tick(9_150_000), await tick(9_300_000)], ["done", "done"]);
    assert((await tick(5_000_000)).startsWith("GR409 "));
    assertEquals(await approve({ source: "simulated" }), "done", "without a price, the price stays");
    assertEquals(await approve({ source: "simulated", mid: "5000000" }), "done");
  });

  it("leaves nothing of a price of 0.02: one login can neither set it, nor tick it, nor buy at it", async () => {
    const client = await books.createClient({ halalas: 10_000_000n });
    const before = await books.sql`select mid, id from gold.price`;
    const low = maker.sql`select gold.set_price('fixed', 200, 201, 199, 60, 10, null)`;
    assert((await verdictOf(low)).includes("this change needs two people"));
    assert((await tick(200)).startsWith("GR409 the price 0.02 differs by more than 2 % from 500"));
    const widened = maker.sql`select gold.set_band(null, null)`;
    assert((await verdictOf(widened)).includes("this change needs two people"));
    const made = await bookQuote(books.api, quoteItem(client, byGrams("buy", 1_000n)));
    const quote = JSON.parse(made.body!) as { quote_id: string; price_per_gram_sar: number };
    assertEquals(quote.price_per_gram_sar, 501.5);
    assertEquals((await bookOrder(books.api, orderItem(client, quote.quote_id.slice(3)))).status, 201);
    assertEquals(await balanceOf(books, client), "9994985 0 1000");
    assertEquals(await books.sql`select mid, id from gold.price`, before);
    assertEquals(await books.defects(), []);
  });
});
