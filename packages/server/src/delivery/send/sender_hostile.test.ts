import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { assert, assertEquals } from "@std/assert";
import { startPlace } from "./receiver_fixture.ts";
import { HEADERS, type TestSender, testSender, until } from "./sender_fixture.ts";
import { setUp } from "../../../testing/set_up.ts";

const DEADLINE_MS = 500;
/** A deadline that no attempt reaches, even on a busy machine. For tests of everything but the deadline. */
const LONG_DEADLINE_MS = 10_000;

describe("Sender.post() to a hostile receiver", () => {
  const fixture = setUp(() => testSender({ deadlineMs: LONG_DEADLINE_MS }));
  const hurried = setUp(() => testSender({ deadlineMs: DEADLINE_MS }));

  type Answer = Parameters<TestSender["receiver"]["answers"]>[0];
  /** Returns the result and how long it took; checks that the connection is closed. */
  async function attempt(answer: Answer, { receiver, post } = fixture) {
    receiver.answers(answer);
    const startedMs = performance.now();
    const { httpStatus, error, answer: text, durationMs } = await post(`/${receiver.opened()}`);
    const tookMs = performance.now() - startedMs;
    assert(await until(() => receiver.open() === 0), "the connection is still open");
    return { httpStatus, error, text, tookMs, durationMs };
  }
  const errorAfter = async (answer: Answer) => {
    const { httpStatus, error } = await attempt(answer);
    return httpStatus ?? error;
  };
  const errorInTime = async (answer: Answer) => {
    const { error, tookMs } = await attempt(answer, hurried);
    assert(tookMs >= DEADLINE_MS - 10 && tookMs < LONG_DEADLINE_MS, `${tookMs} ms`);
    return error;
  };
  const writes = (bytes: string, then: "hold" | "cut" = "hold"): Answer => (_, { socket }) => {
    socket.write(bytes);
    if (then === "cut") setTimeout(() => socket.destroy(), 20);
  };
  const drips = (head: string, drop: string, everyMs: number): Answer => (_, { socket }) => {
    // Skip an empty write, because Deno writes nothing more on a connection after it.
    if (head !== "") socket.write(head);
    const timer = setInterval(() => socket.write(drop), everyMs);
    socket.once("close", () => clearInterval(timer));
  };

  it("stops at the deadline, even while the receiver sends bytes slowly", async () => {
    assertEquals(await errorInTime(() => {}), "timeout");
    assertEquals(await errorInTime(writes("HTTP/1.1 200 OK\r\n")), "timeout");
    assertEquals(await errorInTime(drips("HTTP/1.1 200 OK\r\nX: ", "x", 20)), "timeout");
    assertEquals(await errorInTime(drips("", "HTTP/1.1 103 Early Hints\r\n\r\n", 100)), "timeout");
  });

  it("accepts up to eight interim answers", async () => {
    const interim = "HTTP/1.1 103 Early Hints\r\n\r\n";
    const last = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
    assertEquals(await errorAfter(writes(interim.repeat(8) + last)), 204);
    assertEquals(await errorAfter(writes(interim.repeat(9) + last)), "answer_invalid");
    assertEquals(await errorAfter(drips("", interim.repeat(50), 1)), "answer_invalid");
  });

  it("rejects bytes that are not a valid HTTP/1.1 answer", async () => {
    const broken = [
      "hello world\n",
      "HTTP/3.0 200 OK\r\n\r\n",
      "HTTP/1.1 2x0 OK\r\n\r\n",
      ...["000", "099", "600", "999"].map((status) => `HTTP/1.1 ${status} OK\r\nContent-Length: 0\r\n\r\n`),
      "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      `HTTP/1.1 200 OK\r\nX: ${"x".repeat(40_000)}\r\n\r\n`,
      `HTTP/1.1 200 OK\r\n${"X: y\r\n".repeat(10_000)}\r\n`,
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\u0000".repeat(100),
    ];
    for (const bytes of broken) {
      assertEquals(await errorAfter(writes(bytes)), "answer_invalid", JSON.stringify(bytes.slice(0, 60)));
    }
    assertEquals(
      await errorAfter(drips("HTTP/1.1 200 OK\r\n", "X: yyyyyyyyyyyyyyyyyy\r\n".repeat(100), 1)),
      "answer_invalid",
    );
  });

  it("fails if the connection ends before the answer's head, and keeps the status otherwise", async () => {
    assertEquals(await errorAfter((_, { socket }) => void socket.destroy()), "reset");
    assertEquals(await errorAfter((_, { socket }) => void socket.end()), "reset");
    assertEquals(await errorAfter(writes("HTTP/1.1 200 OK\r\nX: ", "cut")), "reset");
    assertEquals(await errorAfter(writes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "cut")), 200);
    const cut = await attempt(writes("HTTP/1.1 500 Oops\r\nContent-Length: 9\r\n\r\nabc", "cut"));
    assertEquals([cut.httpStatus, cut.error, cut.text], [500, null, "abc"]);
  });

  it("reads only the beginning of a long answer and then closes the connection", async () => {
    const wrote = { bytes: 0 };
    const endless = (status: number): Answer => (response) => {
      wrote.bytes = 0;
      const part = "x".repeat(65_536);
      response.writeHead(status, { "Content-Length": 10_485_760 });
      const go = () => {
        while (!response.destroyed && wrote.bytes < 10_485_760) {
          wrote.bytes += part.length;
          if (!response.write(part)) return void response.once("drain", go);
        }
      };
      go();
    };
    for (const status of [200, 500]) {
      const { httpStatus, error, text, tookMs } = await attempt(endless(status));
      assertEquals([httpStatus, error, text], [status, null, status === 200 ? null : "x".repeat(512)]);
      assert(wrote.bytes < 8_388_608, `${tookMs} ms, ${wrote.bytes} bytes`);
    }
  });

  it("reads a slow answer for one second and then closes the connection", async () => {
    const slow = await attempt(drips("HTTP/1.1 500 Oops\r\nContent-Length: 1000\r\n\r\nxx", "x", 50));
    assertEquals([slow.httpStatus, slow.error], [500, null]);
    assert(
      slow.tookMs > 900 && slow.tookMs < 20_000 && /^x{2,100}$/.test(slow.text!),
      `${slow.tookMs} ms, ${slow.text}`,
    );
    const delivered = await attempt(drips("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", "x", 50));
    assertEquals(delivered.httpStatus, 200);
    assert(
      slow.durationMs < slow.tookMs - 500 && delivered.durationMs < delivered.tookMs - 500,
      "durationMs must end at the answer's head",
    );
    assert(delivered.tookMs > 900 && delivered.tookMs < 20_000, `${delivered.tookMs} ms`);
  });

  it("requests no compression, and does not decompress an answer", async () => {
    const bomb = gzipSync(Buffer.alloc(10_485_760));
    const { httpStatus, text } = await attempt((response) =>
      void response.writeHead(500, { "Content-Encoding": "gzip", "Connection": "close" }).end(bomb)
    );
    assertEquals(httpStatus, 500);
    assert(text!.length <= 512 && !/^\0/.test(text!));
    const { rawHeaders } = fixture.receiver.received.at(-1)!;
    assert(!rawHeaders.some((name) => /^(accept-encoding|te|cookie|authorization)$/i.test(name)));
  });

  it("reports a silent server, a server without TLS, and a port where nobody listens", async () => {
    const silent = await startPlace();
    const clear = await startPlace((socket) => void socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    const cutting = await startPlace((socket) => void socket.destroy());
    const gone = await startPlace();
    await gone.stop();
    const errorAt = async ({ port }: { port: number }, { sender } = fixture) =>
      (await sender.post(`https://127.0.0.1:${port}/`, HEADERS, "{}")).error;
    assertEquals(await errorAt(silent, hurried), "timeout");
    assertEquals(await errorAt(clear), "tls_failed");
    assertEquals(await errorAt(cutting), "tls_failed");
    assertEquals(await errorAt(gone), "connect_failed");
    await Promise.all([silent, clear, cutting].map((place) => place.stop()));
  });
});
