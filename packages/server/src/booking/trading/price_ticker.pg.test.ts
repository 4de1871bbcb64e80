import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { LogFields } from "../../operations/log.ts";
import { createMetrics } from "../../operations/metrics.ts";
import { testFeed } from "./price_source_fixture.ts";
import { startPriceTicker } from "./price_ticker.ts";
import { until } from "../../../../../tools/testing/until.ts";
import { suiteBooks } from "../../../testing/books.ts";
import { setUp } from "../../../testing/set_up.ts";

/** Several ticks long, because a tick can be late on a busy machine. */
const STALE_SECONDS = 5;

describe("startPriceTicker()", () => {
  const [books, feed] = [suiteBooks(), setUp(testFeed)];
  let client: number;
  before(async () => void (client = await books.createClient({ halalas: 10_000_000n })));

  const lines: [string, string, LogFields | undefined][] = [];
  const metrics = createMetrics();
  const start = () =>
    startPriceTicker({
      sql: books.ticker,
      allow: { hosts: [], ranges: ["127.0.0.1/32"] },
      now: Date.now,
      random: (length) => randomBytes(length),
      log: (level, event, fields) => lines.push([level, event, fields]),
      metrics,
    });
  let settings = 0;
  /** Each http source gets a new URL, so that it has given no price yet. */
  const setSource = (source: string, staleAfterSeconds: number) =>
    books.sql`select gold.set_price(${source}, 3200000, 3210000, 3190000, 60, ${staleAfterSeconds}, ${
      source === "http" ? `${feed.url}?${++settings}` : null
    })`;
  const standing = async () => {
    const [row] = await books
      .sql`select mid::text, buy::text, sell::text, stale, ticked_at from gold.current_price`;
    return row as unknown as { mid: string; buy: string; sell: string; stale: boolean; ticked_at: Date };
  };
  const quoted = () => books.quote(client, "buy", 100n).then(() => "quoted", (error: Error) => error.message);
  const priceIs = async (mid: string) => (await standing()).mid === mid;

  it("follows an http source with a spread, goes stale when the source fails, and recovers", async () => {
    await setSource("http", STALE_SECONDS);
    assertEquals(await quoted(), "the quote failed: price_unavailable null");
    feed.says('{"price_per_gram_sar":400}');
    const ticker = await start();
    const first = await standing();
    assertEquals([first.mid, first.buy, first.sell, first.stale], ["4000000", "4012000", "3988000", false]);
    assertEquals(await quoted(), "quoted");
    feed.says('{"price_per_gram_sar":401.5}');
    await until(() => priceIs("4015000"));
    await books.sql`select gold.set_band(200, 500)`;

    feed.says((reply) => reply.writeHead(500).end());
    await until(async () => (await standing()).stale);
    assertEquals(await quoted(), "the quote failed: price_unavailable null");
    feed.says('{"price_per_gram_sar":4000}');
    await until(() => metrics.text().includes('outcome="outside_band"'));
    assertEquals((await standing()).mid, "4015000");
    feed.says('{"price_per_gram_sar":402}');
    await until(() => priceIs("4020000"));
    assertEquals(await quoted(), "quoted");
    ticker.stop();
    await books.sql`select gold.set_band(null, null)`;
  });

  it("logs each failure and each recovery once, and counts every tick", () => {
    assertEquals(lines, [
      ["warn", "the price source fails", { code: "status_500" }],
      ["warn", "the price source gives prices again", { code: "ok" }],
    ]);
    for (const outcome of ["ok", "status_500", "outside_band"]) {
      assert(metrics.text().includes(`gold_price_ticks_total{source="http",outcome="${outcome}"}`), outcome);
    }
  });

  it("uses the instant that the source states, so a price with a repeated instant goes stale", async () => {
    await setSource("http", STALE_SECONDS);
    const asOf = new Date().toISOString();
    feed.says(`{"price_per_gram_sar":400,"as_of":"${asOf}"}`);
    const ticker = await start();
    assertEquals([(await standing()).ticked_at.toISOString(), (await standing()).stale], [asOf, false]);
    const before = feed.requestCount();
    await until(async () => (await standing()).stale);
    assert(feed.requestCount() > before);
    ticker.stop();
  });

  it("sends one request at a time, and stops even if the source hangs", async () => {
    await setSource("http", 2);
    feed.says('{"price_per_gram_sar":400}');
    const ticker = await start();
    let [open, most] = [0, 0];
    feed.says((reply) => {
      most = Math.max(most, ++open);
      reply.once("close", () => open--);
    });
    await until(() => open === 1);
    await sleep(2200);
    assertEquals(most, 1);
    const known = lines.length;
    ticker.stop();
    await sleep(100);
    assertEquals(lines.length, known);
  });

  it("drops the reply to a request if the operator changed spread or URL meanwhile", async () => {
    for (const change of ["spread_basis_points = 61", "url = url || '&other'"]) {
      await setSource("http", 60);
      feed.says('{"price_per_gram_sar":400}');
      const ticker = await start();
      const answers: (() => void)[] = [];
      feed.says((reply) => void answers.push(() => reply.end('{"price_per_gram_sar":401}')));
      await until(() => answers.length === 1);
      await books.sql.unsafe(`update gold.price set ${change}`);
      const changed = await standing();
      answers[0]!();
      // The ticker asks again only when the previous tick has ended.
      await until(() => answers.length === 2);
      assertEquals(await standing(), changed, change);
      ticker.stop();
    }
  });

  it("keeps a fixed price, and moves a simulated price", async () => {
    await setSource("fixed", 2);
    const fixed = await start();
    const before = await standing();
    await sleep(1100);
    assertEquals(await standing(), before);
    fixed.stop();
    await setSource("simulated", 2);
    const simulated = await start();
    await until(async () => !await priceIs("3200000"));
    simulated.stop();
  });
});
