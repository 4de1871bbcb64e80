import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { judgeCases, openTestDoor, type TestDoor } from "./door_fixture.ts";
import { brokenRequests, oddRequests, sendBytes, verdictsOf } from "@gold-partner/server/testing";

describe("the service's HTTP listener", () => {
  let door: TestDoor;
  before(async () => {
    door = await openTestDoor("gateway");
  });
  after(() => door.stop());

  const direct = () => {
    const { listen } = door.fixture.config;
    return connect(listen.kind === "unix" ? listen.path : "");
  };
  const vouched =
    () => [`X-Forwarded-Client-Cert: Hash=${door.fixture.partner.fingerprint}`, "X-Client-Ip: 127.0.0.1"];
  const client = async () => {
    const { clientId, clientSecret } = door.fixture.partner;
    return { identity: vouched(), clientId, clientSecret, token: await door.fixture.token() };
  };

  it("rejects malformed requests on its socket and behind the gateway", async () => {
    await judgeCases(brokenRequests(await client()), direct);
    await judgeCases(brokenRequests(await door.client()), door.open);
  });

  it("answers odd requests as documented on its socket", async () => {
    await judgeCases(oddRequests(await client()), direct);
  });

  it("answers odd requests as documented behind the gateway", async () => {
    await judgeCases(oddRequests(await door.client()), door.open);
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
