import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestProxy, testCases, type TestProxy } from "./proxy_fixture.ts";
import { brokenRequests, oddRequests, sendBytes, verdictsOf } from "@gold-partner/server/testing";

describe("the service's HTTP listener", () => {
  let proxy: TestProxy;
  before(async () => {
    proxy = await openTestProxy("gateway");
  });
  after(() => proxy.stop());

  const direct = () => {
    const { listen } = proxy.fixture.config;
    return connect(listen.kind === "unix" ? listen.path : "");
  };
  const vouched =
    () => [`X-Forwarded-Client-Cert: Hash=${proxy.fixture.partner.fingerprint}`, "X-Client-Ip: 127.0.0.1"];
  const client = async () => {
    const { clientId, clientSecret } = proxy.fixture.partner;
    return { identity: vouched(), clientId, clientSecret, token: await proxy.fixture.token() };
  };

  it("rejects malformed requests on its socket and behind the gateway", async () => {
    await testCases(brokenRequests(await client()), direct);
    await testCases(brokenRequests(await proxy.client()), proxy.open);
  });

  it("answers odd requests as documented on its socket", async () => {
    await testCases(oddRequests(await client()), direct);
  });

  it("answers odd requests as documented behind the gateway", async () => {
    await testCases(oddRequests(await proxy.client()), proxy.open);
  });

  it("rejects a request that repeats a header of the proxy", async () => {
    const [hash = "", ip = ""] = vouched();
    const health = (...more: string[]) =>
      ["GET /health HTTP/1.1", "Host: localhost", hash, ip, ...more, "Connection: close", "", ""].join(
        "\r\n",
      );
    for (const [more, verdict] of [[hash, "403 certificate_unknown"], [ip, "403 ip_not_allowed"]] as const) {
      assertEquals(verdictsOf(await sendBytes(direct(), health(more))), [verdict]);
    }
  });
});
