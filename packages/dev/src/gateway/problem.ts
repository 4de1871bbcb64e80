import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { PROBLEM_MEDIA_TYPE, problemBody, type RequestId } from "@gold-partner/protocol";

/** What the gateway itself may answer; everything else is the service's word. */
export type ProblemCode =
  | "invalid_request"
  | "certificate_expired"
  | "method_not_allowed"
  | "request_timeout"
  | "header_too_large"
  | "upstream_unavailable"
  | "upstream_timeout";

/** The answer's parts, the same whether a response object exists or only a socket. */
function compose(code: ProblemCode, requestId: string, detail?: string) {
  const problem = problemBody(code, {
    requestId: requestId as RequestId,
    ...(detail === undefined ? {} : { detail }),
  });
  const body = JSON.stringify(problem);
  const headers: Record<string, string> = {
    "content-type": PROBLEM_MEDIA_TYPE,
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
  };
  if (code === "upstream_unavailable") headers["retry-after"] = "1";
  return { status: problem.status, headers, body };
}

export function sendProblem(
  response: ServerResponse,
  code: ProblemCode,
  requestId: string,
  detail?: string,
): void {
  const { status, headers, body } = compose(code, requestId, detail);
  // The rest of a request that is the client's fault is not read on.
  if (status < 500) response.shouldKeepAlive = false;
  response.writeHead(status, headers).end(body);
}

/** For what never became a request. */
export function writeProblem(socket: Duplex, code: ProblemCode, requestId: string, detail?: string): void {
  const { status, headers, body } = compose(code, requestId, detail);
  const lines = Object.entries({ ...headers, connection: "close" }).map(([name, value]) =>
    `${name}: ${value}`
  );
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}
