import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import { valuesOf } from "../../../../tools/testing/raw_http.ts";

/**
 * Envoy 1.40 has no option that refuses a bare CR (a CR without LF) in a header's value. It leaves the CR
 * out. These tests fail if a later version refuses such a request or reads it differently.
 */
describe("a bare CR", () => {
  let fixture: TestEnvoy;
  before(async () => void (fixture = await startTestEnvoy()));
  after(() => fixture.stop());

  const send = async (bytes: string): Promise<number> => {
    fixture.arrived.length = 0;
    return (await fixture.send(bytes)).status;
  };

  it("in a header's value is removed, and starts no header and no request", async () => {
    const values = {
      "a\rb": "ab",
      "a\r": "a",
      "\ra": "a",
      "a\rX-Other: b": "aX-Other: b",
      "a\r\rGET /hidden HTTP/1.1\rHost: localhost\r\r": "aGET /hidden HTTP/1.1Host: localhost",
    };
    for (const [sent, arrives] of Object.entries(values)) {
      assertEquals(await send(request("GET /seen", [`X-Value: ${sent}`])), 200);
      assertEquals(fixture.arrived.map(({ target }) => target), ["/seen"]);
      assertEquals([valuesOf(fixture.arrived[0]!, "x-value"), valuesOf(fixture.arrived[0]!, "x-other")], [
        [arrives],
        [],
      ]);
    }
  });

  it("in Content-Length or in chunk framing is refused", async () => {
    const refused = [
      request("POST /seen", ["Content-Length: 2\rTransfer-Encoding: chunked"], "{}"),
      request("POST /seen", ["Content-Length: 1\r2"], "{}"),
      request("POST /seen", ["Transfer-Encoding: chunked"], "2\r{}\r\n0\r\n\r\n"),
      request("POST /seen", ["Transfer-Encoding: chunked"], "2;a\rb\r\n{}\r\n0\r\n\r\n"),
    ];
    for (const bytes of refused) assertEquals([await send(bytes), fixture.arrived], [400, []]);
    const trailer = request("POST /seen", ["Transfer-Encoding: chunked"], "2\r\n{}\r\n0\r\nX: a\rb\r\n\r\n");
    assertEquals([await send(trailer), fixture.arrived.map(({ body }) => body)], [200, ["{}"]]);
  });

  it("in Transfer-Encoding makes Envoy forward no body and read the rest as the next request", async () => {
    const next = request("GET /next");
    const first = request("POST /seen", ["Transfer-Encoding: chun\rked"], next).replace(
      "Connection: close\r\n",
      "",
    );
    assertEquals(await send(first), 200);
    // Check that both requests come over the client's own connection, with its own certificate. So no other
    // partner is affected.
    assertEquals(fixture.arrived.map(({ target, body }) => [target, body]), [["/seen", ""], ["/next", ""]]);
    for (const one of fixture.arrived) {
      assertEquals(valuesOf(one, "transfer-encoding"), []);
      assertEquals(valuesOf(one, "x-forwarded-client-cert"), [`Hash=${fixture.client.hash}`]);
    }
    // Check that another partner gets its own reply, so that Envoy's connection to the service is in sync.
    const { cert, key } = fixture.authority.issue("other");
    assertEquals((await fixture.send(request("GET /other"), { cert, key })).body, "ok");
    assertEquals(fixture.arrived.slice(2).map(({ target }) => target), ["/other"]);
  });

  it("elsewhere in the request head is refused", async () => {
    const refused = [
      request("GET /seen", ["X-\rValue: a"]),
      request("GET /se\ren"),
      "GET /seen HTTP/1.1\rHost: localhost\r\r\n\r\n",
    ];
    for (const bytes of refused) assertEquals([await send(bytes), fixture.arrived], [400, []]);
  });
});
