import { Buffer } from "node:buffer";

/** The longest reply that a transport reads, in bytes. Only a statement of very many orders can be longer. */
export const REPLY_MAX_BYTES = 64 * 1024 * 1024;

/** One HTTP request with its whole body. */
export interface TransportRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** Aborts when the call no longer waits for the reply. */
  readonly signal: AbortSignal;
}

/** One HTTP reply of any status, with its whole body. */
export interface TransportReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** One HTTP reply of any status, whose body is read while it arrives. */
export interface TransportStream {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Sends one HTTP request, once. Retrying belongs to the caller, because every retry needs a fresh signature.
 * A transport reports each failure as a TransportError.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportReply>;
  /** Sends a request, and returns the reply as soon as its headers arrive. Only streams need it. */
  open?(request: TransportRequest): Promise<TransportStream>;
  close(): void;
}

/**
 * The client certificate, its private key and the CAs to trust, as PEM texts. Without `ca`, the CAs that the
 * runtime trusts by default apply.
 */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string | undefined;
}

/**
 * Says how a transport failed. After any other error, the client assumes that the request may have arrived.
 */
export class TransportError extends Error {
  override readonly name: string = "TransportError";
  /** True when no part of the request was sent. */
  readonly unsent: boolean;
  /** True when a certificate was not accepted. The client does not retry, because a retry would fail, too. */
  readonly untrusted: boolean;
  /**
   * True when the reply is too long to read. The client does not retry, because it would get the same reply.
   */
  readonly oversized: boolean;

  constructor(
    message: string,
    facts: {
      readonly unsent?: boolean;
      readonly untrusted?: boolean;
      readonly oversized?: boolean;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.unsent = facts.unsent ?? false;
    this.untrusted = facts.untrusted ?? false;
    this.oversized = facts.oversized ?? false;
  }
}

/** Reads a reply to its end. */
export async function readWhole(
  { status, headers, body }: TransportStream,
): Promise<TransportReply> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > REPLY_MAX_BYTES) {
      throw new TransportError(`the reply is longer than ${REPLY_MAX_BYTES} bytes`, { oversized: true });
    }
    parts.push(part);
  }
  return { status, headers, body: Buffer.concat(parts) };
}
