import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A TCP relay between a partner and the service. It passes bytes unchanged until a test makes it fail. */
export class FaultRelay {
  readonly #server: Server;
  readonly #links = new Set<Socket>();
  /**
   * The number of bytes that the service may still send before the relay resets the connection. Undefined
   * means no limit.
   */
  #leftBytes: number | undefined;
  #isRefusing = false;
  #cuts = 0;
  #heardBytes = 0;

  private constructor(servicePort: number) {
    this.#server = createServer((partner) => {
      if (this.#isRefusing) {
        partner.on("error", () => {}).resetAndDestroy();
        return;
      }
      const service = connect(servicePort, "127.0.0.1");
      this.#links.add(partner);
      const end = () => {
        this.#links.delete(partner);
        partner.destroy();
        service.destroy();
      };
      for (const socket of [partner, service]) socket.setNoDelay().on("error", end).on("close", end);
      partner.on("data", (part: Uint8Array) => {
        this.#heardBytes += part.length;
        service.write(part);
      });
      service.on("data", (part: Uint8Array) => this.#pass(part, partner));
    });
  }

  /** Listens on `port`, or on any free one. */
  static async open(servicePort: number, port = 0): Promise<FaultRelay> {
    const relay = new FaultRelay(servicePort);
    await relay.mend(port);
    return relay;
  }

  /** Accepts connections again after close(). */
  async mend(port: number): Promise<void> {
    this.#isRefusing = false;
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
  }

  /** Accepts connections from now on only to reset them, and resets those that are open. */
  refuse(): void {
    this.#isRefusing = true;
    for (const partner of this.#links) partner.resetAndDestroy();
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The number of connections that the relay has reset. */
  get cuts(): number {
    return this.#cuts;
  }

  /** The number of bytes that partners have sent. */
  get heardBytes(): number {
    return this.#heardBytes;
  }

  /** Passes the next `afterBytes` bytes from the service, and then resets the connection. */
  cutReply(afterBytes: number): void {
    this.#leftBytes = afterBytes;
  }

  async close(): Promise<void> {
    for (const partner of this.#links) partner.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(part: Uint8Array, partner: Socket): void {
    if (this.#leftBytes === undefined || part.length <= this.#leftBytes) {
      if (this.#leftBytes !== undefined) this.#leftBytes -= part.length;
      partner.write(part);
      return;
    }
    partner.write(part.subarray(0, this.#leftBytes), () => partner.resetAndDestroy());
    this.#leftBytes = undefined;
    this.#cuts++;
  }
}
