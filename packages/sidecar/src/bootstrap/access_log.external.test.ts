import { once } from "node:events";
import { assert, assertEquals } from "@std/assert";
import { after, before, describe, it } from "node:test";
import { LIMIT } from "./limit.ts";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";

describe("the access log during a flood of refusals", () => {
  let fixture: TestEnvoy;
  before(async () => {
    fixture = await startTestEnvoy({}, (request, response) => {
      if (request.url === "/cut") return void request.socket.destroy();
      const counted = request.url === "/counted" ? { "x-gold-counted": "1" } : {};
      response.writeHead(429, { "x-request-id": "req_1", ...counted }).end();
    });
  });
  after(() => fixture.stop());

  const pathsOf = async (last: string): Promise<unknown[]> => {
    assertEquals((await fixture.send(request(`GET ${last}`))).status, 429);
    const lines = await fixture.log(({ path }) => path === last);
    return lines.filter(({ kind }) => kind === "request").map(({ path }) => path);
  };

  it("lacks the refusals that the service counted, and no other reply of the service", async () => {
    for (const path of ["/logged", "/counted", "/counted", "/logged"]) {
      const { status, head } = await fixture.send(request(`GET ${path}`));
      assertEquals(status, 429);
      assert(!head.includes("x-gold"), head);
    }
    assertEquals(await pathsOf("/end"), ["/logged", "/logged", "/end"]);
  });

  it("has a bounded number of lines for requests that Envoy refuses, and each that the service got", async () => {
    const began = performance.now();
    const refused = 4 * LIMIT.ownRefusalLines;
    const socket = await fixture.open();
    socket.resume();
    for (let n = 0; n < refused; n++) {
      socket.write("GET /unknown HTTP/1.1\r\nHost: elsewhere\r\n\r\n");
    }
    for (let n = 0; n < 5; n++) await fixture.send(request("GET /cut"));
    socket.end();
    await once(socket, "close");
    const seconds = Math.ceil((performance.now() - began) / 1000);
    const paths = await pathsOf("/last");
    const of = (path: string) => paths.filter((one) => one === path).length;
    assertEquals(of("/cut"), 5);
    assert(
      of("/unknown") >= 1 && of("/unknown") <= (seconds + 1) * LIMIT.ownRefusalLines,
      `${of("/unknown")}`,
    );
  });
});
