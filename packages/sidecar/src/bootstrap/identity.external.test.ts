import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals } from "@std/assert";
import { after, before, describe, it } from "node:test";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import { valuesOf } from "../../../../tools/testing/raw_http.ts";

describe("the caller's identity that Envoy sends", () => {
  let fixture: TestEnvoy;
  before(async () => void (fixture = await startTestEnvoy()));
  after(() => fixture.stop());

  const arrivedWith = async (...headers: string[]) => {
    fixture.arrived.length = 0;
    const { status } = await fixture.send(request("GET /health", headers));
    assertEquals([status, fixture.arrived.length], [200, 1]);
    return fixture.arrived[0]!;
  };

  it("is sent even if the client lists the headers in Connection", async () => {
    const arrived = await arrivedWith(
      "Connection: x-client-ip, x-forwarded-client-cert, x-gold-proxy-secret",
    );
    assertEquals(valuesOf(arrived, "x-client-ip"), ["127.0.0.1"]);
    assertEquals(valuesOf(arrived, "x-forwarded-client-cert"), [`Hash=${fixture.client.hash}`]);
    assertEquals(valuesOf(arrived, "x-gold-proxy-secret"), [fixture.proxySecret]);
  });

  it("is sent without the client's forged proxy headers", async () => {
    const ours = [
      "x-gold-proxy-secret",
      "x-request-id",
      "x-forwarded-proto",
      "x-forwarded-host",
    ];
    const envoys = ["internal", "external-address", "attempt-count", "original-path", "decorator-operation"];
    const forged = [...ours, ...envoys.map((name) => `x-envoy-${name}`)].map((name) => `${name}: forged`);
    const arrived = await arrivedWith(...forged, "X-Nonce: abc");
    const names = arrived.rawHeaders.filter((_, at) => at % 2 === 0);
    assertEquals([...names].sort(), [
      "host",
      "x-client-ip",
      "x-forwarded-client-cert",
      "x-gold-proxy-secret",
      "x-nonce",
    ]);
    assert(!arrived.rawHeaders.includes("forged"));
  });
});

describe("headers that can control Envoy", () => {
  let fixture: TestEnvoy;
  before(async () =>
    void (fixture = await startTestEnvoy({}, (incoming, answer) => {
      if (incoming.url === "/break") incoming.socket.destroy();
      else void sleep(incoming.url === "/slow" ? 300 : 0).then(() => answer.end("ok"));
    }))
  );
  after(() => fixture.stop());

  it("cause no retry", async () => {
    const { status } = await fixture.send(request("POST /break", [
      "x-envoy-retry-on: 5xx,reset,connect-failure",
      "x-envoy-max-retries: 5",
      "x-envoy-hedge-on-per-try-timeout: true",
      "Content-Length: 0",
    ]));
    assertEquals([status, fixture.arrived.map(({ target }) => target)], [503, ["/break"]]);
  });

  it("change no timeout, no path and no reply", async () => {
    const { status, head, body } = await fixture.send(request("GET /slow", [
      "x-envoy-upstream-rq-timeout-ms: 1",
      "x-envoy-upstream-rq-per-try-timeout-ms: 1",
      "x-envoy-upstream-stream-duration-ms: 1",
      "x-envoy-original-path: /other",
      "x-envoy-force-trace: true",
      "x-envoy-ratelimited: true",
      "grpc-timeout: 1m",
    ]));
    assertEquals([status, body, fixture.arrived.at(-1)?.target], [200, "ok", "/slow"]);
    assert(!/x-envoy|server:|x-request-id/.test(head), head);
  });
});
