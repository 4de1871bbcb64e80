/**
 * Requests as exact bytes, one character per byte. Each request must get its verdict on both runtimes,
 * directly and through a proxy.
 */

export interface Sender {
  /** The headers that the proxy would add. Empty if there is a proxy in between. */
  readonly identity: readonly string[];
  readonly token: string;
}

export interface RequestCase {
  readonly text: string;
  /** A status and its code, such as `400 invalid_request`, or only a status. */
  readonly verdict: string;
  /** The verdict behind Envoy, if Envoy reads the request differently. `none` means no HTTP/1.1 answer. */
  readonly envoy?: string;
}

/** Writes a whole request with `Connection: close`. */
export function write(
  { identity }: Pick<Sender, "identity">,
  line: string,
  headers: readonly string[] = [],
  body = "",
): string {
  return [line, "Host: localhost", ...identity, ...headers, "Connection: close", "", body].join("\r\n");
}

/**
 * Bytes that are not a request, or that parsers could read differently, and a few odd requests that are
 * valid.
 */
export function brokenRequests(sender: Sender): RequestCase[] {
  const get = (...headers: string[]) => write(sender, "GET /health HTTP/1.1", headers);
  const line = (text: string) => write(sender, text);
  const token = `Authorization: Bearer ${sender.token}`;
  const post = (headers: string[], body: string) =>
    write(sender, "POST /v1/quotes HTTP/1.1", [token, ...headers], body);
  const chunked = (body: string) => post(["Transfer-Encoding: chunked"], body);
  const whole = get();
  const refused = [
    // The request line.
    ...[
      "\0\0\r\n\r\n",
      "\x16\x03\x01\x02\x00\x01\r\n\r\n",
      "GET /health\r\n\r\n",
    ],
    ...["HTTP/1.2", "HTTP/2.0", "HTTP/3", "HTTX/1.1", "http/1.1", "HTTP/1.1 x"].map((version) =>
      line(`GET /health ${version}`)
    ),
    ...["BREW", "get", " GET", "G(T"].map((method) => line(`${method} /health HTTP/1.1`)),
    ...["health", "", "/a b", "/a\0b", "/a\tb", "/a\x7fb", "/a\xe9b", "\\health"].map((target) =>
      line(`GET ${target} HTTP/1.1`)
    ),
    // Headers.
    get("X: a\0b"),
    get("X: a\x01b"),
    get("X: a\x7fb"),
    get("X : 1"),
    get("X"),
    get(": 1"),
    get("X(: 1"),
    get("X\xe9: 1"),
    whole.replace("Host", " Host"),
    whole.replace("Host: localhost\r\n", ""),
    whole.replace("localhost", ""),
    whole.replace("localhost", "local host"),
    whole.replace("localhost", "user@localhost"),
    get("Host: localhost"),
    get("Host: other.example"),
    get("Expect: 200-ok"),
    // Framing.
    post(["Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\n"),
    post(["Transfer-Encoding: chunked", "Content-Length: 5"], "0\r\n\r\n"),
    ...["-1", "+2", "0x2", "2, 2", "2 2", "two", "", "9".repeat(30)].map((length) =>
      post([`Content-Length: ${length}`], "{}")
    ),
    post(["Content-Length: 2", "Content-Length: 2"], "{}"),
    post(["Content-Length: 2", "Content-Length: 1"], "{}"),
    ...[
      "gzip",
      "identity",
      "xchunked",
      "gzip, chunked",
      "chunked, chunked",
      "identity, chunked",
      "chunked;q=1",
    ]
      .map((coding) => post([`Transfer-Encoding: ${coding}`], "0\r\n\r\n")),
    post(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], "0\r\n\r\n"),
    write(sender, "POST /v1/quotes HTTP/1.0", ["Transfer-Encoding: chunked"], "0\r\n\r\n"),
    ...[
      "zz\r\n",
      "-2\r\n{}\r\n0\r\n\r\n",
      "2\n{}\n0\n\n",
      "2\r\n{}x\r\n0\r\n\r\n",
      `${"f".repeat(17)}\r\n`,
    ]
      .map(chunked),
    chunked("2;a\nb\r\n{}\r\n0\r\n\r\n"),
    chunked("2\r\n{}\r\n0\r\nX 1\r\n\r\n"),
    // Other protocols.
    `GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  ];
  /** Requests that Envoy accepts, and rewrites into well-formed requests before it forwards them. */
  const rewritten = [
    line("GET\t /health HTTP/1.1"),
    get("X: a\rb"),
    get("X: a", " folded"),
    get("X: a", "\tfolded"),
    whole.replaceAll("\r\n", "\n"),
    whole.replace("\r\nHost", "\nHost"),
    whole.replace("\r\n\r\n", "\r\n\n"),
    get("Connection: HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMA").replace(
      ": close",
      ": close, Upgrade",
    ),
  ];
  const verdict = "400 invalid_request";
  return [
    ...refused.map((text) => ({ text, verdict })),
    ...rewritten.map((text) => ({ text, verdict, envoy: "200" })),
    { text: chunked("2 \r\n{}\r\n0\r\n\r\n"), verdict, envoy: "415 unsupported_media_type" },
    // The first bytes of HTTP/2, which Envoy supports.
    { text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", verdict, envoy: "none" },
    { text: line(`${"x".repeat(17_000)} /health HTTP/1.1`), verdict, envoy: "431 header_too_large" },
    { text: line("GET /health HTTP/1.0"), verdict: "200", envoy: verdict },
    { text: line("CONNECT a.example:443 HTTP/1.1"), verdict: "405 method_not_allowed" },
    { text: get(`X: ${"x".repeat(17_000)}`), verdict: "431 header_too_large" },
    {
      text: get(..."y".repeat(2_800).split("").map((name) => `${name}: 12345`)),
      verdict: "431 header_too_large",
    },
    { text: line(`GET /${"x".repeat(17_000)} HTTP/1.1`), verdict: "431 header_too_large" },
    { text: line(`GET /${"x".repeat(8_192)} HTTP/1.1`), verdict: "414 uri_too_long" },
    { text: line(`GET /health?${"x".repeat(8_192)} HTTP/1.1`), verdict: "414 uri_too_long" },
    // The next requests look odd but are well-formed.
    ...[
      whole,
      `\r\n\r\n${whole}`,
      get("X: a\tb"),
      get("X: a\xe9b"),
      get("X:"),
      get("Upgrade: websocket"),
    ]
      .map((text) => ({ text, verdict: "200" })),
  ];
}
