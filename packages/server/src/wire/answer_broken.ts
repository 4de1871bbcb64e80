import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ProblemCode, RequestId } from "@gold-partner/protocol";
import { writeProblem } from "./problem.ts";

interface BrokenOptions {
  newRequestId(): RequestId;
  /** Told of each connection that is refused; without a code where nobody is there to be answered. */
  refused(reason: string, code?: ProblemCode, requestId?: RequestId): void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** How long what still comes is read and dropped: a reset would take the answer away from whoever is still sending. */
const LINGER_MS = 1000;

const NOT_HTTP = "The request line, a header or the body's framing is not well-formed HTTP/1.1.";
const NO_OTHER_PROTOCOL = "No other protocol is offered. Leave Upgrade away.";

/** Answers what the parser refuses in the form of every other refusal, where nobody can take it for another's answer. */
export function answerBroken(server: Server, { newRequestId, refused }: BrokenOptions): void {
  const latest = new WeakMap<Duplex, Exchange>();
  const broken = new WeakSet<Duplex>();
  server.on("request", (request, response) => latest.set(request.socket, { request, response }));
  // Judged with the other headers.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));

  const refuse = (socket: Duplex, code: ProblemCode, reason: string, detail?: string): void => {
    // Deno adds a listener with every error of its parser, and what is dropped may hold many for as long as it is read.
    socket.setMaxListeners(0);
    const exchange = latest.get(socket);
    // What comes after the last answer, or after the first fault, is dropped.
    if (!socket.writable || broken.has(socket) || (exchange && isLast(exchange))) return;
    broken.add(socket);
    const requestId = newRequestId();
    refused(reason, code, requestId);
    if (!exchange || mayBeAnswered(exchange)) {
      writeProblem(socket, code, requestId, detail);
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    } else if (isUnderWay(exchange)) {
      // It may be executed, so it gets its own answer; then there is an end.
      exchange.response.shouldKeepAlive = false;
      exchange.response.once("close", () => socket.end());
    } else socket.destroy();
  };

  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const code = problemOf(error);
    if (code) return refuse(socket, code, error.code!, code === "invalid_request" ? NOT_HTTP : undefined);
    // The connection or its TLS failed, or the client is gone: nobody reads an answer.
    refused(`${error.code ?? ""} ${error.message}`.trim());
    socket.destroy();
  });
  server.on("connect", (_request, socket) => refuse(socket, "method_not_allowed", "CONNECT"));
  server.on("upgrade", (_request, socket) => refuse(socket, "invalid_request", "Upgrade", NO_OTHER_PROTOCOL));
}

/** Answered, with the word that the connection closes. */
function isLast({ response }: Exchange): boolean {
  return response.headersSent && !response.shouldKeepAlive;
}

/** All of it arrived, so it is being worked on. */
function isUnderWay({ request, response }: Exchange): boolean {
  return request.complete && !response.writableFinished;
}

/** Its answer is out and a new message began, or it is the only one on its way, and broke before there was an answer. */
function mayBeAnswered({ request, response }: Exchange): boolean {
  if (request.complete) return response.writableFinished;
  return response.socket !== null && !response.headersSent;
}

function problemOf({ code = "" }: NodeJS.ErrnoException): ProblemCode | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return "header_too_large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout";
  // Node alone says so when a client ends in the middle; Deno closes without a word.
  if (code === "HPE_INVALID_EOF_STATE") return undefined;
  return code.startsWith("HPE_") ? "invalid_request" : undefined;
}
