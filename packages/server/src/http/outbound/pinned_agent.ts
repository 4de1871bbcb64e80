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

/**
 * Limit for connecting to one address, TCP and TLS together. So all ADDRESSES_TRIED addresses can be tried
 * before the deadline of an attempt.
 */
const CONNECT_MAX_MS = 5000;
const ADDRESSES_TRIED = 3;
/**
 * Close an idle connection after this time. Many servers close it after 5 s, and a request that is sent at
 * that moment would be lost.
 */
const IDLE_MS = 4000;
/** Connections to one endpoint: in total, and idle. */
const CONNECTIONS_MAX = 64;
const IDLE_CONNECTIONS_MAX = 32;
const MIN_VERSION = "TLSv1.2";

/**
 * Connects only to checked addresses. It resolves no name, uses no proxy and resumes no TLS session. A
 * connection is reused only for the same endpoint with the same addresses. So no request goes to an old
 * address of a name. Partners whose endpoints share a host do not wait for each other.
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

  /**
   * Sets the idle timeout once for each connection. The agent's own `timeout` would set it again for each
   * request.
   */
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
        // Send no SNI for an IP literal. Its certificate is checked against the address.
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
      // Never remove this listener, because an error between two requests would otherwise be unhandled and
      // end the process.
      socket.on("error", fail);
      socket.once("secureConnect", () => {
        clearTimeout(timer);
        resolve(socket);
      });
    });
  }
}

/**
 * Checks the certificate without its subject. Otherwise Node would check the subject's common name if the
 * certificate has no DNS name, which RFC 9525 forbids.
 */
const checkAlternativeNames = (hostname: string, certificate: PeerCertificate) =>
  checkServerIdentity(hostname, { ...certificate, subject: {} as PeerCertificate["subject"] });
