import { Buffer } from "node:buffer";
import { after, before, describe, it } from "node:test";
import { BODY_MAX_BYTES } from "@gold-partner/protocol";
import { assertEquals } from "@std/assert";
import { type Answer, eachOf, exchange, pour, request } from "./bytes_fixture.ts";
import { HIDDEN_PATH, hiddenRequests } from "./hidden_requests_fixture.ts";
import { Siege } from "./siege_fixture.ts";

const PIPELINED = 500;
const POUR_BYTES = 20_000_000;
const SHOWN = 300;
/**
 * How long to wait for the next of many replies. The last reply ends the connection, so there is no wait
 * after it.
 */
const PIPELINED_QUIET_MS = 30_000;

describe("HTTP/1.1 attacks through Envoy", () => {
  let siege: Siege;
  before(async () => {
    siege = await Siege.open();
  });
  after(() => siege?.close());

  const ask = async (text: string) => await exchange(await siege.connect(), text);
  const close = "Connection: close";

  /**
   * Expects that each request is answered with 4xx or cut off. Returns how many requests reached the service,
   * by route and status.
   */
  async function expectRefused(what: string, texts: readonly string[]): Promise<Record<string, number>> {
    const served: string[] = [];
    const reached = await siege.withstand(what, () =>
      eachOf(texts, async (text) => {
        const { statuses, silent } = await ask(text);
        if (silent || statuses.some((status) => status < 400 || status > 499)) {
          served.push(`${statuses.join() || "silence"} to ${JSON.stringify(text.slice(0, SHOWN))}`);
        }
      }));
    assertEquals(served, []);
    return reached;
  }

  it("cannot hide a request in the body of another request", async () => {
    const { token } = siege.attacker;
    const seen = (reached: Record<string, number>) =>
      Object.keys(reached).filter((one) => one.startsWith(HIDDEN_PATH));
    const reached = await siege.withstand("hidden requests", () => eachOf(hiddenRequests(token), ask));
    assertEquals(seen(reached), []);
    // Check that the service counts the same request if it is not hidden, so that the check above would have
    // found it.
    const plain = request(`GET ${HIDDEN_PATH} HTTP/1.1`, [`Authorization: Bearer ${token}`, close]);
    assertEquals(seen(await siege.withstand("one request that is not hidden", () => ask(plain))), [
      `${HIDDEN_PATH} 200`,
    ]);
  });

  it("reach no operation with another spelling of a path", async () => {
    const targets = [
      ...["/v1/%6frders", "/v1/%6Frders", "/v1%2forders", "/v1%2Forders", "/v1%5corders", "/v1%5Corders"],
      ...["//v1/orders", "/v1//orders", "///v1/orders", "/x/../v1/orders", "/v1/x/../orders", "/v1/./orders"],
      ...["/../v1/orders", "/v1/orders/..;/orders", "/v1/%2e%2e/v1/orders", "/v1/%2e/orders", "/v1/orders/."],
      ...["/v1\\orders", "\\v1\\orders", "/v1/orders;x=1", "/v1;x/orders", "/v1/orders#x", "/v1/orders%23"],
      ...[
        "/v1/orders%00",
        "/v1/orders\0",
        "/v1/orders%0d%0aX-Client-Ip:%20192.0.2.1",
        "/v1/orders%0a",
        "/v1/orders%09",
      ],
      ...[
        "/v1/orders%20HTTP/1.1%0d%0aHost:%20a",
        "/v1/orders HTTP/1.1 ",

        "/v1/orders\x0b",
        "/v1/orders/",
      ],
      ...[
        "/v1/%c0%afv1/orders",
        "/v1/orders\xe2\x81\x84",
        "/v1/%u006frders",
        "/v1/%256frders",
        "/V1/ORDERS",
        "/v1/orders%",
      ],
      ...["http://localhost/v1/orders", "https://localhost/v1/orders", "HTTPS://LOCALHOST/v1/orders"],
      ...[
        "http://other.example/v1/orders",
        "localhost:443",
        "other.example:443",
        "v1/orders",
        "*",
        "",
        "?",
        "/?/v1/orders",
      ],
      ...[
        "@localhost/v1/orders",
        "//localhost/v1/orders",
        "https:/v1/orders",
        "/v1/orders?\0",
        "/v1/orders?a#b",
      ],
    ];
    const token = `Authorization: Bearer ${siege.attacker.token}`;
    const reached = await expectRefused(
      "paths",
      targets.flatMap((target) =>
        ["GET", "POST", "OPTIONS"].map((method) => request(`${method} ${target} HTTP/1.1`, [token, close]))
      ),
    );
    assertEquals(Object.keys(reached).filter((one) => one.startsWith("/v1/orders")), []);
  });

  it("reach no operation with another method, host or protocol version", async () => {
    const { hostname, port } = new URL(siege.stack.running.baseUrl);
    const get = (...headers: string[]) =>
      `GET /health HTTP/1.1\r\n${[...headers, close].join("\r\n")}\r\n\r\n`;
    const reached = await expectRefused("methods, hosts, protocols", [
      ...["TRACE", "TRACK", "CONNECT", "OPTIONS", "DEBUG", "PRI", "get", "G\0T", "", "GET\x0b"].map((
        method,
      ) => request(`${method} /health HTTP/1.1`, [close])),
      ...["localhost:443", `${hostname}:${port}`, "*"].map((target) =>
        request(`CONNECT ${target} HTTP/1.1`, [close])
      ),
      get(),
      get("Host: localhost", "Host: localhost"),
      get("Host: localhost", "Host: other.example"),
      get("Host: other.example"),
      get("Host:"),
      get("Host: localhost, other.example"),
      get("Host: localhost@other.example"),
      get("Host: other.example@localhost"),
      get("Host: localhost/v1"),
      get("Host: localhost:0"),
      get("Host: localhost:99999"),
      get("Host: localhost.other.example"),
      get("Host : localhost"),
      get("Host: localhost", "Connection: Upgrade", "Upgrade: websocket"),
      ...["HTTP/0.9", "HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "HTTP/3.0", "http/1.1", "HTTP/1.1.1", ""].map((
        version,
      ) => `GET /health ${version}\r\nHost: localhost\r\n${close}\r\n\r\n`),
    ]);
    assertEquals(reached["/health 200"], undefined);
  });

  it("are refused by Envoy if the request is too large", async () => {
    const post = (...headers: string[]) => request("POST /v1/quotes HTTP/1.1", [...headers, close]);
    const many = Array.from({ length: 101 }, (_, n) => `X-${n}: 1`);
    const reached = await expectRefused("too large", [
      request("GET /health HTTP/1.1", [`X: ${"x".repeat(17_000)}`, close]),
      request("GET /health HTTP/1.1", [...many, close]),
      request("GET /health HTTP/1.1", [...many.slice(0, 50).map((one) => `${one}${"x".repeat(400)}`), close]),
      request("GET /health HTTP/1.1", [`Cookie: ${"a=1; ".repeat(4000)}`, close]),
      request(`GET /${"x".repeat(17_000)} HTTP/1.1`, [close]),
      post(`Content-Length: ${BODY_MAX_BYTES + 1}`) + "x".repeat(BODY_MAX_BYTES + 1),
      post("Content-Type: application/grpc", `Content-Length: ${BODY_MAX_BYTES + 1}`),
      post("Content-Length: 999999999999") + "x".repeat(2 * BODY_MAX_BYTES),
      post("Transfer-Encoding: chunked") +
      `${(BODY_MAX_BYTES + 1).toString(16)}\r\n${"x".repeat(BODY_MAX_BYTES + 1)}`,
      post("Transfer-Encoding: chunked") + "7fffffffffffffff\r\n" + "x".repeat(2 * BODY_MAX_BYTES),
      post("Transfer-Encoding: chunked") + "1\r\nx\r\n".repeat(BODY_MAX_BYTES + 1),
      post("Transfer-Encoding: chunked") + `2\r\n{}\r\n0\r\n${"X: 1\r\n".repeat(10_000)}\r\n`,
    ]);
    assertEquals(reached, {});
  });

  it("are cut off if headers, body or request line never end", async () => {
    const head = request("POST /v1/quotes HTTP/1.1", ["Transfer-Encoding: chunked"]);
    const endless = {
      headers: "X: 1\r\n",
      chunks: `1000\r\n${"x".repeat(4096)}\r\n`,
      line: "x".repeat(4096),
    };
    const begins = { headers: "GET /health HTTP/1.1\r\nHost: localhost\r\n", chunks: head, line: "GET /" };
    const sent: Record<string, number> = {};
    const reached = await siege.withstand(
      "without an end",
      () =>
        eachOf(Object.keys(endless) as (keyof typeof endless)[], async (what) => {
          const socket = await siege.connect();
          socket.resume().write(begins[what]);
          sent[what] = await pour(socket, Buffer.from(endless[what].repeat(16)), POUR_BYTES);
          socket.destroy();
        }),
    );
    assertEquals(Object.entries(sent).filter(([, bytes]) => bytes >= POUR_BYTES), []);
    assertEquals(reached, {});
  });

  it("get one reply for each pipelined request, in order", async () => {
    const paths = Array.from({ length: PIPELINED }, (_, n) => n % 2 === 0 ? "/health" : "/nowhere");
    const text = paths.map((path, n) => request(`GET ${path} HTTP/1.1`, n === PIPELINED - 1 ? [close] : []))
      .join("");
    const answers: Answer[] = [];
    const reached = await siege.withstand("pipelined", async () => {
      answers.push(await exchange(await siege.connect(), text, PIPELINED_QUIET_MS));
    });
    assertEquals(answers[0]?.statuses, paths.map((path) => path === "/health" ? 200 : 404));
    assertEquals(reached, { "/health 200": PIPELINED / 2, "none 404": PIPELINED / 2 });
  });
});
