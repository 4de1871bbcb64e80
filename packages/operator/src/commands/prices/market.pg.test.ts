import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { until } from "../../../../../tools/testing/until.ts";
import { assertRefused as refused, type TestOperator, testOperator } from "../fixture.ts";

describe("gold market", () => {
  let operator: TestOperator;
  before(async () => {
    operator = await testOperator();
    await operator.done("price", "set", "--mid", "500", "--source", "simulated");
  });
  after(() => operator.stop());

  const set = (...argv: string[]) => operator.gold("market", "set", ...argv);
  const shown = () => operator.done("market", "show");
  /** Without the price, which the source changes every second. */
  const settings = async () => ({ ...await shown(), mid: null });

  it("set changes only the given options, and show prints them", async () => {
    const before = await shown();
    assertEquals([before.market, before.breaker_percent, before.exposure, before.net_today], [
      "open",
      "off",
      "unlimited",
      "0",
    ]);
    await operator.done("market", "set", "--breaker", "2.5", "--within", "60");
    await operator.done("market", "set", "--exposure", "1000.5");
    const after = await shown();
    assertEquals([after.breaker_percent, after.breaker_seconds, after.exposure, after.net_today], [
      2.5,
      60,
      "1000.5",
      "0",
    ]);
    const banded = await operator.done("market", "set", "--band", "2", "--band-hour", "5.5");
    assertEquals([banded.band_percent, banded.band_hour_percent, banded.breaker_percent], [2, 5.5, 2.5]);
    const jump = await operator.gold("price", "set", "--mid", "0.02", "--yes");
    refused(jump, 1, "the price 0.02 differs by more than 2 % from ");
    const unbanded = await operator.done("market", "set", "--band", "off");
    assertEquals([unbanded.band_percent, unbanded.band_hour_percent], ["off", null]);
    const off = await operator.done("market", "set", "--breaker", "off", "--exposure", "unlimited");
    assertEquals([off.breaker_percent, off.breaker_seconds, off.exposure], ["off", null, "unlimited"]);
  });

  it("set rejects missing and invalid options, and changes nothing", async () => {
    const before = await settings();
    refused(await set(), 2, "nothing to set");
    refused(await set("--breaker", "5"), 2, "--within");
    refused(await set("--breaker", "off", "--within", "60"), 2, "--within");
    refused(await set("--exposure", "1", "--within", "60"), 2, "--within");
    for (const percent of ["0", "-1", "101", "0.001", "x"]) {
      refused(await set(`--breaker=${percent}`, "--within", "60"), 2, "--breaker");
    }
    refused(await set("--breaker", "5", "--within", "601"), 2, "--within");
    refused(await set("--band", "2"), 2, "--band-hour");
    refused(await set("--band-hour", "2"), 2, "--band");
    refused(await set("--band", "off", "--band-hour", "2"), 2, "--band-hour");
    refused(await set("--band", "2", "--band-hour", "1.99"), 2, "--band-hour must not be below");
    for (const percent of ["0", "101", "x"]) {
      refused(await set(`--band=${percent}`, "--band-hour", "5"), 2, "--band must");
      refused(await set("--band", "2", `--band-hour=${percent}`), 2, "--band-hour must");
    }
    for (const grams of ["0", "1000000000.0001", "x"]) {
      refused(await set("--exposure", grams), 2, "--exposure");
    }
    assertEquals(await settings(), before);
  });

  it("open opens the market that the breaker closed, and refuses if it did not", async () => {
    refused(await operator.gold("market", "open", "--yes"), 1, "has not closed the market");
    await operator.done("market", "set", "--breaker", "5", "--within", "60");
    const { sql } = operator.service.books;
    // The service's own tick can come between the reading and the writing. The database then drops this one.
    await until(async () => {
      const [tick] = await sql`
        select gold.tick_price(p.ticked_at, p.url, p.spread_basis_points, p.mid * 2, p.buy * 2, p.sell * 2, null) as stored
        from gold.current_price p`;
      return tick!.stored;
    });
    const halted = await shown();
    assertEquals([halted.market, typeof halted.halted_at], ["closed", "string"]);
    assertEquals((await operator.done("price", "show")).halted_at, halted.halted_at);
    const opened = await operator.done("market", "open");
    assertEquals([opened.market, opened.halted_at], ["open", null]);
    const { items } = await operator.done("audit", "list") as unknown as { items: { action: string }[] };
    const actions = items.map(({ action }) => action).filter((action) => action.startsWith("market."));
    assertEquals(actions.sort().slice(-2), ["market.halt", "market.open"]);
  });
});
