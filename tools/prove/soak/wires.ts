import { type Reply, Wire } from "../stage/wire.ts";

/**
 * The maximum number of connections. More than the service handles at once, so that excess requests queue in
 * the service and not here.
 */
const CONNECTIONS_MAX = 256;

/** Kept connections to the service's socket, one request at a time on each. */
export class Wires {
  readonly #socketPath: string;
  /** Uses the connection that was idle longest, so that the service closes none as idle. */
  readonly #idle: Wire[] = [];
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /**
   * Opens all connections beforehand. If new ones were opened when the service stalls, they would take memory
   * of the service, which this proof measures.
   */
  async openAll(): Promise<void> {
    const wires = await Promise.all(
      Array.from({ length: CONNECTIONS_MAX }, () => Wire.open(this.#socketPath)),
    );
    this.#idle.push(...wires);
  }

  /** Returns undefined if there is no connection, or if the connection ends without a reply. */
  async send(request: Uint8Array): Promise<Reply | undefined> {
    if (this.#inFlight === CONNECTIONS_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inFlight++;
    try {
      const wire = this.#takeIdle() ?? await Wire.open(this.#socketPath).catch(() => undefined);
      const reply = await wire?.send(request);
      if (reply && reply.headers.get("connection") !== "close") this.#idle.push(wire!);
      else wire?.close();
      return reply;
    } finally {
      // Give this slot to the next waiting request, if there is one.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inFlight--;
    }
  }

  close(): void {
    for (const wire of this.#idle.splice(0)) wire.close();
  }

  #takeIdle(): Wire | undefined {
    for (let wire = this.#idle.shift(); wire; wire = this.#idle.shift()) if (!wire.closed) return wire;
    return undefined;
  }
}
