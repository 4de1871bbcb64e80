import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { runGold } from "../../gold_fixture.ts";
import { assertRefused as refused, type TestOperator, testOperator } from "../fixture.ts";
import { until } from "../../../../../tools/testing/until.ts";

const URL_OF_PRICES = "https://prices.example/gold";

describe("gold price", () => {
  let operator: TestOperator;
  before(async () => void (operator = await testOperator()));
  after(() => operator.stop());

  const set = (...argv: string[]) => operator.gold("price", "set", ...argv);
  const shown = () => operator.done("price", "show");

  it("set changes only the given options", async () => {
    await operator.done("price", "set", "--mid", "500", "--spread", "60", "--stale-after", "20");
    const before = await shown();
    assertEquals([before.source, before.url, before.mid, before.buy_price, before.sell_price], [
      "fixed",
      null,
      "500",
      "501.5",
      "498.5",
    ]);
    assertEquals([before.spread_basis_points, before.stale_after_seconds, before.stale], [60, 20, false]);
    const wider = await operator.done("price", "set", "--spread", "100");
    assertEquals([wider.mid, wider.buy_price, wider.sell_price, wider.stale_after_seconds], [
      "500",
      "502.5",
      "497.5",
      20,
    ]);
    assertEquals((await operator.done("price", "set", "--mid", "400")).spread_basis_points, 100);
    assertEquals((await operator.done("price", "set", "--source", "simulated")).mid, "400");
    assertEquals((await operator.done("price", "set", "--mid", "450")).source, "fixed");
  });

  it("set to a new http source shows no price until the source supplies a price", async () => {
    await operator.done("price", "set", "--mid", "500");
    const http = await operator.done("price", "set", "--source", "http", "--url", URL_OF_PRICES);
    assertEquals([http.source, http.url, http.mid, http.buy_price, http.as_of, http.stale], [
      "http",
      URL_OF_PRICES,
      null,
      null,
      null,
      true,
    ]);
    const reply = await operator.service.send("/v1/prices", { method: "GET" });
    assertEquals(reply.status, 503);
    const { sql } = operator.service.books;
    await sql`update gold.price set as_of = clock_timestamp() - interval '3 seconds', mid = 6000000`;
    const [ticked] = await sql`select as_of from gold.price`;
    const wider = await operator.done("price", "set", "--spread", "50");
    assertEquals([wider.mid, wider.as_of], ["600", ticked!.as_of.toISOString()]);
    const elsewhere = await operator.done("price", "set", "--url", "https://other.example/gold");
    assertEquals([elsewhere.mid, elsewhere.stale], [null, true]);
    refused(await set("--source", "fixed"), 2, "--mid is missing");
    refused(await set("--source", "simulated"), 2, "--mid is missing");
    refused(await set("--source", "http", "--mid", "5"), 2, "--mid");
    assertEquals((await operator.done("price", "set", "--mid", "500")).url, null);
  });

  it("set requires --mid for the first price, except with an http source", async () => {
    const { sql } = operator.service.books;
    await sql`delete from gold.price`;
    refused(await operator.gold("price", "show"), 1, "gold price set");
    refused(await set("--spread", "10"), 2, "--mid is missing");
    refused(await set("--open", "always"), 1, "no price has been set yet");
    const http = await operator.done("price", "set", "--source", "http", "--url", URL_OF_PRICES);
    assertEquals([http.buy_price, http.stale, http.spread_basis_points], [null, true, 60]);
    await operator.done("price", "set", "--mid", "500");
  });

  it("set accepts only https URLs of public hosts, unless PRICE_SOURCE_ALLOW permits others", async () => {
    const of = (url: string) => set("--source", "http", "--url", url);
    const internal = [
      "http://127.0.0.1:8080/p",
      "http://[::1]:8080/",
      "http://localhost/p",
      "https://10.1.2.3/",
    ];
    for (
      const url of [
        ...internal,
        "http://prices.example",
        "https://prices.example:9443",
        "https://169.254.169.254/",
      ]
    ) {
      refused(await of(url), 2, "PRICE_SOURCE_ALLOW");
    }
    for (
      const url of [
        "ftp://prices.example",
        "x",
        "https://user:pw@prices.example",
        "https://prices.example/#a",
        "http://127.0.0.1.example/",
      ]
    ) refused(await of(url), 2, "--url");
    refused(await set("--url", URL_OF_PRICES), 2, "--source http");
    refused(await set("--source", "http"), 2, "--url is missing");
    const allowed = (PRICE_SOURCE_ALLOW: string, url: string) =>
      runGold(["price", "set", "--source", "http", "--url", url, "--json"], {
        env: { ...operator.env, PRICE_SOURCE_ALLOW },
      });
    for (const url of internal) {
      assertEquals((await allowed("127.0.0.1 ::1 10.1.0.0/16", url)).exit, 0, url);
    }
    assertEquals((await allowed("feed.internal:8080", "http://feed.internal:8080/p")).exit, 0);
    assertEquals((await allowed("feed.internal:8080", "http://feed.internal:8081/p")).exit, 2);
    refused(await allowed("feed.internal", URL_OF_PRICES), 2, 'PRICE_SOURCE_ALLOW has "feed.internal"');
    await operator.done("price", "set", "--mid", "500");
  });

  it("set keeps the changes of both people who run it at the same time", async () => {
    const { sql } = operator.service.books;
    await operator.done("price", "set", "--mid", "500", "--spread", "60");
    const runs = await sql.begin(async (transaction) => {
      await transaction`select from gold.price for update`;
      const both = [set("--spread", "100"), operator.colleague.gold("price", "set", "--mid", "400")];
      await untilWaiting(both.length);
      return both;
    });
    for (const { exit, err } of await Promise.all(runs)) assertEquals(exit, 0, err);
    const after = await shown();
    assertEquals([after.mid, after.spread_basis_points], ["400", 100]);
    await operator.done("price", "set", "--mid", "500", "--spread", "60");
  });

  async function untilWaiting(commands: number): Promise<void> {
    await until(async () => {
      const rows = await operator.service.books.sql`
        select from pg_stat_activity
        where datname = current_database() and application_name = 'gold' and wait_event_type = 'Lock'`;
      return rows.length === commands;
    });
  }

  it("set --open sets the market hours, and the service obeys them", async () => {
    const quote = () => operator.service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":1}' });
    const closed = await operator.done("price", "set", "--open", "never");
    assertEquals([closed.market, closed.market_hours, closed.mid], ["closed", ["never"], "500"]);
    assertEquals((await (await quote()).json() as { code: string }).code, "market_closed");
    const days = await operator.done("price set --open", "sun-thu 10:00-15:00", "--open", "sat 00:00-24:00");
    assertEquals(days.market_hours, ["sun-thu 10:00-15:00", "sat 00:00-24:00"]);
    const open = await operator.done("price", "set", "--open", "sat-fri 00:00-24:00");
    assertEquals([open.market, open.market_hours], ["open", ["sun-sat 00:00-24:00"]]);
    assertEquals((await quote()).status, 201);
    refused(await set("--open", "someday"), 2, "--open");
    assertEquals((await operator.done("price", "set", "--open", "always")).market_hours, ["always"]);
    refused(await set(), 2, "nothing to set");
  });
});
