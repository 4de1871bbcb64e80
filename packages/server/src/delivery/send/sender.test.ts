import { beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { HEADERS, HOST, testSender, until } from "./sender_fixture.ts";
import { setUp } from "../../../testing/set_up.ts";

const DELIVERED = { error: null, answer: null, retryAfterSeconds: null };

describe("Sender.post()", () => {
  const fixture = setUp(() => testSender());
  beforeEach(() => fixture.receiver.answers((response) => void response.writeHead(204).end()));

  const outcome = async (path?: string, body?: string) => {
    const { durationMs, ...rest } = await fixture.post(path, body);
    assert(Number.isInteger(durationMs) && durationMs >= 0);
    return rest;
  };

  it("sends the exact body, the given headers and its own headers to the URL's path and query", async () => {
    const body = '{"name":"Müller — ذهب"}';
    assertEquals(await outcome("/hooks/a%20b?x=%2F&y", body), { httpStatus: 204, ...DELIVERED });
    const { url, method, rawHeaders, body: arrived } = fixture.receiver.received.at(-1)!;
    assertEquals([url, method, arrived], ["/hooks/a%20b?x=%2F&y", "POST", body]);
    const headers = rawHeaders.flatMap((text, index) =>
      index % 2 === 0 ? [`${text.toLowerCase()}: ${rawHeaders[index + 1]}`] : []
    );
    assertEquals(
      headers.toSorted(),
      [
        "connection: keep-alive",
        `content-length: ${new TextEncoder().encode(body).length}`,
        "content-type: application/json",
        `host: ${HOST}:${fixture.receiver.port}`,
        "user-agent: gold-webhooks/1",
        ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`),
      ].toSorted(),
    );
  });

  it("counts every 2xx status as delivered, whatever the answer's headers say", async () => {
    for (const status of [200, 201, 202, 204, 299]) {
      fixture.receiver.answers((response) =>
        void response.writeHead(status, { "Retry-After": "60", "Content-Encoding": "gzip" }).end()
      );
      assertEquals(await outcome(), { httpStatus: status, ...DELIVERED });
    }
  });

  it("returns any other status with the first bytes of the answer", async () => {
    for (const status of [400, 401, 404, 410, 429, 500, 503, 599]) {
      fixture.receiver.answers((response) => void response.writeHead(status).end("no such path"));
      assertEquals(await outcome(), {
        ...DELIVERED,
        httpStatus: status,
        answer: "no such path",
      });
    }
    fixture.receiver.answers((response) => void response.writeHead(500).end());
    assertEquals((await outcome()).answer, null);
  });

  it("keeps the first 512 bytes of an answer as printable text", async () => {
    const answerTo = async (body: string | Uint8Array) => {
      fixture.receiver.answers((response) => void response.writeHead(500).end(body));
      return (await outcome()).answer;
    };
    assertEquals(await answerTo("x".repeat(512)), "x".repeat(512));
    assertEquals(await answerTo("x".repeat(513)), "x".repeat(512));
    assertEquals(await answerTo(`${"x".repeat(511)}é`), "x".repeat(511));
    assertEquals(
      await answerTo("a\n\r\t\0\u001b[31m\u202eb\u2028c"),
      "a\ufffd\ufffd\ufffd\ufffd\ufffd[31m\ufffdb\ufffdc",
    );
    assertEquals(await answerTo(Uint8Array.of(0x61, 0xff, 0x62)), "a\ufffdb");
    assertEquals(await answerTo("ذهب — 24K"), "ذهب — 24K");
  });

  it("follows no redirect", async () => {
    for (const status of [300, 301, 302, 303, 307, 308]) {
      const before = fixture.receiver.received.length;
      fixture.receiver.answers((response) =>
        void response.writeHead(status, { Location: `https://${HOST}:${fixture.receiver.port}/other` }).end()
      );
      assertEquals(await outcome(), { ...DELIVERED, httpStatus: status, error: "redirect" });
      assertEquals(fixture.receiver.received.length - before, 1);
    }
  });

  it("reads Retry-After as seconds or as a date, and ignores any other value", async () => {
    const nowMs = Date.parse("2026-01-31T09:30:00.500Z");
    const dated = await testSender({ nowMs: () => nowMs });
    const table: Record<string, number | null> = {
      "0": 0,
      "120": 120,
      "9999999999": 9_999_999_999,
      // Infinity, because the number is too large. The retry still waits an hour at most.
      ["9".repeat(400)]: Infinity,
      "Sat, 31 Jan 2026 09:31:00 GMT": 60,
      "Saturday, 31-Jan-26 09:31:00 GMT": 60,
      "Sat Jan 31 09:31:00 2026": 60,
      "Sat, 31 Jan 2026 09:29:00 GMT": 0,
      "1.5": null,
      "-1": null,
      "1e3": null,
      "soon": null,
      "": null,
      "2026-01-31": null,
      "Sat, 99 Jan 2026 09:31:00 GMT": null,
    };
    for (const [text, seconds] of Object.entries(table)) {
      dated.receiver.answers((response) => void response.writeHead(429, { "Retry-After": text }).end());
      assertEquals((await dated.post()).retryAfterSeconds, seconds, text);
    }
    await dated.stop();
  });

  it("reuses a connection, even after an answer with a body", async () => {
    fixture.receiver.answers((response) => void response.writeHead(500).end("x".repeat(2000)));
    await outcome("/again");
    const opened = fixture.receiver.opened();
    for (let count = 0; count < 10; count++) {
      await outcome("/again");
    }
    assertEquals(fixture.receiver.opened(), opened);
  });

  it("uses separate connections for two endpoints", async () => {
    await outcome("/one");
    const opened = fixture.receiver.opened();
    await outcome("/two");
    assertEquals(fixture.receiver.opened(), opened + 1);
  });

  it("closes a connection after some idle seconds", async () => {
    const quiet = await testSender();
    await quiet.post();
    assertEquals(quiet.receiver.open(), 1);
    assert(await until(() => quiet.receiver.open() === 0));
    await quiet.stop();
  });

  it("sends a request again on a new connection if the receiver closed the reused connection", async () => {
    const closing = await testSender();
    let answered = 0;
    // Closes the connection at its second request.
    closing.receiver.answers((response, request) => {
      if (++answered === 2) request.socket.destroy();
      else response.writeHead(204).end();
    });
    assertEquals((await closing.post()).httpStatus, 204);
    assertEquals((await closing.post()).httpStatus, 204);
    assertEquals([closing.receiver.opened(), answered], [2, 3]);
    await closing.stop();
  });

  it("does not send a request again if a new connection was closed", async () => {
    const cutting = await testSender();
    cutting.receiver.answers((_, request) => void request.socket.destroy());
    const { error, httpStatus } = await cutting.post();
    assertEquals([error, httpStatus, cutting.receiver.received.length], ["reset", null, 1]);
    await cutting.stop();
  });

  it("sends concurrent requests on separate connections, and keeps at most 32 open afterwards", async () => {
    const many = await testSender();
    const attempts = await Promise.all(Array.from({ length: 40 }, () => many.post()));
    assertEquals(new Set(attempts.map(({ httpStatus }) => httpStatus)), new Set([204]));
    let kept = Infinity;
    assert(await until(() => (kept = many.receiver.open()) <= 32));
    assertNotEquals(kept, 0);
    await many.stop();
  });

  it('returns an unexpected exception as an attempt with the error "unexpected"', async () => {
    const { httpStatus, error } = await fixture.sender.post(`https://${HOST}:${fixture.receiver.port}/`, {
      "webhook-id": "a\nb",
    }, "{}");
    assertEquals([httpStatus, error], [null, "unexpected"]);
  });
});
