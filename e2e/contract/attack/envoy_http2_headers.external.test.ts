import { after, before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { eachOf } from "./bytes_fixture.ts";
import { type Field, headers } from "./frames_fixture.ts";
import { fieldsOf } from "./http2_wire_fixture.ts";
import { Siege } from "./siege_fixture.ts";

const VERDICT_MS = 30_000;
const ELSEWHERE = "other.example";

describe("unusual HTTP/2 headers through Envoy", () => {
  let siege: Siege;
  let host: string;
  before(async () => {
    siege = await Siege.open();
    host = new URL(siege.stack.running.baseUrl).host;
  });
  after(() => siege?.close());

  const get = (...more: Field[]) => fieldsOf(host, "/health", more);
  const at = (path: string) => fieldsOf(host, path);
  const by = (method: string, ...more: Field[]) => fieldsOf(host, "/health", more, method);
  const without = (name: string) => get().filter(([one]) => one !== name);

  /**
   * Returns the outcome of each case, and how many requests reached the service, by route and status.
   */
  async function judge(what: string, cases: Readonly<Record<string, readonly Field[]>>) {
    const verdicts: Record<string, string> = {};
    const reached = await siege.withstand(
      what,
      () =>
        eachOf(Object.entries(cases), async ([name, fields]) => {
          const wire = await siege.openHttp2();
          verdicts[name] = await wire.write(headers(1, fields)).untilVerdict(1, VERDICT_MS);
          wire.close();
        }),
    );
    return { verdicts, reached };
  }

  it("are refused if they are invalid, or would form another request in HTTP/1.1", async () => {
    const second = "GET /v1/reserves HTTP/1.1\r\nHost: localhost\r\n\r\nGET";
    const { verdicts, reached } = await judge("pseudo-headers and headers", {
      "path with a space": at("/health x"),
      "path with a fragment": at("/health#x"),
      "path with a tab": at("/health\t"),
      "path with NUL": at("/health\0"),
      "path with a line end": at("/health\r\nX: 1"),
      "path beyond ASCII": at("/health\xe9"),
      "escaped slash": at("/v1%2fprices"),
      "escaped letter": at("/v1/%70rices"),
      "two slashes": at("//health"),
      "dots": at("/x/../health"),
      "no path": without(":path"),
      "empty path": at(""),
      "path without a slash": at("health"),
      "absolute path": at(`https://${host}/health`),
      "asterisk": fieldsOf(host, "*", [], "OPTIONS"),
      "two paths": get([":path", "/v1/prices"]),
      "two methods": get([":method", "POST"]),
      "two authorities": get([":authority", ELSEWHERE]),
      "no authority": without(":authority"),
      "another authority": fieldsOf(ELSEWHERE, "/health"),
      "another authority than host": fieldsOf(ELSEWHERE, "/health", [["host", host]]),
      "authority with a user": fieldsOf(`x@${host}`, "/health"),
      "no scheme": without(":scheme"),
      "scheme with a line end": [[":scheme", "https://a/\r\nx: "], ...without(":scheme")],
      "no method": without(":method"),
      "empty method": by(""),
      "method with another request": by(second),
      "method in lower case": by("get"),
      "TRACE": by("TRACE"),
      "CONNECT": [[":method", "CONNECT"], [":authority", host]],
      "CONNECT with a path": by("CONNECT"),
      "extended CONNECT": by("CONNECT", [":protocol", "websocket"]),
      "pseudo-header after another header": [["x", "1"], ...get()],
      "unknown pseudo-header": get([":gold", "1"]),
      "status in a request": get([":status", "200"]),
      "upper-case name": get(["X-Up", "1"]),
      "name with a space": get(["x y", "1"]),
      "name with a colon": get(["x:y", "1"]),
      "name with a line end": get(["x: 1\r\nx-client-ip", "192.0.2.1"]),
      "name with an underscore": get(["x_client_ip", "192.0.2.1"]),
      "no name": get(["", "1"]),
      "value with a line end": get(["x", "1\r\nx-client-ip: 192.0.2.1"]),
      "value with half a line end": get(["x", "1\nx-client-ip: 192.0.2.1"]),
      "value with NUL": get(["x", "1\0"]),
      "connection": get(["connection", "x-client-ip"]),
      "keep-alive": get(["keep-alive", "1"]),
      "proxy-connection": get(["proxy-connection", "close"]),
      "upgrade": get(["upgrade", "h2c"]),
      "transfer-encoding": get(["transfer-encoding", "chunked"]),
      "te": get(["te", "gzip"]),
      "length without a body": get(["content-length", "5"]),
      "negative length": get(["content-length", "-1"]),
      "two lengths": get(["content-length", "0"], ["content-length", "0"]),
    });
    const refused = /^(4\d\d .*|reset|goaway|closed)$/;
    assertEquals(Object.entries(verdicts).filter(([, verdict]) => !refused.test(verdict)), []);
    assertEquals(Object.keys(reached).filter((one) => one.startsWith("/v1/reserves")), []);
  });

  it("are accepted if their meaning is unambiguous", async () => {
    const { verdicts } = await judge("harmless headers", {
      "host beside the authority": get(["host", ELSEWHERE]),
      "host in place of the authority": [...without(":authority"), ["host", host]],
      "te: trailers": get(["te", "trailers"]),
      "another scheme": [[":scheme", "http"], ...without(":scheme")],
      "two cookies": get(["cookie", "a=1"], ["cookie", "b=2"]),
      "another client's hash": get(["x-forwarded-client-cert", `Hash=${"a".repeat(64)}`]),
      "another client's address": get(["x-client-ip", "192.0.2.1"]),
    });
    assertEquals(new Set(Object.values(verdicts)), new Set(["200"]));
  });
});
