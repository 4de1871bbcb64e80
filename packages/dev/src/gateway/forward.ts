import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import { type Duplex, pipeline } from "node:stream";
import type { ProblemCode } from "@gold-partner/protocol";
import { hasBody, requestHeaders, responseHeaders } from "./headers.ts";

/** One request on its way, with the answer that it waits for. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The Unix socket of the service. */
  socketPath: string;
  /** Headers that the gateway vouches for. */
  vouched: Record<string, string>;
  /** Answers instead of the service, which has not begun to. */
  refuse(code: ProblemCode, reason: string): void;
}

export interface Patience {
  /** For the whole body to arrive. */
  bodyMs: number;
  /** For the service to do anything at all. */
  upstreamMs: number;
}

/**
 * Keeps connections to the service open. Deno sends a request again, a write too, when a connection that
 * its agent marked as reused breaks off; one that is not marked is sent once, as on Node.
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
export function forward(exchange: Exchange, agent: Agent, patience: Patience): void {
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
  // Read to its end, so that a client that is still sending gets to reading the answer.
  const drain = (): void => void request.unpipe(outgoing).resume();

  const bodyTimer = setTimeout(() => fail("request_timeout", "body too slow"), patience.bodyMs).unref();
  for (const event of ["end", "close"]) request.once(event, () => clearTimeout(bodyTimer));
  response.once("close", () => {
    // The client is gone, or has its answer before the service has the whole request.
    if (!response.writableFinished || !outgoing.writableFinished) outgoing.destroy();
  });

  outgoing.setTimeout(patience.upstreamMs, () => fail("upstream_timeout", "no sign of life"));
  outgoing.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, responseHeaders(answer.rawHeaders));
    // On an error it destroys both: the client sees an answer cut short, never one that looks whole.
    pipeline(answer, response, () => {});
  });
  outgoing.on("error", (error) => {
    if (!response.headersSent) fail("upstream_unavailable", error.message);
  });
  outgoing.once("close", drain);

  // By the framing alone: a body that the headers sent did not announce would be read as another request.
  if (hasBody(request.rawHeaders)) {
    // The service may refuse by the headers alone, whether or not a body ever comes.
    outgoing.flushHeaders();
    request.pipe(outgoing);
  } else {
    request.resume();
    outgoing.end();
  }
}
