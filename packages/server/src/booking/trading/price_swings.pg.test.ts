import { after, before, beforeEach, describe, it } from "node:test";
import { pricesFromMid } from "@gold-partner/protocol";
import { assert, assertEquals } from "@std/assert";
import { type TestBooks, testBooks } from "../../../testing/books.ts";
import { bookOrder, bookQuote, byGrams, orderItem, quoteItem } from "../fixture.ts";
import { verdictOf } from "../operator_fixture.ts";

const MID = 5_000_000;
const SPREAD = 60;
const BAND = { step: 200, hour: 500 };
/** The largest position of the partner, in 0.0001 g. */
const POSITION = 1_000_000n;
const SECONDS_PER_TICK = 30;
const SMALLEST_MOVE = 500;
const HOUR_SECONDS = 3600;

describe("the price band and swings of the price", () => {
  let books: TestBooks;
  let client: number;
  before(async () => {
    books = await testBooks();
    await books.addBar(100_000_000n);
    client = await books.createClient({ halalas: 100_000_000n });
  });
  after(() => books.stop());
  beforeEach(async () => {
    const { buyPricePips, sellPricePips } = pricesFromMid(BigInt(MID), BigInt(SPREAD));
    await books.sql`select gold.set_band(null, null)`;
    await books.sql`
      select gold.set_price('simulated', ${MID}, ${Number(buyPricePips)}, ${
      Number(sellPricePips)
    }, ${SPREAD}, 10, null)`;
    await books.sql`select gold.set_band(${BAND.step}, ${BAND.hour})`;
  });

  /** Stores a price of the source, as the service does. */
  function tick(mid: number): Promise<string> {
    const { buyPricePips, sellPricePips } = pricesFromMid(BigInt(mid), BigInt(SPREAD));
    return verdictOf(books.api`
      select gold.tick_price(p.ticked_at, p.url, p.spread_basis_points, ${mid}, ${Number(buyPricePips)},
        ${Number(sellPricePips)}, null) from gold.current_price p`);
  }
  /** Makes the prices that are stored older. */
  const wait = (seconds: number) =>
    books.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update gold.price_history set stored_at = stored_at - make_interval(secs => ${seconds})`;
    });
  async function trade(side: "buy" | "sell"): Promise<void> {
    const quoted = await bookQuote(books.api, quoteItem(client, byGrams(side, POSITION)));
    const { quote_id } = JSON.parse(quoted.body!) as { quote_id: string };
    assertEquals((await bookOrder(books.api, orderItem(client, quote_id.slice(3)))).status, 201);
  }
  const available = async (): Promise<bigint> =>
    BigInt(
      (await books.sql`select sar_available::text as sar from gold.account where client_id = ${client}`)[0]!
        .sar,
    );

  /** Moves the price as far as the band allows, at most to `target`. Returns the new price. */
  async function moveTowards(target: number, mid: number): Promise<number> {
    const step = Math.floor(mid * BAND.step / 10_000);
    for (let move = Math.min(step, Math.abs(target - mid)); move > SMALLEST_MOVE; move >>= 1) {
      const next = mid + Math.sign(target - mid) * move;
      if (await tick(next) === "done") return next;
    }
    return mid;
  }

  /**
   * A source and a partner work together for an hour: the partner buys before each rise, and sells before each
   * fall. Returns what the partner earns, in halalas.
   */
  async function play(amplitude: number, first: "rise" | "fall"): Promise<bigint> {
    const before = await available();
    const [low, high] = first === "rise" ? [MID, MID * (1 + amplitude)] : [MID * (1 - amplitude), MID];
    let mid = MID;
    let holds = false;
    let isRise = first === "rise";
    const startMs = performance.now();
    // On a busy machine, the ticks themselves take a part of the hour.
    const elapsedSeconds = () => (performance.now() - startMs) / 1000;
    const lastSeconds = HOUR_SECONDS - 2 * SECONDS_PER_TICK;
    for (let waited = 0; waited + elapsedSeconds() < lastSeconds; waited += SECONDS_PER_TICK) {
      if (isRise !== holds) {
        await trade(isRise ? "buy" : "sell");
        holds = isRise;
      }
      await wait(SECONDS_PER_TICK);
      const next = await moveTowards(Math.floor(isRise ? high : low), mid);
      // The price is at its end, or the band allows no further move in this direction.
      if (next === mid) isRise = !isRise;
      mid = next;
    }
    if (holds) await trade("sell");
    return await available() - before;
  }

  it("let a source and a partner earn together in an hour at most one hourly band for each gram of the partner's largest position", async () => {
    const bandHalalas = POSITION * BigInt(MID) * BigInt(BAND.hour) / 10_000n / 1_000_000n;
    let most = 0n;
    for (const amplitude of [0.01, 0.02, 0.039, 0.05]) {
      for (const first of ["rise", "fall"] as const) {
        await books.sql`select gold.set_band(null, null)`;
        await tick(MID);
        await books.sql`select gold.set_band(${BAND.step}, ${BAND.hour})`;
        const earned = await play(amplitude, first);
        assert(earned <= bandHalalas, `${amplitude} ${first}: ${earned} of ${bandHalalas}`);
        if (earned > most) most = earned;
      }
    }
    assert(most > bandHalalas / 2n, `the play is too weak to show a bound: ${most} of ${bandHalalas}`);
  });

  it("are refused when the rises or the falls of an hour exceed its percentage, and the last price stays", async () => {
    for (const mid of [5_100_000, 5_000_000, 5_100_000, 5_000_000]) assertEquals(await tick(mid), "done");
    assertEquals(
      await tick(5_050_001),
      "GR409 the price 505.0001 brings the rises of the last hour to more than 5 % of 500: set it with " +
        "`gold price set --mid` under two people, or widen the band with `gold market set --band`",
    );
    const [row] = await books.sql`select mid::int from gold.price`;
    assertEquals(row!.mid, 5_000_000);
    assertEquals(await tick(5_050_000), "done");
    assertEquals(await tick(5_000_000), "done");
    assert((await tick(4_999_999)).includes(" brings the falls of the last hour to more than 5 % of 500"));
    await wait(3600);
    assertEquals(await tick(4_999_999), "done");
  });

  it("do not count up to the spread", async () => {
    for (let count = 0; count < 50; count++) {
      assertEquals([await tick(MID * 1.006), await tick(MID)], ["done", "done"]);
    }
    assertEquals(await tick(5_100_000), "done");
  });
});
