import { percentile } from "../../testing/statistics.ts";
import { Arrivals } from "../stage/arrivals.ts";
import { type KeepAlivePool, openTlsPool, readIdentity } from "../stage/partner_connection.ts";
import type { Trader } from "../stage/trader.ts";
import { memberOf, type Reply, verdictOf } from "../stage/wire.ts";

const GRAMS = "0.001";

/** What a partner experienced: how long each request took, and what was not executed. */
export class Experience {
  readonly #ms: number[] = [];
  readonly refused: string[] = [];

  add(ms: number, reply: Reply | string): void {
    this.#ms.push(ms);
    if (typeof reply === "string" || reply.status >= 300) this.refused.push(verdictOf(reply));
  }

  get samples(): number {
    return this.#ms.length;
  }

  percentile(share: number): number {
    return percentile(this.#ms, share);
  }
}

/** A partner that trades at a fixed rate through Envoy: a quote, its order, and the order read again. */
export class Victim {
  readonly #trader: Trader;
  readonly #pool: KeepAlivePool;
  readonly #arrivals = new Arrivals((dueMs) => this.#trade(dueMs));
  #experience = new Experience();

  private constructor(trader: Trader, pool: KeepAlivePool) {
    this.#trader = trader;
    this.#pool = pool;
  }

  static async open(trader: Trader, port: number): Promise<Victim> {
    const pool = openTlsPool(port, await readIdentity(trader.credentials));
    await pool.openAll();
    return new Victim(trader, pool);
  }

  /** Trades for some time. */
  async trade(perSecond: number, seconds: number, experience: Experience): Promise<void> {
    this.#experience = experience;
    this.#arrivals.start(perSecond);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    await this.#arrivals.stop();
  }

  close(): void {
    this.#pool.close();
  }

  async #trade(dueMs: number): Promise<void> {
    const quote = await this.#ask(this.#trader.quote("buy", GRAMS), dueMs);
    if (!quote) return;
    const request = await this.#trader.order(memberOf(quote, "quote_id"));
    const order = await this.#ask(request);
    if (order) await this.#ask(this.#trader.read(`/v1/orders/${memberOf(order, "order_id")}`));
  }

  async #ask(request: Uint8Array, fromMs = performance.now()): Promise<Reply | undefined> {
    const experience = this.#experience;
    const reply = await this.#pool.send(request);
    experience.add(performance.now() - fromMs, reply);
    return typeof reply === "object" && reply.status < 300 ? reply : undefined;
  }
}
