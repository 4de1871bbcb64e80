import type { GatewayWires } from "../stage/gateway_wires.ts";
import type { Reply, Wire } from "../stage/wire.ts";

/** Several connections through the gateway. A closed connection is replaced when it is needed again. */
export class WirePool {
  readonly #gateway: GatewayWires;
  readonly #wires: Wire[];

  private constructor(gateway: GatewayWires, wires: Wire[]) {
    this.#gateway = gateway;
    this.#wires = wires;
  }

  static async open(gateway: GatewayWires, count: number): Promise<WirePool> {
    return new WirePool(gateway, await gateway.openWires(count));
  }

  /** Sends each request on the next free connection. The replies are in the order of the requests. */
  async sendAll(requests: readonly Uint8Array[]): Promise<(Reply | undefined)[]> {
    const replies: (Reply | undefined)[] = [];
    const queue = requests.entries();
    await Promise.all(this.#wires.map(async (_, n) => {
      for (const [at, request] of queue) {
        const wire = await this.#wireAt(n);
        replies[at] = await wire.send(request);
        // Open a new connection for the next request if the server closes this one after the reply.
        if (replies[at]?.headers.get("connection") === "close") wire.close();
      }
    }));
    return replies;
  }

  close(): void {
    for (const wire of this.#wires) wire.close();
  }

  async #wireAt(n: number): Promise<Wire> {
    if (this.#wires[n]!.closed) [this.#wires[n]] = await this.#gateway.openWires(1) as [Wire];
    return this.#wires[n]!;
  }
}
