import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import { type Duplex, pipeline, Writable } from "node:stream";
import type { ProblemCode } from "@gold-partner/protocol";
import { hasBody, requestHeaders, responseHeaders } from "./headers.ts";

/** One in-flight request and its response. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The Unix socket of the service. */
  socketPath: string;
  /** The headers that the gateway itself adds, and that the service trusts. */
  vouched: Record<string, string>;
  /** Answers instead of the service. Call it only before the service's response has begun. */
  refuse(code: ProblemCode, reason: string): void;
}

export interface ForwardTimeouts {
  /** The time in which the whole body must arrive. */
  bodyMs: number;
  /** The longest time without activity on the connection to the service. */
  upstreamMs: number;
}

/**
 * Keeps connections to the service open. Sets `reusedSocket` to false, so that Deno sends each request once,
 * as Node does. Otherwise Deno sends a request again, even a write, if a reused connection breaks.
 */
export class SendOnceAgent extends Agent {
  constructor() {
    super({ keepAlive: true });
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    super.reuseSocket(socket, request);
    request.reusedSocket = false;
  }
}

/** Sends the request to the service and streams its answer back. Nothing is ever sent twice. */
export function forward(exchange: Exchange, agent: Agent, timeouts: ForwardTimeouts): void {
  const { request, response, socketPath } = exchange;
  const outgoing = httpRequest({
    agent,
    socketPath,
    method: request.method ?? "",
    path: request.url ?? "",
    headers: requestHeaders(request.rawHeaders, exchange.vouched),
  });

  const fail = (code: ProblemCode, reason: string): void => {
    outgoing.destroy();
    if (response.headersSent) request.socket.destroy();
    else exchange.refuse(code, reason);
  };
  // Read the rest of the request even if it is not needed. Some clients read the answer only after they have
  // sent everything.
  const drain = (): void => void request.unpipe(outgoing).resume();

  const bodyTimer = setTimeout(() => fail("request_timeout", "body too slow"), timeouts.bodyMs).unref();
  for (const event of ["end", "close"]) request.once(event, () => clearTimeout(bodyTimer));
  response.once("close", () => {
    // Destroy the request if the client disconnected, or got its answer before the service had the whole
    // request.
    if (!response.writableFinished || !outgoing.writableFinished) outgoing.destroy();
  });

  outgoing.setTimeout(
    timeouts.upstreamMs,
    () => fail("upstream_timeout", "the service sent nothing in time"),
  );
  outgoing.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, responseHeaders(answer.rawHeaders));
    // On an error, pipeline() destroys both streams, so that the client sees a truncated answer and not one
    // that looks complete.
    pipeline(answer, endingWithChunk(response, Number(answer.headers["content-length"])), () => {});
  });
  outgoing.on("error", (error) => {
    if (!response.headersSent) fail("upstream_unavailable", error.message);
  });
  outgoing.once("close", drain);

  // Send a body only if the framing headers announce one. Otherwise the service would read the body as
  // another request.
  if (hasBody(request.rawHeaders)) {
    // Send the headers now, because the service may refuse the request before any body arrives.
    outgoing.flushHeaders();
    request.pipe(outgoing);
  } else {
    request.resume();
    outgoing.end();
  }
}

/**
 * A stream that writes the body to the response and passes its last piece to end(). `bytes` is the
 * Content-Length. If end() gets nothing, Deno 2.9 does not finish some responses over TLS (for example of
 * 460,000 bytes), and the connection then hangs. A response with `Transfer-Encoding: chunked` needs no such
 * stream, because end() always sends the terminating chunk.
 */
function endingWithChunk(response: ServerResponse, bytes: number): Writable {
  let left = bytes;
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      left -= chunk.length;
      if (left === 0) response.end(chunk, done);
      else if (response.write(chunk)) done();
      else response.once("drain", done);
    },
    final(done) {
      if (response.writableEnded) done();
      else response.end(done);
    },
    destroy(error, done) {
      if (error) response.destroy();
      done(error);
    },
  });
}
