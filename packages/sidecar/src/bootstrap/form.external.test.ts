import { PROBLEM_REGISTRY, problemBody, type ProblemCode } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { after, before, describe, it } from "node:test";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";
import type { Answer } from "../../../../tools/testing/raw_http.ts";

const KIB = 1024;

/** Requests that Envoy refuses by itself, each with its problem code. */
const REFUSED: readonly [ProblemCode, string][] = [
  // Requests that two parsers could read differently.
  ["path_not_allowed", request("GET /v1%2forders")],
  ["path_not_allowed", request("GET /v1%5Corders")],
  ["path_not_allowed", request("GET /v1/orders#x")],
  ["path_not_allowed", request("GET https://localhost/v1/orders")],
  ["path_not_allowed", request("GET http://other.example/v1/orders")],
  ["path_not_allowed", request("OPTIONS *")],
  ["invalid_request", request("GET /health", ["Host: localhost"])],
  ["invalid_request", request("GET /health", ["Host: other.example"])],
  ["invalid_request", request("GET /health").replace("localhost", "user@localhost")],
  ["invalid_request", request("GET /health").replace("Host: localhost\r\n", "")],
  ["invalid_request", request("POST /a", ["Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\n")],
  ["invalid_request", request("POST /a", ["Content-Length: 1", "Content-Length: 2"], "{}")],
  ["invalid_request", request("POST /a", ["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n")],
  ["invalid_request", request("POST /a", ["Transfer-Encoding: chunked"], "2\r\n{}x\r\n0\r\n\r\n")],
  ["invalid_request", request("GET /health", ["x_nonce: 1"])],
  ["invalid_request", request("GET /health", ["X: a\0b"])],
  // The next requests are not HTTP/1.1, ask for an upgrade, or have a method that is not supported.
  ["invalid_request", request("GET /health").replace("HTTP/1.1", "HTTP/1.0")],
  ["invalid_request", "\x16\x03\x01\x02\x00\r\n\r\n"],
  ["invalid_request", request("GET /health", ["Connection: Upgrade", "Upgrade: websocket"])],
  ["method_not_allowed", request("TRACE /health")],
  ["method_not_allowed", request("CONNECT localhost:443")],
  ["method_not_allowed", request("CONNECT other.example:443")],
  // Hosts and ports that are not served.
  ["not_found", request("GET /health").replace("localhost", "other.example")],
  ["not_found", request("GET /health").replace("localhost", "localhost:8443")],
  // Requests that are too large.
  ["header_too_large", request("GET /health", [`X: ${"x".repeat(16 * KIB)}`])],
  ["header_too_large", request(`GET /${"x".repeat(16 * KIB)}`)],
  ["header_too_large", request("GET /health", "x".repeat(120).split("").map((name) => `${name}: 1`))],
  ["body_too_large", request("POST /a", ["Content-Length: 65537"])],
  ["body_too_large", request("POST /a", ["Content-Length: 999999999999"])],
  ["body_too_large", request("POST /a", [`Content-Length: ${2n ** 53n}`])],
  ["body_too_large", request("POST /a", [`Content-Length: ${2n ** 64n - 1n}`])],
  [
    "body_too_large",
    request("POST /a", ["Transfer-Encoding: chunked"], `10001\r\n${"x".repeat(65_537)}\r\n0\r\n\r\n`),
  ],
];

function expectRefusal({ status, head, body }: Answer, code: ProblemCode): void {
  const problem = JSON.parse(body);
  assertMatch(problem.request_id, /^req_[0-9a-f-]{36}$/);
  assertEquals(problem, problemBody(code, { requestId: problem.request_id }));
  assertEquals(status, PROBLEM_REGISTRY[code].status);
  assertMatch(head, /\ncontent-type: application\/problem\+json\r/);
  assertMatch(head, /\ncache-control: no-store\r/);
  assert(head.includes(`\nx-request-id: ${problem.request_id}\r`), head);
  assert(!/\nserver:|\nx-envoy/.test(head), head);
}

describe("Envoy's own replies", () => {
  let fixture: TestEnvoy;
  before(async () => void (fixture = await startTestEnvoy()));
  after(() => fixture.stop());

  it("are problems of the registry, and the refused requests do not reach the service", async () => {
    await Promise.all(REFUSED.map(async ([code, bytes]) => {
      const answer = await fixture.send(bytes);
      try {
        expectRefusal(answer, code);
      } catch (error) {
        throw new Error(`${JSON.stringify(bytes.slice(0, 200))}: ${JSON.stringify(answer)}`, {
          cause: error,
        });
      }
    }));
    assertEquals(fixture.arrived, []);
  });

  it("are the same problems for a gRPC content type, never a 200", async () => {
    const refused: [ProblemCode, string][] = [
      ["path_not_allowed", "GET /v1%2forders"],
      ["method_not_allowed", "TRACE /health"],
      ["body_too_large", "POST /a"],
    ];
    await Promise.all(refused.map(async ([code, line]) => {
      const headers = ["Content-Type: application/grpc", "Content-Length: 65537"];
      expectRefusal(await fixture.send(request(line, headers)), code);
    }));
    const token = await fixture.send(request("TRACE /oauth/token", ["Content-Type: application/grpc+json"]));
    assertEquals([token.status, JSON.parse(token.body).code], [400, "method_not_allowed"]);
    assertEquals(fixture.arrived, []);
  });

  it("list the allowed methods", async () => {
    assertMatch((await fixture.send(request("TRACE /health"))).head, /\nallow: get, post\r/);
  });

  it("have OAuth's error format at the token endpoint", async () => {
    for (const target of ["/oauth/token", "/oauth/token?x=%2f"]) {
      const { status, head, body } = await fixture.send(request(`POST ${target}`, ["Content-Length: 65537"]));
      assertEquals([status, JSON.parse(body).error, JSON.parse(body).code], [
        413,
        "invalid_request",
        "body_too_large",
      ]);
      assertMatch(head, /\ncontent-type: application\/json\r/);
    }
    assertEquals(fixture.arrived, []);
  });

  it("are not sent for other requests, which reach the service byte for byte", async () => {
    const targets = [
      "/v1/%6frders",
      "//v1/orders",
      "/v1/x/../orders",
      "/v1\\orders",
      "/v1/./orders",
      "/v1/orders%00",
      '/a?"',
    ];
    const long = `/${"x".repeat(8192)}`;
    for (const target of [...targets, long]) {
      fixture.arrived.length = 0;
      await fixture.send(request(`GET ${target}`));
      assertEquals(fixture.arrived.map((one) => one.target), [target]);
    }
    const body = "x".repeat(65_536);
    await fixture.send(request("POST /a", ["Content-Length: 65536"], body));
    assertEquals(fixture.arrived.at(-1)?.body, body);
  });

  it("are logged like the service's replies, without query, secret or body", async () => {
    await fixture.send(request("GET /seen?secret=in_the_query", ["Authorization: Bearer in_a_header"]));
    await fixture.send(request("TRACE /unseen"));
    const lines = await fixture.log(({ path }) => path === "/unseen");
    const seen = lines.find(({ path }) => path === "/seen");
    const unseen = lines.at(-1);
    assertEquals([seen?.["method"], seen?.["status"], seen?.["details"]], ["GET", 200, "via_upstream"]);
    assertEquals([unseen?.["status"], unseen?.["certificate_sha256"]], [405, fixture.client.hash]);
    assertMatch(`${unseen?.["request_id"]}`, /^req_/);
    assert(!/in_the_query|in_a_header/.test(JSON.stringify(lines)));
  });
});
