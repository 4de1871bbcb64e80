import { createHash } from "node:crypto";
import { type TestBooks, testBooks } from "../../../testing/books.ts";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { rulesBrokenBy } from "../ledger/tampered_fixture.ts";
import { withoutTriggers } from "../../../testing/rows.ts";

const MID = 3_200_000;

describe("the history of prices", () => {
  let books: TestBooks;
  beforeEach(async () => {
    books = await testBooks();
  });
  afterEach(() => books.stop());

  const rows = async () => [...await books.sql`select * from gold.price_history order by id`];
  const quoteOf = async (id: string) =>
    (await books.sql`
      select price, price_id, extract(epoch from expires_at - created_at)::int as seconds
      from gold.quote where id = ${id}`)[0]!;
  const feed = (asOf = "clock_timestamp()") =>
    books.sql.unsafe(`update gold.price set source = 'simulated', as_of = ${asOf}`);
  const tick = (buy: number) =>
    books.sql`
      select gold.tick_price(p.as_of, p.url, p.spread_basis_points, ${MID}, ${buy}, ${
      buy - 20_000
    }, null) as stored
      from gold.price p`;

  it("gets a row for every price that an operator or a source sets, in the same transaction", async () => {
    await books.setPrice(3_300_000n, 3_100_000n);
    await feed();
    assertEquals((await tick(3_250_000))[0]!.stored, true);
    await books.sql.begin(async (sql) => {
      await sql`select gold.set_price('fixed', 1, 9, 8, 60, 10, null)`;
      throw new Error("rolled back");
    }).catch(() => {});
    const found = (await rows()).map(({ id, source, buy }) => `${id} ${source} ${buy}`);
    assertEquals(found, ["1 fixed 3210000", "2 fixed 3300000", "3 simulated 3300000", "4 simulated 3250000"]);
    assertEquals(await books.defects(), []);
  });

  it("does not get a row when only the market hours change, or when a tick is dropped", async () => {
    await books.sql`select gold.set_market_hours(true, '[]')`;
    await tick(3_250_000);
    assertEquals((await rows()).length, 1);
  });

  it("numbers two changes of the same millisecond, and a quote names the second", async () => {
    await books.sql.begin(async (sql) => {
      for (const buy of [3_300_000, 3_400_000]) {
        await sql`select gold.set_price('fixed', ${MID}, ${buy}, ${MID - 1}, 60, 10, null)`;
      }
    });
    // Both rows may have got the same instant. Make sure that they have, and hash them as they would be then.
    await withoutTriggers(books.sql, async (sql) => {
      await sql`update gold.price_history set stored_at = (select stored_at from gold.price) where id > 1`;
      for (const id of [2, 3]) {
        await sql`
          update gold.price_history h set hash = sha256(b.hash || convert_to(gold.price_line(h), 'UTF8'))
          from gold.price_history b where h.id = ${id} and b.id = ${id - 1}`;
      }
    });
    const client = await books.createClient();
    const quote = await quoteOf(await books.quote(client, "buy", 10_000n));
    assertEquals([quote.price_id, quote.price], ["3", "3400000"]);
    assertEquals(await books.defects(), []);
  });

  it("has a hash in each row, over the row and the hash of the row before it", async () => {
    await books.setPrice(3_300_000n, 3_100_000n);
    let hash = Buffer.alloc(32);
    for (const row of await rows()) {
      const line = [
        ...[1, row.id, row.source, row.mid, row.buy, row.sell, row.spread_basis_points],
        ...[row.stale_after_seconds, row.quote_ttl_seconds, row.as_of.getTime(), row.stored_at.getTime()],
      ].join("|");
      hash = createHash("sha256").update(hash).update(line).digest();
      assertEquals(row.hash, hash);
    }
  });

  it("cannot be changed, not even by a superuser's mistake", async () => {
    const changes = [
      "update gold.price_history set buy = buy + 1",
      "delete from gold.price_history",
      "truncate gold.price_history",
      "update gold.simulated_price set percent = 1",
      "update gold.bar_list set fine = 1",
      "delete from gold.bar_list",
    ];
    for (const change of changes) {
      const refusal = await books.sql.unsafe(change).then(() => "done", ({ code }) => code);
      assertEquals(refusal, "GB002", change);
    }
  });

  it("gives a quote its price and lifetime", async () => {
    const client = await books.createClient();
    await books.sql`update gold.price set quote_ttl_seconds = 45`;
    const id = await books.quote(client, "sell", 10_000n);
    assertEquals({ ...await quoteOf(id) }, { price: "3190000", price_id: "2", seconds: 45 });
    assertEquals(await books.defects(), []);
  });

  it("refuses a quote and stores none while the price is stale", async () => {
    const client = await books.createClient();
    await feed("clock_timestamp() - interval '11 seconds'");
    const refusal = await books.quote(client, "buy", 10_000n).catch((error: Error) => error.message);
    assertMatch(refusal, /price_unavailable/);
    assertEquals((await books.sql`select from gold.quote`).length, 0);
  });

  it("stores the price again if the clock stepped back after it was stored", async () => {
    const client = await books.createClient();
    await withoutTriggers(books.sql, async (sql) => {
      await sql`update gold.price set stored_at = stored_at + interval '1 hour'`;
      await sql`update gold.price_history set stored_at = stored_at + interval '1 hour'`;
      await sql`
        update gold.price_history h
        set hash = sha256(decode(repeat('00', 32), 'hex') || convert_to(gold.price_line(h), 'UTF8'))`;
    });
    const quote = await quoteOf(await books.quote(client, "buy", 10_000n));
    assertEquals([quote.price_id, (await rows()).length], ["2", 2]);
    assertEquals(await books.defects(), []);
  });

  it("stores the percentage of a simulated price, so that verification accepts the quote", async () => {
    const client = await books.createClient();
    await books.sql`
      update gold.account set simulations = jsonb_build_object('prices',
        jsonb_build_object('percent', -7, 'until', clock_timestamp() + interval '1 minute')) where client_id = ${client}`;
    const [buy, sell] = [
      await books.quote(client, "buy", 10_000n),
      await books.quote(client, "sell", 10_000n),
    ];
    assertEquals((await quoteOf(buy)).price, "2985300");
    assertEquals((await quoteOf(sell)).price, "2966700");
    assertEquals(await books.defects(), []);
    assertEquals(
      await rulesBrokenBy(books.sql, `delete from gold.simulated_price where quote_id = '${buy}'`),
      "quote_is_priced",
    );
  });

  it("lets verification find a quote that differs from its price, and a history that was changed", async () => {
    const client = await books.createClient();
    const id = await books.quote(client, "buy", 10_000n);
    await books.setPrice(3_300_000n, 3_100_000n);
    await books.sql`select pg_sleep(0.01)`;
    const quote = `where id = '${id}'`;
    for (
      const [plant, rule] of [
        [`update gold.quote set price_id = 2 ${quote}`, "quote_is_priced"],
        [`update gold.quote set price_id = 3 ${quote}`, "quote_is_priced"],
        [`update gold.quote set price = 9, total = 1 ${quote}`, "quote_is_priced"],
        [`update gold.quote set expires_at = expires_at + interval '1 second' ${quote}`, "quote_is_priced"],
        [
          `update gold.quote set created_at = created_at + interval '1 minute', expires_at = expires_at + interval '1 minute' ${quote}`,
          "quote_is_priced",
        ],
        [
          `update gold.quote q set created_at = h.stored_at - interval '1 minute',
             expires_at = h.stored_at - interval '1 minute' + (q.expires_at - q.created_at)
           from gold.price_history h where h.id = q.price_id and q.id = '${id}'`,
          "quote_is_priced",
        ],
        ["update gold.price_history set spread_basis_points = 61 where id = 1", "price_is_kept"],
        ["delete from gold.price_history where id = 2", "price_is_kept"],
        ["update gold.price set buy = buy + 1", "price_is_kept"],
      ] as const
    ) assertEquals(await rulesBrokenBy(books.sql, plant), rule, plant);
    assert((await books.defects()).length === 0);
  });
});
