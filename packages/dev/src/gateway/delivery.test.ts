import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertLessOrEqual, assertRejects, assertStringIncludes } from "@std/assert";
import { type GatewayOptions, GatewayStartError, startGateway } from "./start_gateway.ts";
import { readAnswer, readToEnd } from "../../../../tools/testing/raw_http.ts";
import { echo, type Fixture, startFixture, startUpstream } from "./fixture.ts";

const MEBIBYTE = 1024 * 1024;
const HEAD = "HTTP/1.1\r\nHost: localhost\r\n";
const CLOSE = `${HEAD}Connection: close\r\n`;
/**
 * Time limits that are not under test. They are longer than TEST_MS, so that a test fails if it waits for one
 * of them. TEST_MS is longer than the pauses of a busy machine.
 */
const LONG = { headersMs: 600_000, bodyMs: 600_000, upstreamMs: 600_000, drainMs: 600_000 };
const TEST_MS = 300_000;

/** Creates a promise that the test waits for, and the function that a handler calls to resolve it. */
function signal<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => resolve = settle);
  return { promise, resolve };
}

describe("startGateway(), delivery", () => {
  let fixture: Fixture | undefined;
  let startedAtMs: number;

  beforeEach(() => void (startedAtMs = performance.now()));

  afterEach(async () => {
    const elapsedMs = performance.now() - startedAtMs;
    await fixture?.stop();
    fixture = undefined;
    assertLessOrEqual(elapsedMs, TEST_MS, "the test waited for a time limit that it does not test");
  });

  const start = async (
    answer: (request: IncomingMessage, response: ServerResponse) => void,
    options: Partial<GatewayOptions> = {},
  ): Promise<Fixture> =>
    fixture = await startFixture(answer, { ...options, timeouts: { ...LONG, ...options.timeouts } });

  function assertProblem(received: string, status: number, code: string): void {
    const answer = readAnswer(received);
    assertEquals([answer.status, JSON.parse(answer.body).code], [status, code]);
    assertStringIncludes(answer.head, "connection: close");
  }

  it("uses one upstream connection and one client connection for 100 sequential requests", async () => {
    const warnings: string[] = [];
    const warn = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", warn);
    const { credentials, upstream } = await start(echo);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let i = 0; i < 100; i++) {
      const request = httpsRequest({ ...credentials, agent, method: "POST", path: `/${i}` } as object);
      request.end(`body ${i}`);
      const [answer] = await once(request, "response") as [IncomingMessage];
      ports.add(request.socket?.localPort);
      let text = "";
      for await (const chunk of answer.setEncoding("utf8")) text += chunk;
      assertEquals([JSON.parse(text).url, JSON.parse(text).body], [`/${i}`, `body ${i}`]);
    }
    agent.destroy();
    process.off("warning", warn);
    assertEquals([upstream.connections(), ports.size, warnings], [1, 1, []]);
  });

  it("distributes requests over the upstreams one after another", async () => {
    const names = ["a", "b", "c"];
    const upstreams = await Promise.all(
      names.map((name) => startUpstream((_, response) => response.end(name))),
    );
    const { send } = await start(echo, { upstreams: upstreams.map(({ path }) => path) });
    const seen = [];
    for (let i = 0; i < 6; i++) seen.push((await send(`GET / ${CLOSE}\r\n`)).body);
    for (const upstream of upstreams) await upstream.stop();
    assertEquals(seen, [...names, ...names]);
  });

  it("streams 8 MiB to the service and back, and the size is unchanged", async () => {
    const { credentials } = await start((request, response) => void request.pipe(response));
    const request = httpsRequest({ ...credentials, agent: false, method: "POST", path: "/" } as object);
    let received = 0;
    const finished = once(request, "response").then(async ([answer]) => {
      for await (const chunk of answer) received += chunk.length;
    });
    const chunk = Buffer.alloc(MEBIBYTE, "x");
    for (let i = 0; i < 8; i++) if (!request.write(chunk)) await once(request, "drain");
    request.end();
    await finished;
    assertEquals(received, 8 * MEBIBYTE);
  });

  it("forwards a reply that comes before the whole request", async () => {
    const { open } = await start((_request, response) => {
      response.writeHead(413, { "content-length": 8 }).end("too much");
    });
    const socket = await open();
    socket.write(`POST / ${CLOSE}Content-Length: ${8 * MEBIBYTE}\r\n\r\n`);
    socket.write(Buffer.alloc(8 * MEBIBYTE));
    const answer = readAnswer(await readToEnd(socket));
    assertEquals([answer.status, answer.body], [413, "too much"]);
  });

  it("returns no body for HEAD, 204 and 304", async () => {
    const { send } = await start((request, response) => {
      const status = Number(request.url?.slice(1));
      response.writeHead(status, status === 200 ? { "content-length": 5 } : {}).end();
    });
    assertStringIncludes((await send(`HEAD /200 ${CLOSE}\r\n`)).head, "content-length: 5");
    for (const status of [204, 304]) {
      const answer = await send(`GET /${status} ${CLOSE}\r\n`);
      assertEquals([answer.status, answer.body, answer.head.includes("transfer-encoding")], [
        status,
        "",
        false,
      ]);
    }
  });

  it("returns 503 immediately while the service is down, and serves when it is back", async () => {
    const { send, upstream } = await start(echo);
    await upstream.stop();
    for (const bytes of [`GET / ${CLOSE}\r\n`, `POST / ${CLOSE}Content-Length: 2\r\n\r\nhi`]) {
      const { status, head, body } = await send(bytes);
      assertEquals(status, 503);
      assertStringIncludes(head, "retry-after: 1");
      assertEquals([JSON.parse(body).code, JSON.parse(body).retryable], ["upstream_unavailable", true]);
    }
    upstream.server.listen(upstream.path);
    await once(upstream.server, "listening");
    assertEquals((await send(`GET / ${CLOSE}\r\n`)).status, 200);
  });

  it("reads the rest of a request that it answered itself, and serves the next request", async () => {
    const { open, upstream } = await start(echo);
    await upstream.stop();
    const socket = await open();
    socket.write(`POST / ${HEAD}Content-Length: ${8 * MEBIBYTE}\r\n\r\n`);
    socket.write(Buffer.alloc(8 * MEBIBYTE));
    socket.write(`GET / ${CLOSE}\r\n`);
    assertEquals((await readToEnd(socket)).split("HTTP/1.1 503 ").length - 1, 2);
  });

  it("sends a write once, even if the reused connection breaks", async () => {
    const seen: string[] = [];
    const { send } = await start((request, response) => {
      seen.push(request.url ?? "");
      if (request.url === "/warm") response.end();
      else request.socket.destroy();
    });
    for (const url of ["/warm", "/write-1", "/write-2"]) {
      const { status } = await send(`POST ${url} ${CLOSE}Content-Length: 2\r\n\r\nhi`);
      assertEquals(status, url === "/warm" ? 200 : 503);
    }
    assertEquals(seen, ["/warm", "/write-1", "/write-2"]);
  });

  it("cuts off a reply that the service cut off", async () => {
    const { open } = await start((_request, response) => {
      response.writeHead(200, { "content-length": 10 }).write("half");
      setTimeout(() => response.destroy(), 50);
    });
    const socket = await open();
    socket.write(`GET / ${HEAD}\r\n`);
    const received = await readToEnd(socket).catch(() => "cut");
    assert(received === "cut" || received.endsWith("\r\n\r\nhalf"), received);
  });

  it("returns 504 if the service sends nothing in time", async () => {
    const { send } = await start(() => {}, { timeouts: { upstreamMs: 150 } });
    assertEquals((await send(`POST / ${CLOSE}Content-Length: 2\r\n\r\nhi`)).status, 504);
    const { body } = await send(`GET / ${CLOSE}\r\n`);
    assertEquals([JSON.parse(body).code, JSON.parse(body).retryable], ["upstream_timeout", true]);
  });

  it("lets the client's connection be idle for longer than the upstream time limit", async () => {
    const { open } = await start(echo, { timeouts: { upstreamMs: 3_000, bodyMs: 3_000 } });
    const socket = await open();
    for (const last of [false, true]) {
      socket.write(`POST / ${last ? CLOSE : HEAD}Content-Length: 2\r\n\r\nhi`);
      if (!last) await sleep(4_000);
    }
    assertEquals((await readToEnd(socket)).split("HTTP/1.1 200 OK").length - 1, 2);
  });

  it("waits for the service longer than a body may take, once the whole request has arrived", async () => {
    const { send } = await start((_request, response) => void setTimeout(() => response.end("late"), 4_000), {
      timeouts: { bodyMs: 3_000 },
    });
    const requests = [`GET / ${CLOSE}\r\n`, `POST / ${CLOSE}Content-Length: 2\r\n\r\nhi`];
    const answers = await Promise.all(requests.map((bytes) => send(bytes)));
    assertEquals(answers.map(({ body }) => body), ["late", "late"]);
  });

  it("cuts off a reply that stalls", async () => {
    const { open } = await start((_request, response) => void response.write("half"), {
      timeouts: { upstreamMs: 150 },
    });
    const socket = await open();
    socket.write(`GET / ${HEAD}\r\n`);
    await readToEnd(socket).catch(() => {});
    assertEquals(socket.destroyed, true);
  });

  it("returns 408 if headers or a body do not arrive in time", async () => {
    const { open } = await start(echo, { timeouts: { headersMs: 3_000, bodyMs: 3_000 } });
    const requests = ["GET / HT", `POST / ${HEAD}Content-Length: 10\r\n\r\nhi`];
    await Promise.all(requests.map(async (bytes) => {
      const socket = await open();
      socket.write(bytes);
      assertProblem(await readToEnd(socket), 408, "request_timeout");
    }));
  });

  it("closes the connection if a body keeps trickling in after the reply", async () => {
    const { open } = await start((_request, response) => response.end("early"), {
      timeouts: { bodyMs: 200 },
    });
    const socket = await open();
    socket.write(`POST / ${HEAD}Content-Length: 1000\r\n\r\n`);
    const trickle = setInterval(() => socket.write("x"), 50);
    socket.on("error", () => {});
    await readToEnd(socket).catch(() => {});
    clearInterval(trickle);
    assertEquals(socket.destroyed, true);
  });

  it("aborts the request at the service when the client disconnects", async () => {
    const [arrived, gone] = [signal<void>(), signal<void>()];
    const { open } = await start((_request, response) => {
      response.once("close", () => gone.resolve());
      arrived.resolve();
    });
    const socket = await open();
    socket.write(`GET / ${HEAD}\r\n`);
    await arrived.promise;
    socket.destroy();
    await gone.promise;
  });

  it("answers in-flight requests when it closes, and accepts no new requests", async () => {
    const arrived = signal<ServerResponse>();
    const { gateway, open, send } = await start((_request, response) => arrived.resolve(response));
    const idle = await open();
    const busy = await open();
    busy.write(`GET / ${HEAD}\r\n`);
    const answer = await arrived.promise;
    const started = performance.now();
    const closed = gateway.close();
    await assertRejects(() => send(`GET / ${CLOSE}\r\n`));
    answer.end("late");
    assertStringIncludes(await readToEnd(busy), "late");
    await closed;
    await readToEnd(idle);
    assertLessOrEqual(performance.now() - started, TEST_MS);
  });

  it("does not wait forever for in-flight requests when it closes", async () => {
    const arrived = signal<void>();
    const { gateway, open } = await start(() => arrived.resolve(), { timeouts: { drainMs: 150 } });
    const socket = await open();
    socket.on("error", () => {});
    socket.write(`GET / ${HEAD}\r\n`);
    await arrived.promise;
    const started = performance.now();
    await gateway.close();
    assertLessOrEqual(performance.now() - started, TEST_MS);
  });

  it("reports what to do if the port is taken or no upstream is named", async () => {
    const { authority, server, gateway } = await start(echo);
    const options = { ca: authority.ca, ...server, newRequestId: () => "req_fixture" as const };
    await assertRejects(
      () => startGateway({ ...options, port: gateway.port, upstreams: ["/x"] }),
      GatewayStartError,
      `Port ${gateway.port} is taken. Free it, or choose another.`,
    );
    await assertRejects(
      () => startGateway({ ...options, port: 0, upstreams: [] }),
      GatewayStartError,
      "upstream",
    );
  });
});
