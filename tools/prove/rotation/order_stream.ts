import { Arrivals } from "../stage/arrivals.ts";
import { memberOf, type Reply, verdictOf } from "../stage/wire.ts";
import type { RotatingPartner } from "./connected_partner.ts";

const GRAMS = "0.001";
const WARM_UP_WORKERS = 8;
const WARM_UP_ORDERS_EACH = 50;

/**
 * Sends orders at a fixed rate, without waiting for earlier orders. For each order, sends a request for a
 * quote and the signed order, each once.
 */
export class OrderStream {
  /** The orders that were answered with success. */
  readonly accepted: string[] = [];
  readonly #partner: RotatingPartner;
  readonly #failures: string[] = [];
  readonly #durationsMs: number[] = [];
  readonly #arrivals = new Arrivals((dueMs) => this.#order(dueMs));

  constructor(partner: RotatingPartner) {
    this.#partner = partner;
  }

  async start(perSecond: number): Promise<void> {
    await this.#arrivals.warmUp(WARM_UP_WORKERS, WARM_UP_ORDERS_EACH);
    this.#arrivals.start(perSecond);
  }

  /**
   * Returns the results since the last call: the time of each order from its due time to its reply, and the
   * failures.
   */
  take(): { durationsMs: readonly number[]; failures: readonly string[] } {
    return { durationsMs: this.#durationsMs.splice(0), failures: this.#failures.splice(0) };
  }

  async stop(): Promise<void> {
    await this.#arrivals.stop();
  }

  async #order(dueMs: number): Promise<void> {
    const quote = this.#check(
      "a quote",
      await this.#partner.current.send((trader) => trader.quote("buy", GRAMS)),
    );
    if (!quote) return;
    const order = this.#check(
      "an order",
      await this.#partner.current.send((trader) => trader.order(memberOf(quote, "quote_id"))),
    );
    if (!order) return;
    this.accepted.push(memberOf(order, "order_id"));
    this.#durationsMs.push(performance.now() - dueMs);
  }

  #check(what: string, reply: Reply | string): Reply | undefined {
    if (typeof reply === "object" && reply.status === 201) return reply;
    this.#failures.push(`${new Date().toISOString()} ${what}: ${verdictOf(reply)}`);
    return undefined;
  }
}
