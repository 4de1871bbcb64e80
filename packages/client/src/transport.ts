/** No reply of the service comes near it. */
export const REPLY_MAX_BYTES = 64 * 1024 * 1024;

/** One HTTP request, whole. */
export interface TransportRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** One HTTP reply, whole, whatever its status. */
export interface TransportReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** What carries requests. It sends each once: what is sent again is signed anew, which is not its affair. */
export interface Transport {
  send(request: TransportRequest): Promise<TransportReply>;
  close(): void;
}

/** PEM texts: who calls, and whom it trusts; the system's authorities where `ca` is left out. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string | undefined;
}

/** How a transport failed; any other error counts as one after which the request may have arrived. */
export class TransportError extends Error {
  override readonly name: string = "TransportError";
  /** Nothing of the request has left. */
  readonly unsent: boolean;
  /** A certificate was not accepted, so another try would end the same. */
  readonly untrusted: boolean;

  constructor(
    message: string,
    facts: { readonly unsent?: boolean; readonly untrusted?: boolean; readonly cause?: unknown },
  ) {
    super(message, { cause: facts.cause });
    this.unsent = facts.unsent ?? false;
    this.untrusted = facts.untrusted ?? false;
  }
}
