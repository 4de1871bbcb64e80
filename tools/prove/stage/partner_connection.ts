import { readFile } from "node:fs/promises";
import { connect } from "node:tls";
import type { Credentials } from "@gold-partner/dev";
import { type Reply, Wire } from "./wire.ts";

/** The certificate and key that a partner presents in the handshake, and the CA that it trusts. */
export interface Identity {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export async function readIdentity({ ca, cert, key }: Credentials): Promise<Identity> {
  const [caPem, certPem, keyPem] = await Promise.all(
    [ca, cert, key].map((file) => readFile(file, "utf8")),
  );
  return { ca: caPem!, cert: certPem!, key: keyPem! };
}

/**
 * Opens a new connection over mutual TLS. With TLS 1.3, this may resolve although the server refuses the
 * client; the refusal then comes instead of the first reply.
 */
export async function openTlsWire(port: number, { ca, cert, key }: Identity): Promise<Wire> {
  const socket = connect({ host: "127.0.0.1", port, servername: "localhost", ca, cert, key });
  const wire = new Wire(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once("secureConnect", resolve).once("error", reject);
    socket.once("close", () => reject(new Error("the connection was closed during the handshake")));
  });
  return wire;
}

/** A partner's connections to the service. It never retries a request that the service may have received. */
export interface PartnerConnection {
  /** Number of connections opened so far. */
  readonly opened: number;
  /** Returns the reply, or a sentence that says why there is none. */
  send(request: Uint8Array): Promise<Reply | string>;
  close(): void;
}

/** Few, because each connection costs a handshake, which would slow a busy machine down further. */
const TLS_CONNECTIONS_MAX = 32;

export const openTlsPool = (port: number, identity: Identity): KeepAlivePool =>
  new KeepAlivePool(() => openTlsWire(port, identity), TLS_CONNECTIONS_MAX);

/**
 * Sends HTTP/1.1 requests over several connections. Each connection is kept until a reply announces that it
 * closes.
 */
export class KeepAlivePool implements PartnerConnection {
  readonly #connect: () => Promise<Wire>;
  readonly #most: number;
  /** The idle connections. The one that was idle longest is used first, so that none stays idle for long. */
  readonly #idle: Wire[] = [];
  /** Requests for which there is no connection yet. */
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #isOpen = true;
  #opened = 0;

  /** `most` is the limit of connections. */
  constructor(connect: () => Promise<Wire>, most: number) {
    this.#connect = connect;
    this.#most = most;
  }

  /** Opens all connections beforehand. */
  async openAll(): Promise<void> {
    this.#idle.push(...await Promise.all(Array.from({ length: this.#most }, () => this.#open())));
  }

  get opened(): number {
    return this.#opened;
  }

  async send(request: Uint8Array): Promise<Reply | string> {
    if (this.#inFlight === this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inFlight++;
    try {
      return await this.#exchange(request);
    } catch (error) {
      return `no connection: ${(error as Error).message}`;
    } finally {
      // Give this slot to the next waiting request, if there is one.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inFlight--;
    }
  }

  /** Closes idle connections at once. A busy connection closes after its reply. */
  close(): void {
    this.#isOpen = false;
    for (const wire of this.#idle.splice(0)) wire.close();
  }

  async #exchange(request: Uint8Array): Promise<Reply | string> {
    const kept = this.#takeIdle();
    const wire = kept ?? await this.#open();
    const reply = await wire.send(request);
    if (!reply) return `${kept ? "a reused" : "a new"} connection ended without a reply`;
    if (this.#isOpen && reply.headers.get("connection") !== "close") this.#idle.push(wire);
    else wire.close();
    return reply;
  }

  #takeIdle(): Wire | undefined {
    for (let wire = this.#idle.shift(); wire; wire = this.#idle.shift()) if (!wire.closed) return wire;
    return undefined;
  }

  #open(): Promise<Wire> {
    this.#opened++;
    return this.#connect();
  }
}
