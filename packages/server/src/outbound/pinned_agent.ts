import { Agent, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import {
  checkServerIdentity,
  connect,
  createSecureContext,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import type { Destination } from "./destination.ts";
import { isLoopback } from "./forbidden_address.ts";
import { SendError } from "./send_error.ts";

export interface PinnedOptions extends RequestOptions {
  readonly destination: Destination;
}

/** TCP and TLS together, for each address; all tried addresses together stay within an attempt's deadline. */
const CONNECT_MAX_MS = 5000;
const ADDRESSES_TRIED = 3;
/** Under the five seconds after which many servers close: who reuses a connection just then loses a request. */
const IDLE_MS = 4000;
/** Of one endpoint, while it is sent to and while it is not. */
const CONNECTIONS_MAX = 64;
const IDLE_CONNECTIONS_MAX = 32;
const MIN_VERSION = "TLSv1.2";

/**
 * Connections that lead to judged addresses and nowhere else: no name is resolved here, no proxy is asked, no TLS session
 * is resumed. One is used again for the same endpoint at the same addresses alone: one to an address that a name no longer
 * has is never taken up again, and no partner waits for another who is served by the same host.
 */
export class PinnedAgent extends Agent {
  readonly #trust: SecureContext = createSecureContext({ minVersion: MIN_VERSION });
  readonly #loopbackTrust: SecureContext;

  constructor(loopbackCa: string | undefined, keepAlive: boolean) {
    super({ keepAlive, maxSockets: CONNECTIONS_MAX, maxFreeSockets: IDLE_CONNECTIONS_MAX });
    this.#loopbackTrust = loopbackCa === undefined
      ? this.#trust
      : createSecureContext({ ca: loopbackCa, minVersion: MIN_VERSION });
  }

  override getName(options?: RequestOptions): string {
    return (options as PinnedOptions).destination.key;
  }

  /** The time is set once for each connection: an agent's own `timeout` would be set up for each request. */
  override keepSocketAlive(stream: Duplex): boolean {
    const socket = stream as TLSSocket;
    socket.unref();
    if (socket.timeout !== IDLE_MS) socket.setTimeout(IDLE_MS);
    return true;
  }

  override createConnection(
    options: RequestOptions,
    connected: (error: Error | null, stream?: Duplex) => void,
  ): undefined {
    this.#open((options as PinnedOptions).destination).then((socket) => connected(null, socket), connected);
  }

  async #open({ addresses, hostname, port }: Destination): Promise<TLSSocket> {
    for (const [index, address] of addresses.entries()) {
      try {
        return await this.#connect(address, hostname, port);
      } catch (error) {
        const isLast = index + 1 === Math.min(addresses.length, ADDRESSES_TRIED);
        if (isLast || (error as SendError).code !== "connect_failed") throw error;
      }
    }
    throw new SendError("connect_failed");
  }

  #connect(address: string, hostname: string, port: number): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: address,
        port,
        // Of an IP literal there is no name to show: its certificate is checked against the address.
        servername: hostname === address ? "" : hostname,
        secureContext: isLoopback(address) ? this.#loopbackTrust : this.#trust,
        rejectUnauthorized: true,
        checkServerIdentity: checkAlternativeNames,
        ALPNProtocols: ["http/1.1"],
      });
      let failure: SendError["code"] = "connect_failed";
      const timer = setTimeout(() => socket.destroy(new Error("timeout")), CONNECT_MAX_MS);
      const fail = () => {
        clearTimeout(timer);
        reject(new SendError(failure));
      };
      socket.once("connect", () => failure = "tls_failed");
      // It stays: whatever goes wrong between two requests is nobody's error, and must not end the process.
      socket.on("error", fail);
      socket.once("secureConnect", () => {
        clearTimeout(timer);
        resolve(socket);
      });
    });
  }
}

/** Node takes the subject's common name where there is no DNS name, which RFC 9525 forbids: here none has a subject. */
const checkAlternativeNames = (hostname: string, certificate: PeerCertificate) =>
  checkServerIdentity(hostname, { ...certificate, subject: {} as PeerCertificate["subject"] });
