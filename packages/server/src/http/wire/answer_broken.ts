import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ProblemCode, RequestId } from "@gold-partner/protocol";
import { writeProblem } from "./problem.ts";

interface BrokenOptions {
  newRequestId(): RequestId;
  readonly docsUrl?: string | undefined;
  /** Default: LINGER_MS. */
  readonly lingerMs?: number | undefined;
  /**
   * Called for each refused connection. `code` is undefined if no answer is sent, because nobody would read
   * it.
   */
  refused(reason: string, code?: ProblemCode, requestId?: RequestId): void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * After the answer, the service reads and drops arriving bytes for this long. Closing at once would reset the
 * connection, and a client that is still sending would lose the answer.
 */
const LINGER_MS = 1000;

const NOT_HTTP = "The request line, a header or the body's framing is not well-formed HTTP/1.1.";
const NO_OTHER_PROTOCOL = "This service speaks only HTTP/1.1. Send the request without Upgrade.";

/**
 * Answers bytes that the parser refuses. The answer is a problem, like every other refusal. Sends nothing if
 * the client could mistake the problem for the answer to another request.
 */
export function answerBroken(
  server: Server,
  { newRequestId, docsUrl, lingerMs = LINGER_MS, refused }: BrokenOptions,
): void {
  const latest = new WeakMap<Duplex, Exchange>();
  const broken = new WeakSet<Duplex>();
  server.on("request", (request, response) => latest.set(request.socket, { request, response }));
  // Handle the request as usual, because findFault() checks Expect together with the other headers.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));

  const refuse = (socket: Duplex, code: ProblemCode, reason: string, detail?: string): void => {
    // Avoid a warning of too many listeners. Deno adds a listener for every parser error, and dropped bytes
    // can cause many.
    socket.setMaxListeners(0);
    const exchange = latest.get(socket);
    // Drop bytes after the last answer, or after the first fault.
    if (!socket.writable || broken.has(socket) || (exchange && isLast(exchange))) return;
    broken.add(socket);
    const requestId = newRequestId();
    refused(reason, code, requestId);
    if (!exchange || mayBeAnswered(exchange)) {
      writeProblem(socket, code, { requestId, docsUrl, ...(detail === undefined ? {} : { detail }) });
      setTimeout(() => socket.destroy(), lingerMs).unref();
    } else if (isInFlight(exchange)) {
      // Let the earlier request get its own answer, because it may be executed. Then the connection closes.
      exchange.response.shouldKeepAlive = false;
      exchange.response.once("close", () => socket.end());
    } else socket.destroy();
  };

  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const code = problemOf(error);
    if (code) return refuse(socket, code, error.code!, code === "invalid_request" ? NOT_HTTP : undefined);
    // Send no answer, because nobody would read it: the connection or its TLS failed, or the client has
    // disconnected.
    refused(`${error.code ?? ""} ${error.message}`.trim());
    socket.destroy();
  });
  server.on("connect", (_request, socket) => refuse(socket, "method_not_allowed", "CONNECT"));
  server.on("upgrade", (_request, socket) => refuse(socket, "invalid_request", "Upgrade", NO_OTHER_PROTOCOL));
}

/** True if the answer's headers were sent and say that the connection closes. */
function isLast({ response }: Exchange): boolean {
  return response.headersSent && !response.shouldKeepAlive;
}

/** True if the whole request arrived and its answer is not complete yet. */
function isInFlight({ request, response }: Exchange): boolean {
  return request.complete && !response.writableFinished;
}

/**
 * True if a problem can be sent. There are two cases. The latest request has its whole answer, so the fault
 * belongs to a new message. Or the latest request itself is broken, no earlier answer is pending, and its own
 * answer has not begun.
 */
function mayBeAnswered({ request, response }: Exchange): boolean {
  if (request.complete) return response.writableFinished;
  return response.socket !== null && !response.headersSent;
}

function problemOf({ code = "" }: NodeJS.ErrnoException): ProblemCode | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return "header_too_large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout";
  // Send no answer to a client that disconnected in the middle of a message. Only Node reports this; Deno
  // closes without an event.
  if (code === "HPE_INVALID_EOF_STATE") return undefined;
  return code.startsWith("HPE_") ? "invalid_request" : undefined;
}
