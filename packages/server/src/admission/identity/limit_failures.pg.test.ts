import { randomBytes } from "node:crypto";
import { after, afterEach, before, describe, it } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { addTestCertificate, newTestKey, type TestPartner } from "../../../testing/partner.ts";
import { expectProblem } from "../../../testing/problem.ts";
import { type Sending, suiteService } from "../../../testing/service.ts";

const BURST = 100;
const POLICY = `"authentication_failures";q=${BURST};w=${BURST}`;

describe("failed authentications, counted per certificate", () => {
  /** The limiter's time moves only when a test moves it. */
  const systemNow = performance.now;
  let clockMs = performance.now();
  before(() => void (performance.now = () => clockMs));
  after(() => void (performance.now = systemNow));
  const service = suiteService();
  afterEach(() => service.shiftClock(0));

  const prices = (partner: TestPartner, authorization?: string | null, headers: Sending["headers"] = {}) =>
    service.send("/v1/prices", {
      method: "GET",
      partner,
      headers: { ...headers, ...(authorization === undefined ? {} : { Authorization: authorization }) },
    });
  const askToken = (partner: TestPartner, changes: Record<string, string> = {}, headers = {}) =>
    service.send("/oauth/token", {
      partner,
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: partner.clientId,
        client_secret: partner.clientSecret,
        ...changes,
      }).toString(),
      headers: { Authorization: null, "Content-Type": "application/x-www-form-urlencoded", ...headers },
    });
  async function statusesOf(times: number, send: () => Promise<Response>): Promise<number[]> {
    const statuses: number[] = [];
    while (statuses.length < times) statuses.push((await send()).status);
    return statuses;
  }
  /** Adds a partner and uses up the failures that its certificate may have. */
  async function exhausted(): Promise<TestPartner> {
    const partner = await service.addPartner();
    const statuses = await statusesOf(BURST, () => prices(partner, "Bearer x"));
    assertEquals(new Set(statuses), new Set([401]));
    return partner;
  }

  it("answers the 101st bad token with 429, and the next after Retry-After with token_invalid", async () => {
    const partner = await exhausted();
    const statuses = await statusesOf(1100, () => prices(partner, "Bearer x"));
    assertEquals(new Set(statuses), new Set([429]));
    const refused = await prices(partner, "Bearer x");
    const { headers } = refused;
    assertEquals([headers.get("RateLimit-Policy"), headers.get("RateLimit")], [
      POLICY,
      '"authentication_failures";r=0;t=1',
    ]);
    assertEquals([headers.get("Retry-After"), headers.has("WWW-Authenticate")], ["1", false]);
    const { detail } = await expectProblem(refused, "rate_limited");
    assertStringIncludes(detail, "failed authentication");
    clockMs += 1000;
    await expectProblem(prices(partner, "Bearer x"), "token_invalid");
    await expectProblem(prices(partner, "Bearer x"), "rate_limited");
  });

  it("accepts a valid token and a valid secret after the certificate has used up its failures", async () => {
    const partner = await exhausted();
    for (let round = 0; round < 3; round++) {
      assertEquals((await askToken(partner)).status, 200);
      const reply = await prices(partner);
      assertEquals(reply.status, 200);
      // This checks the partner's own rate limit, not the limit of failures.
      assert(reply.headers.get("RateLimit-Policy")!.startsWith('"default"'));
      await expectProblem(prices(partner, "Bearer x"), "rate_limited");
    }
  });

  it("does not affect the partner's other certificates or other partners", async () => {
    const partner = await exhausted();
    const renewed = randomBytes(32).toString("hex");
    await addTestCertificate(service.books.sql, partner.clientId, renewed);
    const second = { "X-Forwarded-Client-Cert": `Hash=${renewed}` };
    await expectProblem(prices(partner, "Bearer x", second), "token_invalid");
    await expectProblem(prices(await service.addPartner(), "Bearer x"), "token_invalid");
  });

  it("counts every 401 of the token step, at any endpoint that takes a token", async () => {
    const other = await service.addPartner();
    const stolen = `Bearer ${await service.token(other)}`;
    const failures: Record<string, (partner: TestPartner) => Promise<Response>> = {
      token_missing: (partner) => prices(partner, null),
      token_certificate_mismatch: (partner) => prices(partner, stolen),
      token_expired: async (partner) => {
        const token = `Bearer ${await service.token(partner)}`;
        service.shiftClock(601_000);
        return await prices(partner, token);
      },
      token_invalid: (partner) =>
        service.send("/sandbox/fund", { partner, headers: { Authorization: "Bearer x" } }),
    };
    for (const [code, fail] of Object.entries(failures)) {
      const partner = await service.addPartner();
      await service.token(partner);
      await statusesOf(BURST - 1, () => prices(partner, "Bearer x"));
      await expectProblem(fail(partner), code as "token_missing");
      await expectProblem(prices(partner, "Bearer x"), "rate_limited");
      service.shiftClock(0);
    }
  });

  it("counts failures at the token endpoint, and refuses there in OAuth's error format", async () => {
    const partner = await exhausted();
    const answers = [
      await askToken(partner, { client_secret: "wrong" }),
      await askToken(partner, { client_id: "sbx_aaaaaaaaaaaaaaaaaaaa" }),
      await askToken(partner, { client_id: service.partner.clientId }),
      await askToken(partner, {}, { Authorization: "Basic eA==" }),
    ];
    for (const reply of answers) {
      const { error, code, error_description } = await reply.json() as Record<string, string>;
      assertEquals([reply.status, error, code], [429, "temporarily_unavailable", "rate_limited"]);
      assertStringIncludes(error_description!, "failed authentication");
      assertEquals([reply.headers.get("RateLimit-Policy"), reply.headers.get("Retry-After")], [POLICY, "1"]);
    }
    const fresh = await service.addPartner();
    assertEquals((await askToken(fresh, { client_secret: "wrong" })).status, 401);
    await statusesOf(BURST - 1, () => prices(fresh, "Bearer x"));
    await expectProblem(prices(fresh, "Bearer x"), "rate_limited");
  });

  it("does not count an invalid token request or an invalid signature", async () => {
    const partner = await service.addPartner();
    await statusesOf(BURST - 1, () => prices(partner, "Bearer x"));
    assertEquals((await askToken(partner, { grant_type: "password" })).status, 400);
    const stranger = await newTestKey();
    const forged = await service.signed("/v1/orders", '{"quote_id":"qt_none"}', { partner, key: stranger });
    await expectProblem(forged, "signature_invalid");
    await expectProblem(prices(partner, "Bearer x"), "token_invalid");
    await expectProblem(prices(partner, "Bearer x"), "rate_limited");
  });
});
