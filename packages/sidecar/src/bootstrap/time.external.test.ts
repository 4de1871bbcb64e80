import { once } from "node:events";
import { assert, assertEquals } from "@std/assert";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { request, startTestEnvoy, type TestEnvoy } from "../envoy_fixture.ts";

const SLOW_BODY = "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf";
const SLOW_HEADERS = "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Nonce:";

describe("a request or handshake that a client does not finish, or that the service does not answer", () => {
  let fixture: TestEnvoy;
  before(async () =>
    void (fixture = await startTestEnvoy(
      {},
      (incoming, answer) => void (incoming.url === "/hang" || answer.end("ok")),
    ))
  );
  after(() => fixture.stop());

  const timed = async <T>(answer: Promise<T>): Promise<readonly [T, number]> => {
    const start = performance.now();
    return [await answer, (performance.now() - start) / 1000];
  };
  const refusal = async (bytes: string): Promise<[number, string]> => {
    const { status, body } = await fixture.send(bytes);
    return [status, JSON.parse(body).code];
  };

  it("is ended by its timeout, while other requests are served", async () => {
    const silent = connect(fixture.envoy.ports[0]!, "127.0.0.1");
    const slow = Promise.all([
      timed(refusal(SLOW_HEADERS)),
      timed(refusal(SLOW_BODY)),
      timed(refusal(request("GET /hang"))),
      timed(once(silent.resume(), "close")),
    ]);
    let ended = false;
    void slow.finally(() => ended = true);
    while (!ended) {
      const [, waited] = await timed(fixture.send(request("GET /health")));
      // The first slow request ends after 10 s. A request that had to wait behind the slow requests would
      // therefore take at least 10 s.
      assert(waited < 8, `${waited}`);
    }
    const [[headers, headersSeconds], [body, bodySeconds], [hang, hangSeconds], [, silentSeconds]] =
      await slow;
    assertEquals([headers, body], [[408, "request_timeout"], [408, "request_timeout"]]);
    assertEquals(hang, [504, "upstream_timeout"]);
    // Allow up to 5 s more than the timeout. Any two of these timeouts differ by at least 5 s.
    const around = (seconds: number, expected: number) => seconds > expected - 1 && seconds < expected + 5;
    assert(around(headersSeconds, 10), `headers: ${headersSeconds}`);
    assert(around(bodySeconds, 15), `body: ${bodySeconds}`);
    assert(around(hangSeconds, 30), `answer: ${hangSeconds}`);
    assert(around(silentSeconds, 3), `handshake: ${silentSeconds}`);
    assertEquals(fixture.arrived.filter(({ target }) => target !== "/health").map(({ target }) => target), [
      "/hang",
    ]);
  });
});
