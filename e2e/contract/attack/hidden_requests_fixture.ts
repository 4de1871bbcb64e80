import { request } from "./bytes_fixture.ts";

/**
 * The path of the request that is hidden in another request's body. No other request of hiddenRequests() uses
 * this path.
 */
export const HIDDEN_PATH = "/v1/reserves";

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/**
 * Requests that one parser could read as one request, and another parser as two. Each form is known to have
 * deceived some parser.
 */
export function hiddenRequests(token: string): string[] {
  const auth = `Authorization: Bearer ${token}`;
  const hidden = request(`GET ${HIDDEN_PATH} HTTP/1.1`, [auth]);
  const post = (headers: readonly string[], body: string) =>
    request("POST /v1/quotes HTTP/1.1", [auth, "Content-Type: application/json", ...headers], body);
  const whole = `Content-Length: ${hidden.length}`;
  const ended = `0\r\n\r\n${hidden}`;
  const length = `Content-Length: ${ended.length}`;
  const chunked = "Transfer-Encoding: chunked";
  return [
    // The hidden request is the whole body.
    post([whole], hidden),
    post([chunked], chunk(hidden)),
    request("GET /health HTTP/1.1", [whole], hidden),
    request("DELETE /v1/quotes HTTP/1.1", [chunked], chunk(hidden)),
    post([whole, "Expect: 100-continue"], hidden),
    // Both ways to declare where the body ends.
    post([length, chunked], ended),
    post([chunked, length], ended),
    post(["Content-Length: 4", chunked], `5c\r\n${ended}`),
    // The transfer coding, spelled in a way that only some parsers accept.
    ...[
      "Transfer-Encoding: xchunked",
      "Transfer-Encoding : chunked",
      "Transfer-Encoding:\x0bchunked",
      "Transfer-Encoding: chunked\x00",
      "Transfer-Encoding: \x00chunked",
      "Transfer-Encoding: chunked, identity",
      "Transfer-Encoding: identity, chunked",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
      "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
      'Transfer-Encoding: "chunked"',
      "Transfer-Encoding:\r\n chunked",
      "X: 1\r\n Transfer-Encoding: chunked",
      "X: 1\rTransfer-Encoding: chunked",
      "X: 1\nTransfer-Encoding: chunked",
      "Transfer_Encoding: chunked",
      " Transfer-Encoding: chunked",
      "Transfer-Encoding\x00: chunked",
      "Transfer-Encoding: chunked;q=1",
    ].map((coding) => post([length, coding], ended)),
    // Two lengths, or one length that parsers read in different ways.
    ...[
      ["Content-Length: 0", length],
      [length, "Content-Length: 0"],
      [`Content-Length: 0, ${ended.length}`],
      [`Content-Length: +${ended.length}`],
      [`Content-Length: 0x${ended.length.toString(16)}`],
      [`Content-Length: ${ended.length}\x00`],
      [`Content-Length : ${ended.length}`],
      [`X: 1\r\n Content-Length: ${ended.length}`],
      [`Content_Length: ${ended.length}`, "Content-Length: 0"],
      [`Content-Length: ${2 ** 64 + ended.length}`],
    ].map((lengths) => post(lengths, ended)).map(closing),
    // Sizes of chunks that parsers read in different ways.
    ...[
      `10000000000000000${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
      `-1\r\n${hidden}`,
      `0x0\r\n\r\n${hidden}`,
      `0;\n\r\n\r\n${hidden}`,
      `2;a="\r\n{}\r\n0\r\n\r\n${hidden}"\r\n{}\r\n0\r\n\r\n`,
      `2\r\n{}${ended}`,
      `2\n{}\n0\n\n${hidden}`,
      `ffffffffffffffff\r\n${hidden}`,
    ].map((body) => post([chunked], body)).map(closing),
    // The hidden request is in a trailer, after a change of protocol, or in a folded header.
    post([chunked], `2\r\n{}\r\n0\r\nX: 1\r\n ${hidden.replaceAll("\r\n", "\r\n ")}\r\n\r\n`),
    request("GET /health HTTP/1.1", [
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMA",
      whole,
    ], hidden),
    request("CONNECT localhost:443 HTTP/1.1", [whole], hidden),
    request(`POST /v1/quotes HTTP/1.1\r\nX: ${hidden.replaceAll("\r\n", "\r\n ")}`, [whole], hidden),
  ];
}

/**
 * Adds `Connection: close`, which says that no request follows. Some parsers end the first request where the
 * hidden request begins. Without this header, they would treat the hidden request as an ordinary second
 * request.
 */
const closing = (text: string) => text.replace("Host:", "Connection: close\r\nHost:");
