import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import {
  ENDPOINTS,
  PROBLEM_MEDIA_TYPE,
  PROBLEM_REGISTRY,
  problemBody,
  type ProblemCode,
  type ProblemOccurrence,
  REPLY_HEADER,
  tokenErrorBody,
} from "@gold-partner/protocol";

const TOO_MANY = PROBLEM_REGISTRY.rate_limited.status;

/**
 * Builds the reply, both for a response object and for a bare socket. The token endpoint uses OAuth's error
 * format.
 */
function compose(code: ProblemCode, occurrence: ProblemOccurrence, target?: string) {
  const oauth = target?.split("?", 1)[0] === ENDPOINTS.issueToken.path;
  const body = JSON.stringify(oauth ? tokenErrorBody(code, occurrence) : problemBody(code, occurrence));
  const { status } = PROBLEM_REGISTRY[code];
  const headers: Record<string, string> = {
    "Content-Type": oauth ? "application/json" : PROBLEM_MEDIA_TYPE,
    "Content-Length": `${Buffer.byteLength(body)}`,
    "Cache-Control": "no-store",
    [REPLY_HEADER.requestId]: occurrence.requestId,
  };
  if (status === 405) headers.Allow = "GET, POST";
  if (status === 503 || status === 429) headers[REPLY_HEADER.retryAfter] = "1";
  return { status, headers, body };
}

export function sendProblem(
  response: ServerResponse,
  code: ProblemCode,
  occurrence: ProblemOccurrence,
  more: Readonly<Record<string, string>> = {},
): void {
  const { status, headers, body } = compose(code, occurrence, response.req.url);
  // Close the connection after a malformed request, because the rest of it is not read.
  if (status < 500 && status !== TOO_MANY) response.shouldKeepAlive = false;
  response.writeHead(status, { ...headers, ...more }).end(body);
}

/** Replies to bytes that could not be parsed as a request, and closes the connection. */
export function writeProblem(socket: Duplex, code: ProblemCode, occurrence: ProblemOccurrence): void {
  const { status, headers, body } = compose(code, occurrence);
  const lines = Object.entries({ ...headers, Connection: "close" }).map(([name, value]) =>
    `${name}: ${value}`
  );
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}
