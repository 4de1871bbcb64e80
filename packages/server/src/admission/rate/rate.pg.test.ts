import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { expectProblem } from "../../../testing/problem.ts";
import { type Sending, suiteService } from "../../../testing/service.ts";
import type { TestPartner } from "../../../testing/partner.ts";
import type { RateTerms } from "./rate_limiter.ts";

describe("rate limits, through the service", () => {
  /**
   * Only the tests move the limiter's clock, because on a slow machine a real second could pass between two
   * requests.
   */
  const systemNow = performance.now;
  let clockMs = performance.now();
  before(() => void (performance.now = () => clockMs));
  after(() => void (performance.now = systemNow));
  const service = suiteService();
  before(() => service.books.addBar(1_000_000n));

  /** Moves the clock until the requests that were made under wide limits no longer count. */
  const payBack = () => void (clockMs += 1000);

  /**
   * Adds a partner that gets its token and then the given limits, because these may be too low for the token
   * request.
   */
  async function partnerWith(terms: RateTerms): Promise<TestPartner> {
    const partner = await service.addPartner();
    await service.token(partner);
    payBack();
    await setTerms(partner, terms);
    return partner;
  }
  async function setTerms({ client }: TestPartner, { perSecond, burst }: RateTerms): Promise<void> {
    const { sql } = service.books;
    await sql`update gold.partner set rate_per_second = ${perSecond}, burst = ${burst} where id = ${client}`;
    await sql`update gold.registry_version set version = version + 1`;
    await service.refresh();
  }
  const health = (partner: TestPartner, sending: Sending = {}) =>
    service.send("/health", {
      ...sending,
      method: "GET",
      partner,
      headers: { Authorization: null, ...sending.headers },
    });
  const left = (reply: Response) =>
    Number(/^"default";r=(\d+);t=1$/.exec(reply.headers.get("RateLimit") ?? "")?.[1]);
  const wait = (reply: Response) => void (clockMs += Number(reply.headers.get("Retry-After")) * 1000);

  it("allow a burst and refuse the next request, which succeeds after Retry-After", async () => {
    const partner = await partnerWith({ perSecond: 1, burst: 3 });
    const replies = [
      await health(partner),
      await health(partner),
      await health(partner),
      await health(partner),
    ];
    assertEquals(replies.map(({ status }) => status), [200, 200, 200, 429]);
    assertEquals(replies.map(left), [2, 1, 0, 0]);
    for (const { headers } of replies) assertEquals(headers.get("RateLimit-Policy"), '"default";q=3;w=3');
    const refused = replies[3]!;
    assertEquals(refused.headers.get("Retry-After"), "1");
    const { detail } = await expectProblem(refused, "rate_limited");
    assertStringIncludes(detail, "Your rate is 1 a second with a burst of 3");
    wait(refused);
    assertEquals((await health(partner)).status, 200);
  });

  it("use a monotonic clock, not the service's time, which may jump with the database's time", async () => {
    const partner = await partnerWith({ perSecond: 1, burst: 1 });
    await health(partner);
    for (const aheadMs of [1_000_000, -10_000]) {
      service.shiftClock(aheadMs);
      assertEquals((await health(partner)).status, 429);
    }
    service.shiftClock(0);
  });

  it("do not affect other partners", async () => {
    const [busy, calm] = [
      await partnerWith({ perSecond: 1, burst: 1 }),
      await partnerWith({ perSecond: 1, burst: 1 }),
    ];
    for (const status of [200, 429, 429, 429]) assertEquals((await health(busy)).status, status);
    assertEquals((await health(calm)).status, 200);
  });

  it("apply changed limits from the registry's next snapshot on", async () => {
    const partner = await partnerWith({ perSecond: 1, burst: 1 });
    await health(partner);
    assertEquals((await health(partner)).status, 429);
    await setTerms(partner, { perSecond: 60, burst: 200 });
    const reply = await health(partner);
    assertEquals([reply.status, reply.headers.get("RateLimit-Policy")], [200, '"default";q=200;w=4']);
    await setTerms(partner, { perSecond: 1, burst: 1 });
    await health(partner);
    assertEquals((await health(partner)).status, 429);
  });

  it("count every request once, for all endpoints together, whatever its status", async () => {
    const partner = await partnerWith({ perSecond: 1, burst: 100 });
    const form = { headers: { Authorization: null, "Content-Type": "application/x-www-form-urlencoded" } };
    const replies = [
      await health(partner),
      await service.send("/.well-known/jwks.json", { method: "GET", partner }),
      await service.send("/v1/prices", { method: "GET", partner }),
      await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":1}', partner }),
      await service.send("/v1/quotes", { body: "{", partner }),
      await service.signed("/v1/orders", '{"quote_id":"qt_none"}', { partner }),
      await service.signed("/v1/signed-probe", "any", { partner }),
      await service.send("/sandbox/fund", { body: '{"amount_sar":10}', partner }),
      await service.send("/oauth/token", { ...form, body: "grant_type=password", partner }),
      await service.send("/v1/made-up", { method: "GET", partner }),
      await service.send("/v1/prices", { method: "PUT", partner }),
    ];
    assertEquals(replies.map(({ status }) => status), [
      200,
      200,
      200,
      201,
      400,
      404,
      200,
      201,
      400,
      404,
      405,
    ]);
    assertEquals(replies.map(left), replies.map((_, index) => 99 - index));
  });

  it("do not count a request that fails an earlier check", async () => {
    const partner = await partnerWith({ perSecond: 1, burst: 1 });
    const strays = [
      await health(partner, { headers: { "X-Client-Ip": "192.0.2.1" } }),
      await health(partner, { headers: { "X-Forwarded-Client-Cert": `Hash=${"0".repeat(64)}` } }),
      await health(partner, { target: "//health" }),
      await service.send("/v1/prices", { method: "GET", partner, headers: { Authorization: null } }),
      await service.send("/v1/prices", { method: "GET", partner, headers: { Authorization: "Bearer x" } }),
      await service.send("/sandbox/fund", { partner, headers: { Authorization: "Bearer x" } }),
    ];
    assertEquals(strays.map(({ status }) => status), [403, 403, 400, 401, 401, 401]);
    for (const { headers } of strays) {
      assertEquals([headers.has("RateLimit"), headers.has("RateLimit-Policy")], [false, false]);
    }
    assertEquals((await health(partner)).status, 200);
  });

  it("are checked after the token and before size and media type", async () => {
    const partner = await partnerWith({ perSecond: 1, burst: 1 });
    await health(partner);
    const spoilt = { body: "x".repeat(100_000), headers: { "Content-Type": "text/plain" }, partner };
    await expectProblem(service.send("/v1/quotes", spoilt), "rate_limited");
    const stranger = { ...spoilt, headers: { Authorization: "Bearer x" } };
    for (const path of ["/v1/quotes", "/sandbox/fund"]) {
      await expectProblem(service.send(path, stranger), "token_invalid");
    }
    // Send no token, because /sandbox/fund needs none.
    const anybody = { ...spoilt, headers: { Authorization: null } };
    await expectProblem(service.send("/sandbox/fund", anybody), "rate_limited");
  });

  it("count a write only once if its admission is repeated", async () => {
    const partner = await partnerWith({ perSecond: 1, burst: 1 });
    const { sql } = service.books;
    await sql`update gold.account set admission_version = admission_version + 1 where client_id = ${partner.client}`;
    await sql`update gold.registry_version set version = version + 1`;
    const reply = await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":1}', partner });
    assertEquals([reply.status, left(reply)], [201, 0]);
  });

  it("do not use up a refused order's key and nonce, so the same order succeeds afterwards", async () => {
    const partner = await service.addPartner();
    await service.send("/sandbox/fund", { body: '{"amount_sar":1000}', partner });
    const quoted = await service.send("/v1/quotes", { body: '{"side":"buy","gold_grams":1}', partner });
    const { quote_id } = await quoted.json() as { quote_id: string };
    const order = { partner, nonce: randomUUID(), headers: { "Idempotency-Key": randomUUID() } };
    payBack();
    await setTerms(partner, { perSecond: 1, burst: 1 });
    await health(partner);
    const refused = await service.signed("/v1/orders", JSON.stringify({ quote_id }), order);
    await expectProblem(refused.clone(), "rate_limited");
    wait(refused);
    const executed = await service.signed("/v1/orders", JSON.stringify({ quote_id }), order);
    assertEquals([executed.status, executed.headers.get("Idempotent-Replayed")], [201, null]);
  });

  it("answer in OAuth's error format at the token endpoint", async () => {
    const partner = await partnerWith({ perSecond: 1, burst: 1 });
    const { clientId, clientSecret } = partner;
    const ask = () =>
      service.send("/oauth/token", {
        partner,
        body: new URLSearchParams({
          grant_type: "client_credentials",
          client_id: clientId,
          client_secret: clientSecret,
        }).toString(),
        headers: { Authorization: null, "Content-Type": "application/x-www-form-urlencoded" },
      });
    const granted = await ask();
    assertEquals([granted.status, left(granted)], [200, 0]);
    const refused = await ask();
    const { error, code, error_description } = await refused.json() as Record<string, string>;
    assertEquals([refused.status, error, code], [429, "temporarily_unavailable", "rate_limited"]);
    assertStringIncludes(error_description!, "burst of 1");
    assertEquals([refused.headers.get("Retry-After"), left(refused)], ["1", 0]);
    wait(refused);
    assertEquals((await ask()).status, 200);
  });
});
