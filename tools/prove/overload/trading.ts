import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Arrivals } from "../stage/arrivals.ts";
import type { Deployment } from "../stage/deployment.ts";
import { MultiplexedConnection } from "../stage/multiplexed_connection.ts";
import { type PartnerConnection, readIdentity } from "../stage/partner_connection.ts";
import type { Trader } from "../stage/trader.ts";
import { acceptedOrderOf, memberOf, type Reply, verdictOf } from "../stage/wire.ts";

/** A reply within this time is of use to the caller. */
const USEFUL_MS = 1000;
const RETRY_MS = 200;

/** A trader with its connections to Envoy. */
export interface ConnectedTrader {
  readonly trader: Trader;
  readonly connections: readonly PartnerConnection[];
}

/** Connects each trader of the deployment to its Envoy. */
export const connectTraders = (deployment: Deployment, connections: number): Promise<ConnectedTrader[]> =>
  Promise.all(deployment.traders.map(async (trader) => {
    const identity = await readIdentity(trader.credentials);
    const connect = () => new MultiplexedConnection(deployment.port, identity);
    return { trader, connections: Array.from({ length: connections }, connect) };
  }));

interface Sent {
  readonly kind: "quote" | "order";
  readonly verdict: string;
  readonly dueMs: number;
  readonly tookMs: number;
}

/** What partners experienced in one phase: trades that ended in time, and every verdict. */
export class Phase {
  readonly sent: Sent[] = [];
  /** When each trade ended whose quote and order both came in time, on the clock of `performance.now()`. */
  readonly doneAtMs: number[] = [];
  readonly startMs = performance.now();

  count(kind: Sent["kind"], served: boolean): number {
    return this.sent.filter((one) => one.kind === kind && isServed(one.verdict) === served).length;
  }

  /** The share of the requests that were served. */
  served(kind: Sent["kind"]): number {
    const [served, refused] = [this.count(kind, true), this.count(kind, false)];
    return served / (served + refused);
  }

  /** Trades a second that ended in time, after the first second, in which the service notices the load. */
  goodput(seconds: number): number {
    const [fromMs, toMs] = [this.startMs + 1000, this.startMs + seconds * 1000];
    return this.doneAtMs.filter((ms) => ms >= fromMs && ms < toMs).length / (seconds - 1);
  }

  /** Every verdict that is neither a success nor a refusal with 503. */
  unexpected(): string[] {
    const verdicts = this.sent.map(({ verdict }) => verdict).filter((verdict) => !EXPECTED.test(verdict));
    return [...new Set(verdicts)].map((verdict) =>
      `${verdicts.filter((one) => one === verdict).length} × ${verdict}`
    );
  }
}

export const isServed = (verdict: string): boolean => /^20[01]/.test(verdict);

const EXPECTED = /^(20[01]|503)\b/;

/** Partners that trade: each trade asks for a quote, and places the order if it gets one. */
export class Trading {
  readonly #traders: readonly ConnectedTrader[];
  /** The orders that got a success reply. */
  readonly accepted: string[] = [];
  /** The orders whose outcome is unknown. */
  readonly #open: { trader: Trader; quoteId: string; key: string }[] = [];
  #turn = 0;
  /** How many orders got their final reply only when they were sent again. */
  settled = 0;

  constructor(traders: readonly ConnectedTrader[]) {
    this.#traders = traders;
  }

  /** Keeps `inFlight` trades running. */
  async saturate(inFlight: number, seconds: number): Promise<Phase> {
    const phase = new Phase();
    const work = async () => {
      while (performance.now() < phase.startMs + seconds * 1000) await this.#trade(phase, performance.now());
    };
    await Promise.all(Array.from({ length: inFlight }, work));
    return phase;
  }

  /** Starts `perSecond` trades a second, however long each takes. */
  async offer(perSecond: number, seconds: number): Promise<Phase> {
    const phase = new Phase();
    const arrivals = new Arrivals((dueMs) => this.#trade(phase, dueMs));
    arrivals.start(perSecond);
    await sleep(seconds * 1000);
    await arrivals.stop();
    return phase;
  }

  /** Sends the orders with an unknown outcome again, with the same keys, until each has a final reply. */
  async settle(): Promise<void> {
    for (const { trader, quoteId, key } of this.#open.splice(0)) {
      const { connections } = this.#traders.find((one) => one.trader === trader)!;
      for (;;) {
        const reply = await connections[0]!.send(await trader.order(quoteId, { key }));
        if (this.#note(reply)) {
          this.settled++;
          break;
        }
        await sleep(RETRY_MS);
      }
    }
  }

  async #trade(phase: Phase, dueMs: number): Promise<void> {
    const turn = this.#turn++;
    const { trader, connections } = this.#traders[turn % this.#traders.length]!;
    const connection = connections[Math.floor(turn / this.#traders.length) % connections.length]!;
    const quote = await connection.send(trader.quote("buy", "0.001"));
    const quoteMs = performance.now() - dueMs;
    phase.sent.push({ kind: "quote", verdict: verdictOf(quote), dueMs, tookMs: quoteMs });
    if (typeof quote === "string" || quote.status >= 300) return;
    const [quoteId, key, orderDueMs] = [memberOf(quote, "quote_id"), randomUUID(), performance.now()];
    const order = await connection.send(await trader.order(quoteId, { key }));
    const orderMs = performance.now() - orderDueMs;
    phase.sent.push({ kind: "order", verdict: verdictOf(order), dueMs: orderDueMs, tookMs: orderMs });
    if (!this.#note(order)) this.#open.push({ trader, quoteId, key });
    else if (quoteMs <= USEFUL_MS && orderMs <= USEFUL_MS) phase.doneAtMs.push(performance.now());
  }

  /** Notes an accepted order. Returns false if the outcome is unknown. */
  #note(reply: Reply | string): boolean {
    if (typeof reply === "string" || reply.status >= 500) return false;
    const id = acceptedOrderOf(reply);
    if (id !== undefined) this.accepted.push(id);
    return true;
  }
}
