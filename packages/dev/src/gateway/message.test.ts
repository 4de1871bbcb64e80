import { after, before, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { valuesOf } from "../../../../tools/testing/raw_http.ts";
import { type Echo, echo, type Fixture, startFixture } from "./fixture.ts";

const CLOSE = "Host: localhost\r\nConnection: close\r\n";

describe("startGateway(), messages", () => {
  let fixture: Fixture;

  before(async () => {
    fixture = await startFixture((request, response) => {
      if (request.url === "/two-cookies") {
        const headers = "Set-Cookie a set-cookie b Keep-Alive timeout=9 X-A 1 X-Gold-Counted 1";
        response.writeHead(200, "Fine", headers.split(" "));
        response.end("both");
      } else echo(request, response);
    });
  });

  after(() => fixture.stop());

  async function sendEcho(bytes: string): Promise<Echo> {
    const { status, body } = await fixture.send(bytes);
    assertEquals(status, 200, body);
    return JSON.parse(body);
  }

  async function assertRefused(bytes: string, status: number, code: string): Promise<void> {
    const answer = await fixture.send(bytes);
    assertEquals(answer.status, status, bytes.slice(0, 80));
    assertStringIncludes(answer.head, "content-type: application/problem+json");
    assertStringIncludes(answer.head, "connection: close");
    assertStringIncludes(answer.head, "x-request-id: req_fixture");
    const problem = JSON.parse(answer.body);
    assertEquals(Object.keys(problem).join(" "), "type title status detail code request_id retryable");
    assertEquals([problem.type, problem.status, problem.code], [`/docs/errors#${code}`, status, code]);
    assertEquals(problem.request_id, "req_fixture");
  }

  it("forwards the request target byte for byte", async () => {
    const targets = [
      "/v1/%6frders?a=%2F&b=%2f",
      "//x",
      "/x/../y",
      "/./a//b/",
      "/a\\b",
      "/a?b#c",
      "/a;b=c|d",
      "https://elsewhere.example/v1/orders",
      "*",
    ];
    for (const target of targets) {
      assertEquals((await sendEcho(`OPTIONS ${target} HTTP/1.1\r\n${CLOSE}\r\n`)).url, target);
    }
  });

  it("forwards every method", async () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"]) {
      assertEquals((await sendEcho(`${method} / HTTP/1.1\r\n${CLOSE}\r\n`)).method, method);
    }
  });

  it("keeps the spelling and order of headers, including repeated headers", async () => {
    const { rawHeaders } = await sendEcho(
      `GET / HTTP/1.1\r\nX-Nonce: 1\r\nx-nonce: 2\r\n${CLOSE}X-E:\r\n\r\n`,
    );
    assertEquals(rawHeaders.slice(0, 8), ["X-Nonce", "1", "x-nonce", "2", "Host", "localhost", "X-E", ""]);
  });

  it("removes hop-by-hop headers and headers that Connection names", async () => {
    const headers =
      "Keep-Alive: timeout=9\r\nTE: trailers\r\nProxy-Connection: x\r\nProxy-Authorization: x\r\n" +
      "Trailer: x\r\nX-Mine: 1\r\nX-Kept: 2\r\nConnection: close, X-Mine, content-length, host\r\n" +
      "Content-Length: 2\r\nHost: localhost\r\nExpect: 100-continue\r\n";
    const { status, head, body } = await fixture.send(`POST / HTTP/1.1\r\n${headers}\r\nhi`);
    // Expect the interim 100 Continue as the first answer. `body` contains the final answer.
    assertEquals([status, head], [100, "http/1.1 100 continue"]);
    const echoed: Echo = JSON.parse(body.slice(body.indexOf("\r\n\r\n") + 4));
    assertEquals(echoed.rawHeaders.filter((_, i) => i % 2 === 0), [
      "X-Kept",
      "Content-Length",
      "Host",
      "x-forwarded-client-cert",
      "x-client-ip",
      "Connection",
    ]);
    assertEquals([valuesOf(echoed, "connection"), echoed.body], [["keep-alive"], "hi"]);
  });

  it("returns status, reason and headers of the reply, including repeated headers", async () => {
    const { head, body } = await fixture.send(`GET /two-cookies HTTP/1.1\r\n${CLOSE}\r\n`);
    assertStringIncludes(head, "http/1.1 200 fine\r\nset-cookie: a\r\nset-cookie: b\r\nx-a: 1\r\n");
    assertEquals(head.includes("keep-alive"), false);
    assertEquals(head.includes("x-gold-counted"), false);
    assertEquals(body, "4\r\nboth\r\n0\r\n\r\n");
  });

  it("keeps the framing of a body, and sends Content-Length: 0 without a body", async () => {
    const length = await sendEcho(`POST / HTTP/1.1\r\n${CLOSE}Content-Length: 2\r\n\r\nhi`);
    assertEquals([length.body, valuesOf(length, "content-length")], ["hi", ["2"]]);
    const chunked = await sendEcho(
      `GET / HTTP/1.1\r\n${CLOSE}Transfer-Encoding: Chunked\r\n\r\n2\r\nhi\r\n0\r\nX: 1\r\n\r\n`,
    );
    assertEquals([chunked.body, valuesOf(chunked, "transfer-encoding")], ["hi", ["chunked"]]);
    for (const method of ["GET", "POST", "DELETE"]) {
      const none = await sendEcho(`${method} / HTTP/1.1\r\n${CLOSE}\r\n`);
      assertEquals([none.body, valuesOf(none, "transfer-encoding")], ["", []]);
      assertEquals(valuesOf(none, "content-length"), ["0"]);
    }
  });

  it("forwards a body whose Content-Length follows 2,500 other headers", async () => {
    const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    const headers = `${CLOSE}${"a:\r\n".repeat(2_500)}Content-Length: ${smuggled.length}\r\n`;
    const echoed = await sendEcho(`POST /outer HTTP/1.1\r\n${headers}\r\n${smuggled}`);
    assertEquals([echoed.url, echoed.body], ["/outer", smuggled]);
  });

  it("refuses a request that parsers could read in two ways", async () => {
    const length = "Content-Length: 5\r\n";
    const requests = [
      `POST / HTTP/1.1\r\n${CLOSE}${length}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `POST / HTTP/1.1\r\n${CLOSE}${length}Content-Length: 4\r\n\r\nhello`,
      `POST / HTTP/1.1\r\n${CLOSE}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      `GET / HTTP/1.1\r\nConnection: close\r\n\r\n`,
      `GET / HTTP/1.1\r\n${CLOSE}Host: other\r\n\r\n`,
      `GET / HTTP/1.1\r\n${CLOSE}X-A : 1\r\n\r\n`,
      `GET / HTTP/1.1\n${CLOSE}\n`,
      `\0\0\r\n\r\n`,
    ];
    for (const bytes of requests) await assertRefused(bytes, 400, "invalid_request");
  });

  it("refuses a body whose framing breaks midway", async () => {
    const bytes = `POST /unanswered HTTP/1.1\r\n${CLOSE}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\n`;
    await assertRefused(bytes, 400, "invalid_request");
  });

  it("refuses headers over 16 KiB, and forwards headers just below that size", async () => {
    await assertRefused(
      `GET / HTTP/1.1\r\n${CLOSE}X-A: ${"a".repeat(16_400)}\r\n\r\n`,
      431,
      "header_too_large",
    );
    await assertRefused(`GET /${"a".repeat(16_400)} HTTP/1.1\r\n${CLOSE}\r\n`, 431, "header_too_large");
    const { rawHeaders } = await sendEcho(`GET / HTTP/1.1\r\n${CLOSE}X-A: ${"a".repeat(16_200)}\r\n\r\n`);
    assertEquals(rawHeaders[3]?.length, 16_200);
  });

  it("refuses CONNECT and protocol upgrades", async () => {
    await assertRefused(
      `CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: x\r\n\r\n`,
      405,
      "method_not_allowed",
    );
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    await assertRefused(`GET / HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`, 400, "invalid_request");
  });
});
