import { readFile } from "node:fs/promises";
import { connect } from "node:tls";
import type { Credentials } from "../partner.ts";
import { type Reply, Wire } from "./wire.ts";

/** What a partner shows at the handshake, and what it trusts. */
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

/** A connection of its own over mutual TLS. In TLS 1.3 a refusal comes after this, in place of the first reply. */
export async function openTlsWire(port: number, { ca, cert, key }: Identity): Promise<Wire> {
  const socket = connect({ host: "127.0.0.1", port, servername: "localhost", ca, cert, key });
  const wire = new Wire(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once("secureConnect", resolve).once("error", reject);
    socket.once("close", () => reject(new Error("it was closed during the handshake")));
  });
  return wire;
}

/** A partner's way to the service. Nothing is ever sent twice. */
export interface Line {
  /** How many connections it took so far. */
  readonly opened: number;
  /** The reply, or in one sentence why there was none. */
  send(request: Uint8Array): Promise<Reply | string>;
  close(): void;
}

/** More would make a slow moment slower: each costs a handshake. */
const CONNECTIONS_MAX = 32;

/** HTTP/1.1 over several connections: each is kept, and left once a reply says that it closes. */
export class KeptLine implements Line {
  readonly #port: number;
  readonly #identity: Identity;
  /** The one that waited longest goes first, so that none waits for long. */
  readonly #idle: Wire[] = [];
  /** Requests for which there is no connection yet. */
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #open = true;
  #opened = 0;

  constructor(port: number, identity: Identity) {
    this.#port = port;
    this.#identity = identity;
  }

  get opened(): number {
    return this.#opened;
  }

  async send(request: Uint8Array): Promise<Reply | string> {
    if (this.#underWay === CONNECTIONS_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#underWay++;
    try {
      return await this.#exchange(request);
    } catch (error) {
      return `no connection: ${(error as Error).message}`;
    } finally {
      // The place goes to the next one, if there is any.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#underWay--;
    }
  }

  /** Connections under way end with their replies. */
  close(): void {
    this.#open = false;
    for (const wire of this.#idle.splice(0)) wire.close();
  }

  async #exchange(request: Uint8Array): Promise<Reply | string> {
    const kept = this.#takeIdle();
    const wire = kept ?? await this.#connect();
    const reply = await wire.send(request);
    if (!reply) return `${kept ? "a kept" : "a new"} connection ended without a reply`;
    if (this.#open && reply.headers.get("connection") !== "close") this.#idle.push(wire);
    else wire.close();
    return reply;
  }

  #takeIdle(): Wire | undefined {
    for (let wire = this.#idle.shift(); wire; wire = this.#idle.shift()) if (!wire.closed) return wire;
    return undefined;
  }

  async #connect(): Promise<Wire> {
    this.#opened++;
    return await openTlsWire(this.#port, this.#identity);
  }
}
