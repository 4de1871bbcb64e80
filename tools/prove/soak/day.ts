import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { UNDECIDED } from "../stage/in_flight_orders.ts";
import type { Side, Trader } from "../stage/trader.ts";
import { memberOf, type Reply, verdictOf } from "../stage/wire.ts";
import type { PartnerConnection } from "../stage/partner_connection.ts";

/**
 * The mix of a partner's actions, out of a hundred. An order is two requests: a quote and the signed order.
 */
const WEIGHTS = {
  order: 70,
  "quote alone": 8,
  "order again": 3,
  withdrawal: 1,
  prices: 6,
  balances: 6,
  "one order": 3,
  "list of orders": 2,
  events: 1,
} as const;

type ActionName = keyof typeof WEIGHTS;

const ACTION_NAMES = Object.keys(WEIGHTS) as readonly ActionName[];

/** The actions of one round, evenly spread, so that each second of a run is like any other. */
export function spreadActions(): ActionName[] {
  const dealt = ACTION_NAMES.flatMap((action) =>
    Array.from({ length: WEIGHTS[action] }, (_, n) => ({ action, at: (n + 0.5) / WEIGHTS[action] }))
  );
  return dealt.sort((a, b) => a.at - b.at).map(({ action }) => action);
}

/** Far less than each partner holds, so that a sell never fails for lack of gold. */
const GRAMS = "0.001";
const STOCK_GRAMS = "1";
const INITIAL_FUNDING_SAR = "10000000";
const PAUSE_MS = 200;
const TRIES_MAX = 50;

interface Placed {
  readonly orderId: string;
  readonly quoteId: string;
  readonly key: string;
}

/**
 * One partner that trades. The partner retries a request with an unknown outcome with the same key, as
 * docs/idempotency.md requires, and reports each failed try to `failed`.
 */
export class DayTrader {
  readonly trader: Trader;
  readonly #wires: PartnerConnection;
  readonly #failed: (what: string) => void;
  #side: Side = "sell";
  #last: Placed | undefined;

  constructor(trader: Trader, wires: PartnerConnection, failed: (what: string) => void) {
    this.trader = trader;
    this.#wires = wires;
    this.#failed = failed;
  }

  /** Gets a token, money and gold. Returns the id of the order that bought the gold. */
  async open(): Promise<string> {
    await this.renewToken();
    const key = randomUUID();
    await this.#ask("fund", () => this.trader.fund(INITIAL_FUNDING_SAR, key));
    const orderId = await this.#order("buy", STOCK_GRAMS);
    if (orderId === undefined) throw new Error(`${this.trader.clientId} could not buy its stock of gold.`);
    return orderId;
  }

  async renewToken(): Promise<void> {
    this.trader.takeToken(await this.#ask("token", () => this.trader.tokenRequest()));
  }

  /** Returns the id of the executed order, if the action was an order that succeeded. */
  async do(action: ActionName): Promise<string | undefined> {
    if (action === "order") {
      return await this.#order(this.#side = this.#side === "buy" ? "sell" : "buy", GRAMS);
    }
    if (action === "quote alone") await this.#quote("buy", GRAMS);
    else if (action === "withdrawal") await this.#withdraw();
    else if (action === "order again") await this.#orderAgain();
    else await this.#ask(action, () => this.trader.read(this.#pathOf(action)));
    return undefined;
  }

  #pathOf(action: ActionName): string {
    if (action === "prices" || action === "balances" || action === "events") return `/v1/${action}`;
    return action === "one order" ? `/v1/orders/${this.#last!.orderId}` : "/v1/orders";
  }

  async #quote(side: Side, grams: string): Promise<string | undefined> {
    const key = randomUUID();
    const reply = await this.#ask("quote", () => this.trader.quote(side, grams, key));
    return reply && memberOf(reply, "quote_id");
  }

  async #order(side: Side, grams: string): Promise<string | undefined> {
    const quoteId = await this.#quote(side, grams);
    if (quoteId === undefined) return undefined;
    const key = randomUUID();
    const reply = await this.#ask("order", () => this.trader.order(quoteId, { key }));
    if (!reply) return undefined;
    const orderId = memberOf(reply, "order_id");
    this.#last = { orderId, quoteId, key };
    return orderId;
  }

  /** Sends the last order again with the same key. The service must return the same order. */
  async #orderAgain(): Promise<void> {
    const { orderId, quoteId, key } = this.#last!;
    const reply = await this.#ask("order again", () => this.trader.order(quoteId, { key }));
    const again = reply && memberOf(reply, "order_id");
    if (reply && (again !== orderId || reply.status !== 200)) {
      this.#failed(`order again: got ${reply.status} and ${again} instead of 200 and ${orderId}`);
    }
  }

  async #withdraw(): Promise<void> {
    const [key, body] = [randomUUID(), new TextEncoder().encode('{"amount_sar":1}')];
    await this.#ask("withdrawal", () => this.trader.signed("/v1/withdrawals", body, { key }));
  }

  async #ask(what: string, write: () => Uint8Array | Promise<Uint8Array>): Promise<Reply | undefined> {
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      const sent = await this.#wires.send(await write());
      const reply = typeof sent === "string" ? undefined : sent;
      if (reply && reply.status < 300) return reply;
      const verdict = verdictOf(reply);
      this.#failed(`${what}: ${verdict}`);
      if (!UNDECIDED.includes(verdict)) return undefined;
      await sleep(PAUSE_MS);
    }
    return undefined;
  }
}
