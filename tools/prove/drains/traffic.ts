import { setTimeout as sleep } from "node:timers/promises";
import type { PartnerConnection } from "../stage/partner_connection.ts";
import type { Trader } from "../stage/trader.ts";
import { memberOf, type Reply, verdictOf } from "../stage/wire.ts";

const GRAMS = "0.01";
const LOOPS_EACH = 5;
const CYCLE_MS = 60;

/**
 * A partner that repeats three requests until it is stopped: a quote, its signed order, and the balances.
 * Each request is sent once.
 */
export class Traffic {
  /** The number of requests that were answered or lost. */
  count = 0;
  /** The orders that were answered with success. */
  readonly accepted: string[] = [];
  readonly #failures: string[] = [];
  readonly #loops: readonly Promise<void>[];
  #on = true;

  constructor(trader: Trader, connections: readonly PartnerConnection[]) {
    this.#loops = connections.flatMap((connection) =>
      Array.from({ length: LOOPS_EACH }, () => this.#repeat(trader, connection))
    );
  }

  /** Returns the failures since the last call. */
  takeFailures(): string[] {
    return this.#failures.splice(0);
  }

  async stop(): Promise<void> {
    this.#on = false;
    await Promise.all(this.#loops);
  }

  async #repeat(trader: Trader, connection: PartnerConnection): Promise<void> {
    while (this.#on) {
      const pause = sleep(CYCLE_MS);
      const quote = await this.#ask(connection, "a quote", trader.quote("buy", GRAMS));
      if (quote) {
        const request = await trader.order(memberOf(quote, "quote_id"));
        const order = await this.#ask(connection, "an order", request);
        if (order) this.accepted.push(memberOf(order, "order_id"));
      }
      await this.#ask(connection, "the balances", trader.read("/v1/balances"));
      await pause;
    }
  }

  async #ask(connection: PartnerConnection, what: string, request: Uint8Array): Promise<Reply | undefined> {
    const reply = await connection.send(request);
    this.count++;
    if (typeof reply === "object" && reply.status < 300) return reply;
    this.#failures.push(`${new Date().toISOString()} ${what}: ${verdictOf(reply)}`);
    return undefined;
  }
}
