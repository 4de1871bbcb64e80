import { describe, it } from "node:test";
import type { TransportRequest } from "@gold-partner/client";
import { assertEquals, assertThrows } from "@std/assert";
import { Failure } from "../failure.ts";
import { readSignedRequest, replaying } from "./signed_request.ts";

const utf8 = new TextEncoder();
const read = (text: string) => {
  const { body, ...rest } = readSignedRequest(utf8.encode(text), "request.txt");
  return { ...rest, body: new TextDecoder().decode(body) };
};

describe("readSignedRequest()", () => {
  it("reads target, signature headers and body, with LF or CR LF", () => {
    const lines = [
      "POST /v1/signed-probe?a=1 HTTP/1.1",
      "Host: h",
      "x-timestamp:  17 ",
      "X-Nonce: n",
      "",
      "سلام\n",
    ];
    const expected = {
      target: "/v1/signed-probe?a=1",
      host: "h",
      headers: { "X-Timestamp": "17", "X-Nonce": "n" },
      body: "سلام\n",
    };
    assertEquals(read(lines.join("\n")), expected);
    assertEquals(read(lines.join("\r\n")), expected);
    assertEquals(read(`\ufeff${lines.join("\n")}`), expected);
  });

  it("reads as many bytes of the body as Content-Length says, and a request without a body", () => {
    assertEquals(read("POST /v1/signed-probe\nContent-Length: 2\n\n{}\n").body, "{}");
    const absolute = read("POST https://localhost:8443/v1/signed-probe HTTP/1.1\nX-Nonce: n\n");
    assertEquals([absolute.target, absolute.host, absolute.body, absolute.headers["X-Nonce"]], [
      "/v1/signed-probe",
      "localhost:8443",
      "",
      "n",
    ]);
  });

  it("refuses another request, and a body that is shorter than Content-Length", () => {
    const wrong = [
      ["", 'must begin with a line such as "POST /v1/signed-probe HTTP/1.1"; got ""'],
      ["{}", "must begin with a line"],
      ["POST /v1/orders HTTP/1.1\n\n{}", "is POST /v1/orders. Sign the same body"],
      ["GET /v1/signed-probe HTTP/1.1\n\n", "is GET /v1/signed-probe"],
      ["POST /v1/signed-probe\nContent-Length: 3\n\n{}", "Content-Length 3, but its body has 2 bytes"],
      ["POST /v1/signed-probe\nContent-Length: two\n\n{}", "Content-Length two"],
    ] as const;
    for (const [text, says] of wrong) {
      assertEquals(assertThrows(() => read(text), Failure, says).exit, 2);
    }
  });
});

describe("replaying()", () => {
  it("replaces target and signature of the probe, and leaves other requests as they are", async () => {
    const sent: TransportRequest[] = [];
    const transport = {
      send: (request: TransportRequest) => (sent.push(request), Promise.reject(new Error("sent"))),
      close: () => {},
    };
    const own = readSignedRequest(utf8.encode("POST /v1/signed-probe?a\nX-Nonce: own\n\n"), "request.txt");
    const { signal } = new AbortController();
    const headers = { "Authorization": "Bearer t", "X-Nonce": "n", "X-Timestamp": "1" };
    const probe = { method: "POST" as const, url: "https://h:1/v1/signed-probe", headers, signal };
    const token = { ...probe, url: "https://h:1/oauth/token" };
    for (const request of [probe, token]) await replaying(transport, own).send(request).catch(() => {});
    assertEquals(sent.map(({ url, headers }) => ({ url, headers })), [
      { url: "https://h:1/v1/signed-probe?a", headers: { "Authorization": "Bearer t", "X-Nonce": "own" } },
      { url: "https://h:1/oauth/token", headers },
    ]);
  });
});
