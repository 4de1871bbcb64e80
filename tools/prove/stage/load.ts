import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "./deployment.ts";
import { UNDECIDED } from "./in_flight_orders.ts";
import { KeepAlivePool } from "./partner_connection.ts";
import type { Trader } from "./trader.ts";
import { acceptedOrderOf, memberOf, type Reply, verdictOf, Wire } from "./wire.ts";

export interface Observed {
  readonly verdict: string;
  /** The order that the reply contained. */
  readonly orderId: string | undefined;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  readonly retryAfter: boolean;
}

const GRAMS = "0.01";
const PAUSE_MS = 100;

/**
 * Partners that buy continuously. If a request's outcome is unknown, they retry it under the same
 * idempotency key, as docs/idempotency.md requires.
 */
export class Load {
  readonly observed: Observed[] = [];
  /** Orders that were answered with success. */
  readonly acknowledged: string[] = [];
  /** When these orders were executed, in Unix ms, as their replies state it. */
  readonly executedAtMs = new Map<string, number>();
  /** A sentence for each order that never got a success reply. */
  readonly unanswered: string[] = [];
  readonly #buyers: readonly Promise<void>[];
  #on = true;

  constructor({ servers, traders }: Pick<Deployment, "servers" | "traders">, buyers: number) {
    this.#buyers = Array.from(
      { length: buyers },
      (_, n) => this.#buyRepeatedly(traders[n % traders.length]!, servers[n % servers.length]!.socket),
    );
  }

  async stop(): Promise<void> {
    this.#on = false;
    await Promise.all(this.#buyers);
  }

  async #buyRepeatedly(trader: Trader, socketPath: string): Promise<void> {
    const connection = new KeepAlivePool(() => Wire.open(socketPath), 1);
    while (this.#on) {
      const quoteRequest = trader.quote("buy", GRAMS);
      const quote = await this.#retryUntilFinal(connection, async () => quoteRequest);
      if (!quote) continue;
      const quoteId = memberOf(quote, "quote_id");
      const key = randomUUID();
      const order = await this.#retryUntilFinal(connection, () => trader.order(quoteId, { key }));
      if (order) this.#acknowledge(order);
      else this.unanswered.push(`the order of ${quoteId} never succeeded`);
    }
    connection.close();
  }

  #acknowledge(order: Reply): void {
    const id = memberOf(order, "order_id");
    this.acknowledged.push(id);
    this.executedAtMs.set(id, Date.parse(memberOf(order, "executed_at")));
  }

  async #retryUntilFinal(
    connection: KeepAlivePool,
    write: () => Promise<Uint8Array>,
  ): Promise<Reply | undefined> {
    for (;;) {
      const request = await write();
      const sentAtMs = performance.now();
      const sent = await connection.send(request);
      const reply = typeof sent === "string" ? undefined : sent;
      const verdict = verdictOf(reply);
      const retryAfter = reply?.headers.has("retry-after") ?? false;
      const orderId = acceptedOrderOf(reply);
      this.observed.push({ verdict, orderId, sentAtMs, answeredAtMs: performance.now(), retryAfter });
      if (reply && reply.status < 300) return reply;
      if (!UNDECIDED.includes(verdict) || !this.#on) return undefined;
      await sleep(PAUSE_MS);
    }
  }
}
