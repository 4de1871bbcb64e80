import { before, beforeEach, describe, it } from "node:test";
import { pricesFromMid } from "@gold-partner/protocol";
import { assert, assertEquals } from "@std/assert";
import { suiteBooks } from "../../../testing/books.ts";
import { bookOrder, bookQuote, byGrams, orderItem, quoteItem } from "../fixture.ts";
import { verdictOf } from "../operator_fixture.ts";
import { valueOf, withoutTriggers } from "../../../testing/rows.ts";

const MID = 5_000_000;
const SPREAD = 60;
const BAND = { step: 200, hour: 500 };
/** What the partner trades at once, in 0.0001 g. */
const POSITION = 1_000_000n;
const SECONDS_PER_TICK = 30;
const SMALLEST_MOVE = 500;
const HOUR_SECONDS = 3600;

type Side = "buy" | "sell";

describe("the price band and swings of the price", () => {
  const books = suiteBooks();
  let client: number;
  before(async () => {
    await books.addBar(100_000_000n);
    client = await books.createClient({ halalas: 100_000_000n });
  });
  let spread: number;
  /** The gold of the partner, and its open quotes, in 0.0001 g. */
  let held: bigint;
  let open: Record<Side, bigint>;
  /** Open buy quotes are a part of the largest position, and open sell quotes lower the smallest position. */
  let largest: bigint;
  let smallest: bigint;
  beforeEach(() => start(SPREAD));

  async function start(basisPoints: number): Promise<void> {
    [held, largest, smallest, open, spread] = [0n, 0n, 0n, { buy: 0n, sell: 0n }, basisPoints];
    const { buyPricePips, sellPricePips } = pricesFromMid(BigInt(MID), BigInt(spread));
    await books.sql`select gold.set_band(null, null)`;
    await books.sql`
      select gold.set_price('simulated', ${MID}, ${Number(buyPricePips)}, ${
      Number(sellPricePips)
    }, ${spread}, 10, null)`;
    await books.sql`select gold.set_band(${BAND.step}, ${BAND.hour})`;
  }

  /** Stores a price of the source, as the service does. */
  function tick(mid: number): Promise<string> {
    const { buyPricePips, sellPricePips } = pricesFromMid(BigInt(mid), BigInt(spread));
    return verdictOf(books.ticker`
      select gold.tick_price(p.ticked_at, p.url, p.spread_basis_points, ${mid}, ${Number(buyPricePips)},
        ${Number(sellPricePips)}, null) from gold.current_price p`);
  }
  /** Makes the prices that are stored older. */
  const wait = (seconds: number) =>
    withoutTriggers(books.sql, async (sql) => {
      await sql`update gold.price_history set stored_at = stored_at - make_interval(secs => ${seconds})`;
    });
  /** Counts a change of the partner's open quotes, and of its gold. */
  function count(side: Side, quoted: bigint, ordered: bigint): void {
    open[side] += quoted;
    held += side === "buy" ? ordered : -ordered;
    if (held + open.buy > largest) largest = held + open.buy;
    if (held - open.sell < smallest) smallest = held - open.sell;
  }
  async function quote(side: Side): Promise<string> {
    const quoted = await bookQuote(books.api, quoteItem(client, byGrams(side, POSITION)));
    const { quote_id } = JSON.parse(quoted.body!) as { quote_id: string };
    count(side, POSITION, 0n);
    return quote_id.slice(3);
  }
  async function order(side: Side, quoteId: string): Promise<void> {
    assertEquals((await bookOrder(books.api, orderItem(client, quoteId))).status, 201);
    count(side, -POSITION, POSITION);
  }
  const trade = async (side: Side) => order(side, await quote(side));
  /** The most that the partner may earn in an hour with these positions, in halalas. */
  const mostHalalas = () => (largest - smallest) * BigInt(MID) * BigInt(BAND.hour) / 10_000n / 1_000_000n;
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

  it("let a source and a partner earn together in an hour at most one hourly band for each gram between the partner's largest and smallest position", async () => {
    let most = 0n;
    for (const amplitude of [0.01, 0.02, 0.039, 0.05]) {
      for (const first of ["rise", "fall"] as const) {
        await books.sql`select gold.set_band(null, null)`;
        await tick(MID);
        await books.sql`select gold.set_band(${BAND.step}, ${BAND.hour})`;
        const earned = await play(amplitude, first);
        assert(earned <= mostHalalas(), `${amplitude} ${first}: ${earned} of ${mostHalalas()}`);
        if (earned > most) most = earned;
      }
    }
    assertEquals([smallest, largest], [0n, POSITION]);
    assert(most > mostHalalas() / 2n, `the play is too weak to show a bound: ${most} of ${mostHalalas()}`);
  });

  for (const basisPoints of [20, 60]) {
    it(`let a partner with firm quotes earn on rises and on falls, at most this bound, with a spread of ${basisPoints} basis points`, async () => {
      await start(basisPoints);
      const before = await available();
      let mid = MID;
      for (const next of [5_100_000, 5_000_000, 5_100_000, 5_000_000, 5_049_500, 5_000_000]) {
        const [first, then] = next > mid ? ["buy", "sell"] as const : ["sell", "buy"] as const;
        const firm = await quote(first);
        assertEquals(await tick(next), "done");
        // Only gold that the partner holds can be sold.
        if (first === "buy") await order(first, firm);
        await trade(then);
        if (first === "sell") await order(first, firm);
        mid = next;
      }
      const earned = await available() - before;
      assertEquals([held, smallest, largest], [0n, -POSITION, POSITION]);
      assert(earned <= mostHalalas(), `${earned} of ${mostHalalas()}`);
      // The largest position alone would be too low a bound.
      assert(earned > mostHalalas() / 2n, `${earned} of ${mostHalalas()}`);
    });
  }

  it("are refused when the rises or the falls of an hour exceed its percentage, and the last price stays", async () => {
    for (const mid of [5_100_000, 5_000_000, 5_100_000, 5_000_000]) assertEquals(await tick(mid), "done");
    assertEquals(
      await tick(5_050_001),
      "GR409 the price 505.0001 brings the rises of the last hour to more than 5 % of 500: set it with " +
        "`gold price set --mid` under two people, or widen the band with `gold market set --band`",
    );
    assertEquals(await valueOf(books.sql`select mid::int from gold.price`), 5_000_000);
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
