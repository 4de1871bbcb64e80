import { constants } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ProblemCode, RequestId } from "@gold-partner/protocol";
import { answerBroken, findFault, sendProblem } from "@gold-partner/server";
import { type Exchange, forward, type ForwardTimeouts, SendOnceAgent } from "./forward.ts";
import { identifyPeer } from "./peer.ts";

export interface GatewayOptions {
  /** 0 selects a free port. */
  port: number;
  /** Default: 127.0.0.1, so that only this machine can connect. */
  host?: string;
  /** The CA whose client certificates the gateway accepts, as PEM. */
  ca: string;
  /** The gateway's own certificate and key, as PEM. */
  cert: string;
  key: string;
  /** Unix sockets of the service. Each request goes to the next socket in the list. */
  upstreams: string[];
  /** Sent to the service as X-Gold-Proxy-Secret. */
  proxySecret?: string;
  newRequestId: () => RequestId;
  log?: (line: string) => void;
  timeouts?: Partial<GatewayTimeouts>;
}

export interface GatewayTimeouts extends ForwardTimeouts {
  headersMs: number;
  /** The time for in-flight requests to finish when the gateway closes. */
  drainMs: number;
}

export interface Gateway {
  port: number;
  /**
   * Accepts no more connections. Resolves when all in-flight requests have been answered, or after `drainMs`.
   */
  close(): Promise<void>;
}

export class GatewayStartError extends Error {
  override name = "GatewayStartError";
}

const DEFAULT_TIMEOUTS: GatewayTimeouts = {
  headersMs: 10_000,
  bodyMs: 15_000,
  upstreamMs: 30_000,
  drainMs: 10_000,
};
const HEADER_BYTES = 16 * 1024;

/** Terminates mutual TLS in front of the service, as Envoy does in production, on one machine. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const agent = new SendOnceAgent();
  const server = createTlsServer(options, timeouts);
  const answer = createAnswerer(options, (exchange) => forward(exchange, agent, timeouts));
  const connections = new Set<Socket>();
  const inFlight = new Set<Duplex>();
  let closing = false;
  // Closes idle connections, including those without a request, which Node does not count as idle.
  const closeIdle = (): void => {
    for (const socket of connections) if (!inFlight.has(socket)) socket.destroy();
  };

  server.on("secureConnection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", (request, response) => {
    inFlight.add(request.socket);
    if (closing) response.shouldKeepAlive = false;
    response.once("close", () => {
      inFlight.delete(request.socket);
      if (closing) request.socket.end();
    });
    answer(request, response);
  });
  answerBroken(server, {
    newRequestId: options.newRequestId,
    refused: (reason) => options.log?.(`connection refused: ${reason}`),
  });

  const port = await listen(server, options);
  return {
    port,
    close: async () => {
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      closeIdle();
      const giveUp = setTimeout(() => server.closeAllConnections(), timeouts.drainMs);
      await closed;
      clearTimeout(giveUp);
      agent.destroy();
    },
  };
}

function createTlsServer({ ca, cert, key }: GatewayOptions, timeouts: GatewayTimeouts): Server {
  const server = createServer({
    ca,
    cert,
    key,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
    // Disable session resumption, because a resumed session admits a certificate without checking it again.
    // Deno resumes sessions anyway, so the gateway also checks the expiry at each request.
    secureOptions: constants.SSL_OP_NO_TICKET,
    handshakeTimeout: timeouts.headersMs,
    headersTimeout: timeouts.headersMs,
    connectionsCheckingInterval: Math.min(1_000, timeouts.headersMs),
    // 0 turns Node's timer off. forward() has its own timer for the body, which answers request_timeout.
    requestTimeout: 0,
    maxHeaderSize: HEADER_BYTES,
    // Leave this check to the gateway. It refuses a missing Host itself, in the form of every other refusal.
    requireHostHeader: false,
  });
  // 0 means no limit. With a limit, Node would silently drop headers. If it dropped the header that frames
  // the body, the body would be read as another request. `maxHeaderSize` already limits all headers.
  server.maxHeadersCount = 0;
  return server;
}

function createAnswerer(
  { upstreams, proxySecret, newRequestId, log = () => {} }: GatewayOptions,
  send: (exchange: Exchange) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  if (upstreams.length === 0) throw new GatewayStartError("The gateway needs at least one upstream socket.");
  let turn = 0;
  return (request, response) => {
    const peer = identifyPeer(request.socket);
    if (!peer) return void request.socket.destroy();
    const refuse = (code: ProblemCode, reason: string, detail?: string): void => {
      const requestId = newRequestId();
      log(`${requestId} ${code}: ${reason}`);
      sendProblem(response, code, { requestId, ...(detail === undefined ? {} : { detail }) });
    };
    if (peer.certificateExpiresAtMs < Date.now()) return refuse("certificate_expired", peer.certificateHash);
    const fault = findFault(request);
    if (fault) return refuse("invalid_request", fault, fault);
    const vouched: Record<string, string> = {
      "x-forwarded-client-cert": `Hash=${peer.certificateHash}`,
      "x-client-ip": peer.ip,
    };
    if (proxySecret !== undefined) vouched["x-gold-proxy-secret"] = proxySecret;
    send({ request, response, socketPath: upstreams[turn++ % upstreams.length]!, vouched, refuse });
  };
}

function listen(server: Server, { port, host = "127.0.0.1" }: GatewayOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === "EADDRINUSE";
      const message = taken ? `Port ${port} is taken. Free it, or choose another.` : cause.message;
      reject(new GatewayStartError(`The gateway cannot listen on ${host}: ${message}`, { cause }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}
