import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import {
  PROBLEM_MEDIA_TYPE,
  problemBody,
  type ProblemCode,
  REPLY_HEADER,
  type RequestId,
} from "@gold-partner/protocol";

/** The reply's parts, the same whether a response object exists or only a socket. */
function compose(code: ProblemCode, requestId: RequestId, detail?: string) {
  const problem = problemBody(code, { requestId, ...(detail === undefined ? {} : { detail }) });
  const body = JSON.stringify(problem);
  const headers: Record<string, string> = {
    "Content-Type": PROBLEM_MEDIA_TYPE,
    "Content-Length": `${Buffer.byteLength(body)}`,
    "Cache-Control": "no-store",
    [REPLY_HEADER.requestId]: requestId,
  };
  if (problem.status === 405) headers.Allow = "GET, POST";
  if (problem.status === 503) headers[REPLY_HEADER.retryAfter] = "1";
  return { status: problem.status, headers, body };
}

export function sendProblem(
  response: ServerResponse,
  code: ProblemCode,
  requestId: RequestId,
  detail?: string,
): void {
  const { status, headers, body } = compose(code, requestId, detail);
  // The rest of a request that is the client's fault is not read on.
  if (status < 500) response.shouldKeepAlive = false;
  response.writeHead(status, headers).end(body);
}

/** For what never became a request; nothing comes after it. */
export function writeProblem(socket: Duplex, code: ProblemCode, requestId: RequestId, detail?: string): void {
  const { status, headers, body } = compose(code, requestId, detail);
  const lines = Object.entries({ ...headers, Connection: "close" }).map(([name, value]) =>
    `${name}: ${value}`
  );
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}
