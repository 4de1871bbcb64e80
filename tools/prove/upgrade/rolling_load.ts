import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { hostBytes } from "@gold-partner/protocol";
import { UNDECIDED } from "../stage/in_flight_orders.ts";
import type { ServerProcess } from "../stage/server_process.ts";
import type { Trader } from "../stage/trader.ts";
import { addTo, memberOf, type Reply, verdictOf, Wire } from "../stage/wire.ts";

const GRAMS = "0.01";
const WITHDRAWAL = hostBytes.utf8('{"amount_sar":1}');
const CYCLE_MS = 40;
const RETRY_MS = 100;
/** After this many retries of one request, the request counts as failed. */
const RETRIES_MAX = 100;

/** What the load did since the last call of `takeTurn`. */
interface Turn {
  readonly requests: number;
  readonly retries: number;
  readonly failures: readonly string[];
  /** The longest time that a request took with its retries. */
  readonly slowestMs: number;
  /** The number of successful replies of each process. */
  readonly served: ReadonlyMap<string, number>;
}

/**
 * Partners that quote, order, withdraw and read while processes come and go. Each request goes to the next
 * process that accepts a connection. A request without an outcome is retried under the same idempotency key,
 * as docs/idempotency.md requires.
 */
export class RollingLoad {
  /** The orders that were answered with success. */
  readonly orders: string[] = [];
  /** The withdrawals that were answered with success. */
  readonly withdrawals: string[] = [];
  readonly #servers: readonly ServerProcess[];
  readonly #loops: readonly Promise<void>[];
  #turn = emptyTurn();
  #on = true;

  /** `servers` may grow. Processes that have ended are skipped. */
  constructor(servers: readonly ServerProcess[], traders: readonly Trader[], loops: number) {
    this.#servers = servers;
    this.#loops = Array.from({ length: loops }, (_, n) => this.#trade(traders[n % traders.length]!, n));
  }

  takeTurn(): Turn {
    const turn = this.#turn;
    this.#turn = emptyTurn();
    return turn;
  }

  async stop(): Promise<void> {
    this.#on = false;
    await Promise.all(this.#loops);
  }

  async #trade(trader: Trader, first: number): Promise<void> {
    const connections = new Connections(this.#servers, first);
    const insist = (what: string, write: () => Uint8Array | Promise<Uint8Array>) =>
      this.#insist(connections, what, write);
    for (let cycle = 0; this.#on; cycle++) {
      const pause = sleep(CYCLE_MS);
      const [quoteKey, key] = [randomUUID(), randomUUID()];
      const quote = await insist("a quote", () => trader.quote("buy", GRAMS, quoteKey));
      const order = quote &&
        await insist("an order", () => trader.order(memberOf(quote, "quote_id"), { key }));
      if (order) {
        const id = memberOf(order, "order_id");
        this.orders.push(id);
        await insist("the order's record", () => trader.read(`/v1/orders/${id}`));
      }
      const withdrawalKey = randomUUID();
      const withdrawal = cycle % 4 === 0 &&
        await insist(
          "a withdrawal",
          () => trader.signed("/v1/withdrawals", WITHDRAWAL, { key: withdrawalKey }),
        );
      if (withdrawal) this.withdrawals.push(memberOf(withdrawal, "withdrawal_id"));
      await insist("the balances", () => trader.read("/v1/balances"));
      await insist("the events", () => trader.read("/v1/events"));
      await pause;
    }
    connections.close();
  }

  async #insist(
    connections: Connections,
    what: string,
    write: () => Uint8Array | Promise<Uint8Array>,
  ): Promise<Reply | undefined> {
    this.#turn.requests++;
    const sentMs = performance.now();
    for (let tries = 0;; tries++) {
      const { reply, name } = await connections.send(await write());
      if (reply && reply.status < 300) {
        addTo(this.#turn.served, name);
        this.#turn.slowestMs = Math.max(this.#turn.slowestMs, performance.now() - sentMs);
        return reply;
      }
      const verdict = verdictOf(reply);
      if (!UNDECIDED.includes(verdict) || tries === RETRIES_MAX) {
        this.#turn.failures.push(`${what} at ${name}: ${verdict}`);
        return undefined;
      }
      this.#turn.retries++;
      await sleep(RETRY_MS);
    }
  }
}

const emptyTurn = () => ({
  requests: 0,
  retries: 0,
  failures: [] as string[],
  slowestMs: 0,
  served: new Map<string, number>(),
});

/** One keep-alive connection to each process. Each request goes to the next process. */
class Connections {
  readonly #servers: readonly ServerProcess[];
  readonly #wires = new Map<string, Wire>();
  #next: number;

  constructor(servers: readonly ServerProcess[], first: number) {
    this.#servers = servers;
    this.#next = first;
  }

  async send(request: Uint8Array): Promise<{ readonly reply: Reply | undefined; readonly name: string }> {
    for (let tries = 0; tries < this.#servers.length; tries++) {
      const { name, socket } = this.#servers[this.#next++ % this.#servers.length]!;
      const wire = await this.#open(name, socket);
      if (!wire) continue;
      const reply = await wire.send(request);
      // A process that drains asks its clients to close their connections.
      if (reply?.headers.get("connection") === "close") wire.close();
      return { reply, name };
    }
    return { reply: undefined, name: "no process" };
  }

  close(): void {
    for (const wire of this.#wires.values()) wire.close();
  }

  async #open(name: string, socket: string): Promise<Wire | undefined> {
    const known = this.#wires.get(name);
    if (known && !known.closed) return known;
    const wire = await Wire.open(socket).catch(() => undefined);
    if (wire) this.#wires.set(name, wire);
    else this.#wires.delete(name);
    return wire;
  }
}
