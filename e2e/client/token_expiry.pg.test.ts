import { after, before, describe, it } from "node:test";
import { GoldClient, type Transport, type TryReport } from "@gold-partner/client";
import { type TestService, testService } from "@gold-partner/server/testing";
import { assertEquals } from "@std/assert";

/** Ten minutes and a second: longer than a token lives. */
const LONG_MS = 601_000;
/**
 * How far the client's clock is behind. Within the window of signed requests, and long enough that the
 * expired token still looks valid to the client.
 */
const LATE_MS = 201_000;

/**
 * Sends requests directly to the service, in the form in which the proxy forwards them. The service runs in
 * this process, so that the test can shift its clock.
 */
function directTransport(service: TestService): Transport {
  const absent = { Authorization: null, "Idempotency-Key": null };
  return {
    async send({ method, url, headers, body }) {
      const { pathname, search } = new URL(url);
      const sending = { method, headers: { ...absent, ...headers }, ...(body ? { body } : {}) };
      const reply = await service.send(pathname + search, sending);
      return {
        status: reply.status,
        headers: reply.headers,
        body: new Uint8Array(await reply.arrayBuffer()),
      };
    },
    close() {},
  };
}

describe("GoldClient, when its token expires mid-flight", () => {
  let service: TestService;

  before(async () => {
    service = await testService();
    await service.books.addBar(1_000_000n);
  });

  after(() => service?.stop());

  it("fetches one token for all rejected calls, and executes each order once", async () => {
    const { clientId, clientSecret, signingKey } = service.partner;
    const reports: TryReport[] = [];
    let lateMs = 0;
    const client = await GoldClient.open({
      ...{ baseUrl: service.config.publicBaseUrl, clientId, clientSecret },
      signingKey: JSON.stringify(signingKey.privateJwk),
      transport: directTransport(service),
      now: () => service.now() - lateMs,
      observe: (report) => reports.push(report),
    });
    await client.fundSandbox({ amount_sar: "100000" });
    const quotes = await Promise.all(
      Array.from({ length: 10 }, () => client.createQuote({ side: "buy", gold_grams: "1" })),
    );
    reports.length = 0;
    service.shiftClock(LONG_MS);
    lateMs = LATE_MS;
    const orders = await Promise.all(quotes.map(({ quote_id }) => client.placeOrder({ quote_id })));
    assertEquals(new Set(orders.map(({ order_id }) => order_id)).size, 10);
    const reported = reports.map(({ operation, status, code }) => `${operation} ${code ?? status}`);
    assertEquals(reported.sort(), [
      ...Array.from({ length: 10 }, () => "createOrder 201"),
      ...Array.from({ length: 10 }, () => "createOrder token_expired"),
      "issueToken 200",
    ]);
    assertEquals(`${(await client.getBalances()).gold.grams}`, "10");
  });
});
