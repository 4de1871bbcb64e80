import { Buffer } from "node:buffer";
import { Agent, request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import { createSecureContext } from "node:tls";
import {
  REPLY_MAX_BYTES,
  replyTooLong,
  type TlsIdentity,
  type Transport,
  TransportError,
  type TransportReply,
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
  return {
    send: ({ method, url, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        let unsent = true;
        const fail = (cause: Error) => reject(failureOf(cause, unsent));
        const outgoing = httpsRequest(
          url,
          { agent, method, headers, signal },
          (reply) => readWhole(reply).then(resolve, fail),
        );
        outgoing.on("socket", (socket) => {
          if (outgoing.reusedSocket) unsent = false;
          else socket.once("secureConnect", () => unsent = false);
        });
        outgoing.on("error", fail).end(body);
      }),
    close: () => agent.destroy(),
  };
}

async function readWhole(reply: IncomingMessage): Promise<TransportReply> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of reply as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > REPLY_MAX_BYTES) throw replyTooLong();
    parts.push(part);
  }
  const headers = new Headers();
  const { rawHeaders } = reply;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return { status: reply.statusCode!, headers, body: Buffer.concat(parts) };
}

function failureOf(cause: Error, unsent: boolean): TransportError {
  if (cause instanceof TransportError) return cause;
  const { code = "" } = cause as { code?: string };
  // When no address of a host accepts a connection, Node throws one error for all addresses. Its message is
  // empty.
  const message = cause.message || code;
  return new TransportError(message, { unsent, untrusted: UNTRUSTED.test(`${code} ${message}`), cause });
}
