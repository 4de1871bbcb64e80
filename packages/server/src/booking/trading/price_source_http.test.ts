import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { SourceError, type StandingPrice } from "./price_source.ts";
import { httpSource, isPriceUrl } from "./price_source_http.ts";
import { standingAt, type TrialFeed, trialFeed } from "./price_source_trial.ts";

const TIMEOUT_MS = 400;
/** Where an answer is expected: a busy machine shall not come to this one first. */
const LONG_TIMEOUT_MS = 30_000;

describe("httpSource()", () => {
  let feed: TrialFeed;
  before(async () => void (feed = await trialFeed()));
  after(() => feed.stop());

  const running = new AbortController().signal;
  const ask = (changes: Partial<StandingPrice> = {}, timeoutMs = LONG_TIMEOUT_MS) =>
    httpSource(Date.now, timeoutMs).next(standingAt(feed.url, changes), running);
  const reasonFor = async (
    answer: Parameters<TrialFeed["says"]>[0],
    changes: Partial<StandingPrice> = {},
    timeoutMs = LONG_TIMEOUT_MS,
  ) => {
    feed.says(answer);
    return (await assertRejects(() => ask(changes, timeoutMs), SourceError)).reason;
  };
  const pricedAt = (price: string, asOf?: number) =>
    `{"price_per_gram_sar":${price}${
      asOf === undefined ? "" : `,"as_of":"${new Date(asOf).toISOString()}"`
    }}`;

  it("reads the price to the digit, whatever the number's spelling, and passes over members that it does not know", async () => {
    for (const spelling of ["321.5", "321.5000", "3215e-1", "3.215E2"]) {
      feed.says(pricedAt(spelling));
      assertEquals(await ask(), { midPips: 3_215_000n, asOf: null });
    }
    feed.says('{"source":"LBMA","price_per_gram_sar":321.0001,"as_of":null}');
    assertEquals(await ask(), { midPips: 3_210_001n, asOf: null });
  });

  it("passes the source's own instant on, and finds no news in a price older than the one that stands", async () => {
    const asOf = Date.now() - 5000;
    feed.says(pricedAt("321", asOf));
    assertEquals(await ask(), { midPips: 3_210_000n, asOf: new Date(asOf).toISOString() });
    feed.says(pricedAt("321", Date.now() - 61_000));
    assertEquals(await ask(), undefined);
    feed.says(pricedAt("321", Date.now() + 5000));
    assert(await ask());
  });

  it("takes no price from garbage, from no number and from what is no price", async () => {
    for (
      const text of [
        "",
        "hello",
        "<html>",
        "{",
        '{"price_per_gram_sar":NaN}',
        pricedAt("0321.5"),
        pricedAt("1"),
        "\ufeff{}",
      ].slice(0, 6)
    ) {
      assertEquals(await reasonFor(text), "not_json", text);
    }
    assertEquals(await reasonFor('{"price_per_gram_sar":321,"price_per_gram_sar":322}'), "not_json");
    assertEquals(await reasonFor((reply) => reply.end(new Uint8Array([0x7b, 0xff, 0x7d]))), "not_json");
    for (const text of ["[]", "null", "321.5", '"321.5"']) {
      assertEquals(await reasonFor(text), "not_an_object", text);
    }
    for (const text of ["{}", '{"price_per_gram_sar":"321.5"}', '{"price_per_gram_sar":null}']) {
      assertEquals(await reasonFor(text), "price_missing", text);
    }
    for (const price of ["-321.5", "0", "-0", "321.50001", "1e400"]) {
      assertEquals(await reasonFor(pricedAt(price)), "not_a_price", price);
    }
  });

  it("does not believe a price of the future, nor an instant that is none", async () => {
    assertEquals(await reasonFor(pricedAt("321", Date.now() + 60_000)), "as_of_in_the_future");
    for (const asOf of ['"yesterday"', '"2026-02-30T00:00:00.000Z"', "1700000000", "true", '""']) {
      assertEquals(await reasonFor(`{"price_per_gram_sar":321,"as_of":${asOf}}`), "as_of_invalid", asOf);
    }
  });

  it("refuses a jump of more than a tenth either way, but takes the first price as it is", async () => {
    for (const price of ["352.0001", "287.9999", "10000", "0.0001"]) {
      assertEquals(await reasonFor(pricedAt(price)), "implausible_jump", price);
      assert(await ask({ asOf: undefined }));
    }
    for (const price of ["352", "288"]) {
      feed.says(pricedAt(price));
      assert(await ask());
    }
  });

  it("takes only a 200, and follows nobody elsewhere", async () => {
    for (const status of [204, 404, 500, 503]) {
      assertEquals(await reasonFor((reply) => reply.writeHead(status).end()), `status_${status}`);
    }
    const asked = feed.asked();
    for (const status of [301, 302, 307, 308]) {
      const redirect = await reasonFor((reply) =>
        reply.writeHead(status, { Location: feed.url }).end(pricedAt("321"))
      );
      assertEquals(redirect, `status_${status}`);
    }
    assertEquals(feed.asked() - asked, 4);
  });

  it("waits no longer than its time, for the first byte and for the last", async () => {
    const startedMs = performance.now();
    const hurried = (answer: Parameters<TrialFeed["says"]>[0]) => reasonFor(answer, {}, TIMEOUT_MS);
    assertEquals(await hurried(() => {}), "timeout");
    assertEquals(await hurried((reply) => void reply.write('{"price_per')), "timeout");
    assertEquals(
      await hurried((reply) => {
        const timer = setInterval(() => reply.write(" "), 20);
        reply.once("close", () => clearInterval(timer));
      }),
      "timeout",
    );
    assert(performance.now() - startedMs < 3 * TIMEOUT_MS + 10_000);
  });

  it("reads 64 KiB and not a byte more, however long the source goes on", async () => {
    const padded = (bytes: number) => pricedAt("321").padEnd(bytes, " ");
    feed.says(padded(65_536));
    assert(await ask());
    assertEquals(await reasonFor(padded(65_537)), "too_large");
    let closed = false;
    const endless = await reasonFor((reply) => {
      const timer = setInterval(() => reply.write(" ".repeat(16_384)), 1);
      reply.once("close", () => (closed = true, clearInterval(timer)));
    });
    assertEquals(endless, "too_large");
    for (const endMs = performance.now() + 30_000; !closed && performance.now() < endMs;) await sleep(10);
    assertEquals(closed, true);
  });

  it("survives a connection that is refused, cut off, or not what the URL says", async () => {
    assertEquals(await reasonFor((reply) => reply.socket!.destroy()), "unreachable");
    assertEquals(
      await reasonFor((reply) => (reply.write("{"), void setTimeout(() => reply.socket!.destroy(), 20))),
      "unreachable",
    );
    assertEquals(
      await reasonFor(pricedAt("321"), { url: feed.url.replace("http:", "https:") }),
      "unreachable",
    );
    const gone = await trialFeed();
    await gone.stop();
    assertEquals(await reasonFor(pricedAt("321"), { url: gone.url }), "unreachable");
  });

  it("ends at once when the service does", async () => {
    feed.says(() => {});
    const stopping = new AbortController();
    const waiting = assertRejects(
      () => httpSource(Date.now, 60_000).next(standingAt(feed.url), stopping.signal),
      SourceError,
    );
    setTimeout(() => stopping.abort(), 50);
    await waiting;
  });

  it("asks a URL by https alone, in the clear this machine's own", async () => {
    for (
      const url of [
        "https://prices.example/",
        "https://prices.example:8443/p?x=1",
        "http://127.0.0.1/",
        "http://[::1]:1/",
        "http://localhost/",
      ]
    ) {
      assertEquals(isPriceUrl(url), true, url);
    }
    const none = [
      "",
      "prices",
      "http://prices.example/",
      "http://127.0.0.2/",
      "http://localhost.example/",
      "file:prices.json",
    ];
    for (const url of [...none, "https://a:b@prices.example/", "https://prices.example/#x"]) {
      assertEquals(isPriceUrl(url), false, url);
      assertEquals(await reasonFor(pricedAt("321"), { url }), "url_not_allowed");
    }
  });
});
