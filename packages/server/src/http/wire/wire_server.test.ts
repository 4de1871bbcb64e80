import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, it } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { sendBytes, startWire, verdictsOf } from "../../../testing/wire/send_bytes.ts";
import { setUp } from "../../../testing/set_up.ts";

/**
 * The request timeout of tests that check the answer. It is long, so that it never expires on a busy machine.
 */
const LONG_TIMEOUT_MS = 30_000;
/** The request timeout of tests in which it has to expire. */
const TIMEOUT_MS = 1000;
const LATE_MS = 300;
const HEAD = "HTTP/1.1\r\nHost: localhost\r\n";
const CLOSE = `${HEAD}Connection: close\r\n`;
const LATE = `POST /late ${HEAD}Content-Length: 2\r\n\r\nhi`;

describe("createWireServer()", () => {
  const executed: string[] = [];
  const start = (lateMs: number, ...limits: [timeoutMs: number, lingerMs?: number]) =>
    startWire(async (request) => {
      const { pathname } = new URL(request.url);
      try {
        const body = await request.text();
        if (pathname === "/late") await sleep(lateMs);
        if (pathname === "/fails") throw new Error("on purpose");
        executed.push(`${pathname} ${body}`);
        return new Response(body);
      } catch (error) {
        if (pathname === "/fails") throw error;
        return new Response("", { status: 499 });
      }
    }, ...limits);
  const wire = setUp(() => start(LATE_MS, LONG_TIMEOUT_MS));
  const impatient = setUp(() => start(3 * TIMEOUT_MS, TIMEOUT_MS));
  /** After a refusal, it reads for longer than a slow machine needs to send all parts. */
  const patient = setUp(() => start(LATE_MS, LONG_TIMEOUT_MS, LONG_TIMEOUT_MS));
  beforeEach(() => {
    executed.length = 0;
    wire.refused.length = impatient.refused.length = 0;
  });
  const open = ({ port } = wire) => connect(port, "127.0.0.1");

  it("answers malformed bytes with a problem and a request id, and closes the connection", async () => {
    const received = await sendBytes(open(), `BREW / ${HEAD}\r\n`);
    const [head = "", body = ""] = received.split("\r\n\r\n");
    for (
      const line of [
        "HTTP/1.1 400 Bad Request\r\n",
        "Content-Type: application/problem+json\r\n",
        `Content-Length: ${body.length}\r\n`,
        "X-Request-Id: req_fixture\r\n",
        "Connection: close",
      ]
    ) assertStringIncludes(head, line);
    const { detail, ...problem } = JSON.parse(body);
    assertEquals(problem, {
      type: "/docs/errors#invalid_request",
      title: "The request is malformed",
      status: 400,
      code: "invalid_request",
      request_id: "req_fixture",
      retryable: false,
    });
    assertStringIncludes(detail, "well-formed HTTP/1.1");
    assertEquals(wire.refused, ["invalid_request"]);
  });

  it("returns 408 if the headers or the body do not arrive in time", async () => {
    const unfinished = [
      "",
      "GET / HT",
      `POST / ${HEAD}Content-Length: 5\r\n\r\nhe`,
      `POST / ${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhe`,
    ];
    const answers = await Promise.all(unfinished.map((text) => impatient.send(text)));
    assertEquals(answers, unfinished.map(() => ["408 request_timeout"]));
    assertEquals(executed, []);
  });

  it("applies no timeout to a slow answer or to a pause between two requests", async () => {
    const late = impatient.send(`POST /late ${CLOSE}Content-Length: 2\r\n\r\nhi`);
    const socket = open(impatient);
    const received = sendBytes(socket, `GET /1 ${HEAD}\r\n`);
    assertEquals(await late, ["200"]);
    socket.write(`GET /2 ${CLOSE}\r\n`);
    assertEquals(verdictsOf(await received), ["200", "200"]);
  });

  it("never sends a refusal that a client could take for the answer to an in-flight request", async () => {
    const nonsense = [
      "x\r\n\r\n",
      `GET / ${HEAD}X: ${"x".repeat(17_000)}\r\n\r\n`,
      `CONNECT a.example:1 ${HEAD}\r\n`,
      `GET / ${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ];
    for (const text of nonsense) {
      executed.length = wire.refused.length = 0;
      assertEquals([await wire.send(LATE + text), executed], [["200"], ["/late hi"]], text);
      assertEquals(wire.refused.length, 1, text);
    }
    // Check that an unfinished request after the first one is refused like malformed bytes, when its timeout
    // expires.
    executed.length = 0;
    assertEquals([await impatient.send(`${LATE}GET / HT`), executed], [["200"], ["/late hi"]]);
    assertEquals(impatient.refused.length, 1);
    assertEquals(await wire.send(`POST /late ${CLOSE}Content-Length: 2\r\n\r\nhi, and more`), ["200"]);
    // Check that the connection closes without an answer, because the client could take a refusal of the
    // second request for the answer to the first. So the client does not know the outcome.
    executed.length = 0;
    assertEquals(await wire.send(`${LATE}POST / ${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`), []);
    while (executed.length === 0) await sleep(10);
  });

  it("answers a request, and answers the malformed bytes after it only once", async () => {
    const socket = open();
    const received = sendBytes(socket, `GET /1 ${HEAD}\r\n`);
    await once(socket, "data");
    socket.write("x\r\n\r\nx\r\n\r\n");
    assertEquals(verdictsOf(await received), ["200", "400 invalid_request"]);
    assertEquals([await wire.send("x\r\n\r\n".repeat(100)), wire.refused.length], [
      ["400 invalid_request"],
      2,
    ]);
    assertEquals(await wire.send(`GET /1 ${CLOSE}Expect: more\r\n\r\nx`), ["400 invalid_request"]);
    assertEquals(wire.refused.length, 3);
  });

  it("sends a refusal that a client can read even if the client is still sending", async () => {
    const socket = open(patient).on("error", () => {});
    for (let part = 0; part < 20; part++) {
      socket.write(`GET / ${HEAD}X: ${"x".repeat(20_000)}`);
      await sleep(10);
    }
    assertEquals(verdictsOf(await sendBytes(socket, "x")), ["431 header_too_large"]);
  });

  it("sends no answer to a client that disconnects in the middle of a request", async () => {
    for (const text of ["GET / HT", `POST / ${HEAD}Content-Length: 5\r\n\r\nhe`]) {
      const socket = connect({ port: wire.port, host: "127.0.0.1", allowHalfOpen: true });
      await once(socket, "connect");
      const received = sendBytes(socket, text);
      socket.end();
      assertEquals(verdictsOf(await received), [], text);
    }
    assertEquals(executed, []);
  });

  it("marks the reply of a refusal that gets no line", async () => {
    const counting = await startWire(
      () => Promise.resolve(new Response()),
      LONG_TIMEOUT_MS,
      undefined,
      () => false,
    );
    const odd = "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n";
    const [marked, logged] = [await sendBytes(open(counting), odd), await sendBytes(open(), odd)];
    assertEquals([marked, logged].map((reply) => /^x-gold-counted: 1\r$/im.test(reply)), [true, false]);
    assertEquals([counting.refused, wire.refused], [[], ["invalid_request"]]);
    await counting.stop();
  });

  it("returns 500 internal_error if the app throws", async () => {
    assertEquals(await wire.send(`GET /fails ${CLOSE}\r\n`), ["500 internal_error"]);
  });

  it("rejects requests that Node's parser accepts but another parser could read differently", async () => {
    const chunked = "Transfer-Encoding: chunked\r\n";
    const requests = [
      `GET / HTTP/2.0\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      `GET /\r\n\r\n`,
      ...[
        "",
        "Host:\r\n",
        "Host: a b\r\n",
        "Host: a@b\r\n",
        "Host: a/b\r\n",
        "Host: a, b\r\n",
        "Host: a:x\r\n",
      ]
        .map((host) => `GET / HTTP/1.1\r\n${host}Connection: close\r\n\r\n`),
      `GET / ${CLOSE}Host: localhost\r\n\r\n`,
      `GET / HTTP/1.0\r\n\r\n`,
      `POST / HTTP/1.0\r\nHost: a\r\n${chunked}\r\n0\r\n\r\n`,
      ...["gzip, chunked", "identity, chunked"]
        .map((coding) => `POST / ${CLOSE}Transfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`),
      `POST / ${CLOSE}Transfer-Encoding: \r\n\r\n`,
      ...["200-ok", "100-continue, more", "x100-continuex"].map((expectation) =>
        `GET / ${CLOSE}Expect: ${expectation}\r\n\r\n`
      ),
      `GET / ${CLOSE}Expect: 100-continue\r\nExpect: more\r\n\r\n`,
    ];
    for (const text of requests) {
      assertEquals((await wire.send(text)).at(-1), "400 invalid_request", text);
    }
    assertEquals(executed, []);
  });

  it("accepts every valid host, and any letter case of chunked and 100-continue", async () => {
    for (const host of ["a", "LOCALHOST:99999", "127.1", "[::1]:8443", "a.example."]) {
      assertEquals(
        await wire.send(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
        ["200"],
        host,
      );
    }
    assertEquals(await wire.send(`POST / ${CLOSE}transfer-encoding: CHUNKED\r\n\r\n2\r\nhi\r\n0\r\n\r\n`), [
      "200",
    ]);
    assertEquals(await wire.send(`POST / ${CLOSE}Expect: 100-Continue\r\nContent-Length: 2\r\n\r\nhi`), [
      "100",
      "200",
    ]);
    assertEquals(await wire.send(`GET / HTTP/1.0\r\nHost: a\r\n\r\n`), ["200"]);
  });
});
