import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "node:test";
import process from "node:process";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FORBIDDEN_ADDRESSES } from "../../http/outbound/forbidden_fixture.ts";
import { SourceError, type StandingPrice } from "./price_source.ts";
import { checkPriceUrl, httpSource } from "./price_source_http.ts";
import { standingAt, type TestFeed, testFeed } from "./price_source_fixture.ts";
import { setUp } from "../../../testing/set_up.ts";

const NOTHING = { hosts: [], ranges: [] };
const LOOPBACK = { hosts: [], ranges: ["127.0.0.0/8", "::1/128"] };
const TIMEOUT_MS = 400;
/** For tests that expect an answer. Even a busy machine must answer before this timeout. */
const LONG_TIMEOUT_MS = 30_000;

describe("httpSource()", () => {
  const feed = setUp(testFeed);

  const running = new AbortController().signal;
  const ask = (changes: Partial<StandingPrice> = {}, timeoutMs = LONG_TIMEOUT_MS) =>
    httpSource({ now: Date.now, allow: LOOPBACK }, timeoutMs).next(standingAt(feed.url, changes), running);
  const reasonFor = async (
    answer: Parameters<TestFeed["says"]>[0],
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

  it("reads the price exactly in every number notation, and ignores unknown members", async () => {
    for (const spelling of ["321.5", "321.5000", "3215e-1", "3.215E2"]) {
      feed.says(pricedAt(spelling));
      assertEquals(await ask(), { midPips: 3_215_000n, asOf: null });
    }
    feed.says('{"source":"LBMA","price_per_gram_sar":321.0001,"as_of":null}');
    assertEquals(await ask(), { midPips: 3_210_001n, asOf: null });
  });

  it("returns the source's own instant, and ignores a price older than the current price", async () => {
    const asOf = Date.now() - 5000;
    feed.says(pricedAt("321", asOf));
    assertEquals(await ask(), { midPips: 3_210_000n, asOf: new Date(asOf).toISOString() });
    feed.says(pricedAt("321", Date.now() - 61_000));
    assertEquals(await ask(), undefined);
    feed.says(pricedAt("321", Date.now() + 5000));
    assert(await ask());
  });

  it("refuses invalid JSON, a missing number and an invalid price", async () => {
    const texts = [
      "",
      "hello",
      "<html>",
      "{",
      '{"price_per_gram_sar":NaN}',
      pricedAt("0321.5"),
      "\ufeff{}",
    ];
    for (const text of texts) {
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

  it("refuses an as_of in the future and an invalid as_of", async () => {
    assertEquals(await reasonFor(pricedAt("321", Date.now() + 60_000)), "as_of_in_the_future");
    for (const asOf of ['"yesterday"', '"2026-02-30T00:00:00.000Z"', "1700000000", "true", '""']) {
      assertEquals(await reasonFor(`{"price_per_gram_sar":321,"as_of":${asOf}}`), "as_of_invalid", asOf);
    }
  });

  it("accepts only status 200, and follows no redirect", async () => {
    for (const status of [204, 404, 500, 503]) {
      assertEquals(await reasonFor((reply) => reply.writeHead(status).end()), `status_${status}`);
    }
    const before = feed.requestCount();
    for (const status of [301, 302, 307, 308]) {
      const redirect = await reasonFor((reply) =>
        reply.writeHead(status, { Location: feed.url }).end(pricedAt("321"))
      );
      assertEquals(redirect, `status_${status}`);
    }
    assertEquals(feed.requestCount() - before, 4);
  });

  it("stops at its timeout, before the first byte and in the middle of a reply", async () => {
    const startedMs = performance.now();
    const hurried = (answer: Parameters<TestFeed["says"]>[0]) => reasonFor(answer, {}, TIMEOUT_MS);
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

  it("reads at most 64 KiB, even if the source keeps sending", async () => {
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

  it("reports unreachable if the connection is refused or lost, or an https feed has no TLS", async () => {
    assertEquals(await reasonFor((reply) => reply.socket!.destroy()), "unreachable");
    assertEquals(
      await reasonFor((reply) => (reply.write("{"), void setTimeout(() => reply.socket!.destroy(), 20))),
      "unreachable",
    );
    assertEquals(
      await reasonFor(pricedAt("321"), { url: feed.url.replace("http:", "https:") }),
      "unreachable",
    );
    const gone = await testFeed();
    await gone.stop();
    assertEquals(await reasonFor(pricedAt("321"), { url: gone.url }), "unreachable");
  });

  it("ends at once when the service stops", async () => {
    feed.says(() => {});
    const stopping = new AbortController();
    const waiting = assertRejects(
      () => httpSource({ now: Date.now, allow: LOOPBACK }).next(standingAt(feed.url), stopping.signal),
      SourceError,
    );
    setTimeout(() => stopping.abort(), 50);
    await waiting;
  });

  describe("and forbidden addresses", () => {
    type Options = Partial<Parameters<typeof httpSource>[0]>;
    /**
     * Returns the price, or the reason why the source gave no price. The source requests no internal address,
     * unless `options` allow the address.
     */
    const outcome = async (url: string, options: Options = {}, timeoutMs = LONG_TIMEOUT_MS) => {
      feed.says(pricedAt("321"));
      const source = httpSource({ now: Date.now, allow: NOTHING, ...options }, timeoutMs);
      return await source.next(standingAt(url), running).then(
        (price) => price?.midPips,
        (error: SourceError) => error.reason,
      );
    };
    const port = () => Number(new URL(feed.url).port);
    const leadsTo = (...addresses: string[]) => () => Promise.resolve(addresses);

    it("refuses every non-public address in the URL or behind its name, without a request", async () => {
      const before = feed.requestCount();
      for (const address of FORBIDDEN_ADDRESSES) {
        const host = address.includes(":") ? `[${address}]` : address;
        assertEquals(await outcome(`https://${host}/`), "address_forbidden", address);
        for (const addresses of [[address], ["8.8.8.8", address]]) {
          const resolve = leadsTo(...addresses);
          assertEquals(await outcome("https://feed.example/", { resolve }), "address_forbidden", address);
        }
      }
      for (const url of [feed.url, `http://localhost:${port()}/`, `https://localhost:${port()}/`]) {
        assert(["url_invalid", "port_forbidden"].includes(`${await outcome(url)}`), url);
      }
      assertEquals(feed.requestCount(), before);
    });

    it("reaches an internal feed that is allowed by host and port or by range, also over http", async () => {
      const resolve = leadsTo("127.0.0.1");
      const url = `http://feed.internal:${port()}/gold`;
      for (const entry of [{ hosts: [`feed.internal:${port()}`], ranges: [] }, LOOPBACK]) {
        assertEquals(await outcome(url, { resolve, allow: entry }), 3_210_000n);
      }
      const others = [
        { hosts: [`feed.internal:${port() + 1}`], ranges: [] },
        { hosts: [`other.internal:${port()}`], ranges: [] },
        { hosts: [], ranges: ["127.0.0.2/32", "10.0.0.0/8"] },
      ];
      const before = feed.requestCount();
      for (const allow of others) {
        assert(["url_invalid", "address_forbidden"].includes(`${await outcome(url, { resolve, allow })}`));
      }
      // All addresses of a name must be allowed, not only one.
      const mixed = leadsTo("127.0.0.1", "10.0.0.1");
      assertEquals(await outcome(url, { resolve: mixed, allow: LOOPBACK }), "address_forbidden");
      assertEquals(feed.requestCount(), before);
    });

    it("connects to the checked address, even if the name resolves differently later", async () => {
      let times = 0;
      const resolve = () => Promise.resolve([times++ === 0 ? "127.0.0.1" : "10.255.255.1"]);
      const url = `http://feed.internal:${port()}/gold`;
      assertEquals(await outcome(url, { resolve, allow: LOOPBACK }), 3_210_000n);
      assertEquals(times, 1);
    });

    it("ignores proxy variables of the environment", async () => {
      const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"];
      for (const name of names) process.env[name] = "http://127.0.0.1:9";
      process.env.NODE_USE_ENV_PROXY = "1";
      try {
        assertEquals(await outcome(feed.url, { allow: LOOPBACK }), 3_210_000n);
      } finally {
        for (const name of [...names, "NODE_USE_ENV_PROXY"]) delete process.env[name];
      }
    });

    it("stops at its timeout if the name server does not answer", async () => {
      const resolve = () => new Promise<never>(() => {});
      assertEquals(await outcome("https://feed.example/", { resolve }, TIMEOUT_MS), "timeout");
    });

    it("never requests a URL that checkPriceUrl() refuses by its form", async () => {
      const urls = ["https://prices.example/", "https://prices.example:8443/p?x=1", "https://8.8.8.8/"];
      for (const url of urls) {
        assertEquals(await checkPriceUrl(url, NOTHING), undefined, url);
      }
      for (
        const url of [
          ...["", "prices", "http://prices.example/", "http://127.0.0.1/", "http://localhost.example/"],
          ...["file:prices.json", "https://a:b@prices.example/", "https://prices.example/#x"],
          ...[
            "https://prices.example:22/",
            "https://10.0.0.1/",
            "https://0x7f.1/",
            "https://[::ffff:10.0.0.1]/",
          ],
        ]
      ) {
        const fault = await checkPriceUrl(url, NOTHING) ?? "";
        assert(fault.startsWith("The price source's "), `${url}: ${fault}`);
        assertStringIncludes(fault, "PRICE_SOURCE_ALLOW");
        const reason = await outcome(url, { resolve: leadsTo("8.8.8.8") });
        assert(/^(url_invalid|port_forbidden|address_forbidden)$/.test(`${reason}`), `${url}: ${reason}`);
      }
    });
  });
});
