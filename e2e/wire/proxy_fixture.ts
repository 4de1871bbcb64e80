import type { Duplex } from "node:stream";
import { assertEquals } from "@std/assert";
import { type TestGateway, testGateway } from "../fixtures/gateway.ts";
import {
  type Client,
  type RequestCase,
  sendBytes,
  type Service,
  startService,
  type TestService,
  testService,
  verdictsOf,
} from "@gold-partner/server/testing";

const REQUEST_ID = /\r\nx-request-id: req_/i;
const SHOWN = 1000;
/**
 * Cases run in parallel to save time, because each refused connection stays open for a moment so that the
 * client can read the refusal.
 */
const AT_ONCE = 8;
/** How long the client waits before it concludes that no answer comes. */
const SILENCE = { silenceMs: 2000, quietMs: 2000 };

/** The service on its socket, and the gateway or Envoy in front of it. */
export interface TestProxy {
  readonly fixture: TestService;
  open: TestGateway["open"];
  /**
   * A client that connects through the proxy. It also gets its token through the proxy, because the service
   * binds the token to the client's certificate.
   */
  client(): Promise<Client>;
  stop(): Promise<void>;
}

export async function openTestProxy(proxy: "gateway" | "envoy"): Promise<TestProxy> {
  const fixture = await testService();
  const service: Service = await startService(fixture.config, () => {});
  const { open, stop } = await testGateway(fixture, proxy);
  const { clientId, clientSecret } = fixture.partner;
  return {
    fixture,
    open,
    async client() {
      const form = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;
      const head = ["POST /oauth/token HTTP/1.1", "Host: localhost", "Connection: close"];
      head.push("Content-Type: application/x-www-form-urlencoded", `Content-Length: ${form.length}`);
      const received = await sendBytes(await open(), [...head, "", form].join("\r\n"));
      const token = /"access_token":"([^"]+)"/.exec(received)![1]!;
      return { identity: [], clientId, clientSecret, token };
    },
    async stop() {
      await stop();
      await service.stop();
      await fixture.stop();
    },
  };
}

/** Throws unless each request gets its expected verdict, and no second reply. */
export async function testCases(
  cases: readonly RequestCase[],
  open: () => Duplex | Promise<Duplex>,
): Promise<void> {
  const wrong: string[] = [];
  const queue = cases.values();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (const { text, verdict } of queue) {
      const received = await sendBytes(await open(), text, verdict === "none" ? SILENCE : undefined);
      if (fits(received, verdict)) continue;
      wrong.push(`${JSON.stringify(text.slice(0, SHOWN))}: ${received.slice(0, SHOWN)}, not ${verdict}`);
    }
  }));
  assertEquals(wrong, []);
}

function fits(received: string, verdict: string): boolean {
  if (verdict === "none") return !received.includes("HTTP/1.1");
  const verdicts = verdictsOf(received);
  return verdicts.length === 1 && verdicts[0] === verdict && REQUEST_ID.test(received);
}
