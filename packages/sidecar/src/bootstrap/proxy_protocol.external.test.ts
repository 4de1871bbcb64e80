import { once } from "node:events";
import { assertEquals } from "@std/assert";
import { connect as connectTcp } from "node:net";
import { after, before, describe, it } from "node:test";
import { connect } from "node:tls";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import { readAnswer, readToEnd, valuesOf } from "../../../../tools/testing/raw_http.ts";

/** PROXY protocol v2 for a TCP connection from this IPv4 address, as a load balancer writes it. */
function announce(address: string): Buffer {
  const signature = Buffer.from("0d0a0d0a000d0a515549540a", "hex");
  const addresses = Buffer.from([...address.split(".").map(Number), 127, 0, 0, 1, 0x30, 0x39, 0x20, 0xfb]);
  return Buffer.concat([signature, Buffer.from([0x21, 0x11, 0, addresses.length]), addresses]);
}

async function sendThrough(fixture: TestEnvoy, first: Uint8Array | string): Promise<number> {
  const tcp = connectTcp(fixture.envoy.ports[0]!, "127.0.0.1");
  tcp.on("error", () => {});
  if (first.length > 0) tcp.write(first);
  const { cert, key } = fixture.client;
  const socket = connect({ socket: tcp, servername: "localhost", ca: fixture.authority.cert, cert, key });
  const failed = new Promise<number>((resolve) =>
    socket.once("error", () => resolve(0)).once("close", () => resolve(0))
  );
  const answered = once(socket, "secureConnect").then(async () => {
    socket.write(request("GET /health", ["X-Forwarded-For: 192.0.2.7"]));
    return readAnswer(await readToEnd(socket)).status;
  }).catch(() => 0);
  return await Promise.race([failed, answered]);
}

describe("behind a listed load balancer", () => {
  let fixture: TestEnvoy;
  before(async () =>
    void (fixture = await startTestEnvoy({ PROXY_PROTOCOL_FROM: "10.0.0.0/8,127.0.0.0/8" }))
  );
  after(() => fixture.stop());

  it("the caller's address is the address that the load balancer announces", async () => {
    assertEquals(await sendThrough(fixture, announce("198.51.100.9")), 200);
    assertEquals(valuesOf(fixture.arrived[0]!, "x-client-ip"), ["198.51.100.9"]);
    await fixture.log(({ kind, client_ip }) => kind === "request" && client_ip === "198.51.100.9");
  });

  it("a connection without PROXY protocol, or with its text version, is closed", async () => {
    assertEquals(await sendThrough(fixture, ""), 0);
    assertEquals(await sendThrough(fixture, "PROXY TCP4 198.51.100.9 127.0.0.1 12345 8443\r\n"), 0);
  });
});

describe("connections from other addresses than a listed load balancer", () => {
  let fixture: TestEnvoy;
  before(async () => void (fixture = await startTestEnvoy({ PROXY_PROTOCOL_FROM: "198.51.100.0/24" })));
  after(() => fixture.stop());

  it("are closed, whatever address they announce", async () => {
    assertEquals(await sendThrough(fixture, announce("198.51.100.9")), 0);
    assertEquals(await sendThrough(fixture, announce("127.0.0.1")), 0);
    assertEquals(await sendThrough(fixture, ""), 0);
    assertEquals(fixture.arrived, []);
  });
});

describe("without a load balancer", () => {
  let fixture: TestEnvoy;
  before(async () => void (fixture = await startTestEnvoy()));
  after(() => fixture.stop());

  it("PROXY protocol is not accepted", async () => {
    assertEquals(await sendThrough(fixture, announce("198.51.100.9")), 0);
    assertEquals(await sendThrough(fixture, ""), 200);
    assertEquals(valuesOf(fixture.arrived[0]!, "x-client-ip"), ["127.0.0.1"]);
  });
});
