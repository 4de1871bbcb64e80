import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { connectTo } from "./wire.ts";

/**
 * A TCP relay between the service and its database, or between a partner and the service or Envoy. It can
 * withhold data or cut connections on request.
 */
export class Relay {
  readonly #server: Server;
  readonly #links = new Set<{ readonly service: Socket; readonly database: Socket }>();
  #withholding = false;

  private constructor(target: number | string) {
    this.#server = createServer((service) => {
      const database = connectTo(target);
      const link = { service, database };
      this.#links.add(link);
      const end = () => {
        this.#links.delete(link);
        service.destroy();
        database.destroy();
      };
      for (const socket of [service, database]) socket.setNoDelay().on("error", end).on("close", end);
      service.on("data", (part) => database.write(part));
      database.on("data", (part) => service.write(part));
      if (this.#withholding) database.pause();
    });
  }

  /** Opens a relay to a port of this machine or to the path of a Unix socket. */
  static async open(target: number | string): Promise<Relay> {
    const relay = new Relay(target);
    await new Promise<void>((resolve) => relay.#server.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Passes statements to the database, but holds its answers back. */
  withhold(): void {
    this.#withholding = true;
    for (const { database } of this.#links) database.pause();
  }

  pass(): void {
    this.#withholding = false;
    for (const { database } of this.#links) database.resume();
  }

  /**
   * Cuts the service's connections. A backend notices this only when it sends the answer to its running
   * statement.
   */
  cut(): void {
    for (const { service, database } of this.#links) {
      service.destroy();
      database.destroy();
    }
    this.#links.clear();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
