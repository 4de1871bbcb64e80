import { createPrivateKey, X509Certificate } from "node:crypto";
import {
  readWhole,
  type TlsIdentity,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportStream,
} from "./transport.ts";

/** The part of Deno's API that is used here. Declaring it makes Deno's own types unnecessary. */
interface DenoHttp {
  createHttpClient(options: { cert: string; key: string; caCerts?: string[] }): { close(): void };
}

const UNCONNECTED = "client error (Connect)";
const UNTRUSTED = /invalid peer certificate|received fatal alert: (?:\w*Certificate|UnknownCA|AccessDenied)/;

/**
 * Uses Deno's own HTTP client. Deno's `node:https` could send a write a second time when a kept-alive
 * connection breaks.
 */
export function denoTransport({ cert, key, ca }: TlsIdentity): Transport {
  // When the key and the certificate do not match, Deno does not throw an error. The whole process ends.
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new Error("the key does not belong to the certificate");
  }
  const { Deno } = globalThis as unknown as { Deno: DenoHttp };
  const client = Deno.createHttpClient({ cert, key, ...(ca === undefined ? {} : { caCerts: [ca] }) });
  const ask = async ({ method, url, headers, body, signal }: TransportRequest): Promise<TransportStream> => {
    const request = {
      ...{ method, headers, signal, client, redirect: "manual" },
      ...(body === undefined ? {} : { body: streamOf(body), duplex: "half" }),
    };
    const reply = await fetch(url, request as unknown as RequestInit);
    return { status: reply.status, headers: reply.headers, body: partsOf(reply.body, signal) };
  };
  const failed = (cause: unknown) => {
    throw failureOf(cause as Error);
  };
  return {
    send: (request) => ask(request).then(readWhole).catch(failed),
    open: (request) => ask(request).catch(failed),
    close: () => client.close(),
  };
}

/**
 * Yields the parts of a body until `signal` aborts. Deno's `fetch` keeps only a weak reference to the signal that it
 * derives from this one. After a garbage collection, an abort would no longer end the read.
 */
async function* partsOf(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const stop = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    while (true) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/**
 * Sends the body as a stream. Deno would keep a copy of a body that it gets as bytes, and send it a second
 * time by itself when the connection is reset.
 */
function streamOf(body: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(body);
      controller.close();
    },
  });
}

function failureOf(error: Error): TransportError {
  if (error instanceof TransportError) return error;
  const reason = error.cause instanceof Error ? error.cause : error;
  // Removes the part of the message that holds the URL, because the caller knows the URL.
  const message = reason.message.replace(/^.*client error \(Connect\): /, "");
  const unsent = reason.message.includes(UNCONNECTED);
  return new TransportError(message, { unsent, untrusted: UNTRUSTED.test(reason.message), cause: error });
}
