import { Agent, request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import { createSecureContext } from "node:tls";
import {
  readWhole,
  type TlsIdentity,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportStream,
} from "./transport.ts";

/**
 * The maximum number of open connections. When the service is overloaded, replies are slow and requests need
 * more connections. Each new connection costs a TLS handshake, which would load the service further.
 */
const CONNECTIONS_MAX = 64;
/**
 * Matches the errors of Node and OpenSSL in two cases: the service's certificate does not verify, or the
 * service rejects the client certificate with a TLS alert.
 */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|SSL alert number (?:4[1-689]|11[1346])\b/;

export function nodeTransport({ cert, key, ca }: TlsIdentity): Transport {
  const secureContext = createSecureContext({ cert, key, ca });
  const agent = new Agent({ secureContext, keepAlive: true, maxSockets: CONNECTIONS_MAX });
  const streams = new Agent({ secureContext });
  const ask = <Reply>(
    { method, url, headers, body, signal }: TransportRequest,
    through: Agent,
    take: (reply: TransportStream) => Reply | Promise<Reply>,
  ): Promise<Reply> =>
    new Promise((resolve, reject) => {
      let unsent = true;
      const fail = (cause: Error) => reject(failureOf(cause, unsent));
      const outgoing = httpsRequest(
        url,
        { agent: through, method, headers, signal },
        (reply) => void Promise.resolve(take(streamOf(reply))).then(resolve, fail),
      );
      outgoing.on("socket", (socket) => {
        if (outgoing.reusedSocket) unsent = false;
        else socket.once("secureConnect", () => unsent = false);
      });
      outgoing.on("error", fail).end(body);
    });
  return {
    send: (request) => ask(request, agent, readWhole),
    open: (request) => ask(request, streams, (reply) => reply),
    close() {
      agent.destroy();
      streams.destroy();
    },
  };
}

function streamOf(reply: IncomingMessage): TransportStream {
  const headers = new Headers();
  const { rawHeaders } = reply;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return { status: reply.statusCode!, headers, body: reply };
}

function failureOf(cause: Error, unsent: boolean): TransportError {
  if (cause instanceof TransportError) return cause;
  const { code = "" } = cause as { code?: string };
  // When no address of a host accepts a connection, Node throws one error for all addresses. Its message is
  // empty.
  const message = cause.message || code;
  return new TransportError(message, { unsent, untrusted: UNTRUSTED.test(`${code} ${message}`), cause });
}
