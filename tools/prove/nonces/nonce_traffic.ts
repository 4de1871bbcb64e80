import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { hostBytes } from "@gold-partner/protocol";
import { type Random, randomFrom } from "../../testing/random.ts";
import type { Deployment } from "../stage/deployment.ts";
import { UNDECIDED } from "../stage/in_flight_orders.ts";
import { ask, type Trader } from "../stage/trader.ts";
import { memberOf, type Reply, verdictOf } from "../stage/wire.ts";
import { NonceLog } from "./nonce_log.ts";

/** A write. It is repeated with its key until it has its final reply. */
interface Write {
  readonly trader: Trader;
  readonly path: "/v1/orders" | "/v1/withdrawals";
  readonly body: string;
  readonly key: string;
  /** The first final answer; every later one must be the same. */
  answer?: string;
  created: number;
}

const GRAMS = "0.001";
const AMOUNT_SAR = "0.01";
const PAUSE_MS = 50;
/** How many nonces and answered writes of a partner are kept, to be sent again. */
const KEPT = 100;
/** Every write must get its final reply within this time after stop() is called. */
const TIMEOUT_MS = 60_000;
const WORKERS_PER_TRADER = 3;

/**
 * The relative frequency of each action. Replays and reused nonces are the most frequent, because errors
 * after a lost connection are most likely there. `twins` are two requests with the same nonce that are sent
 * at the same time.
 */
const ACTIONS = {
  order: 3,
  withdrawal: 2,
  unknownQuote: 1,
  probe: 3,
  replay: 6,
  conflict: 1,
  reusedNonce: 4,
  twins: 2,
} as const;

/**
 * Partners that send signed requests of every kind to two processes, while these processes and their database
 * are killed.
 */
export class NonceTraffic {
  readonly log = new NonceLog();
  readonly violations: string[] = [];
  readonly #deployment: Deployment;
  readonly #writes: Write[] = [];
  readonly #nonces = new Map<Trader, string[]>();
  readonly #answered = new Map<Trader, Write[]>();
  readonly #workers: readonly Promise<void>[];
  #endsAtMs = Infinity;

  constructor(deployment: Deployment, seed: number) {
    this.#deployment = deployment;
    const workers = deployment.traders.flatMap((trader) => Array<Trader>(WORKERS_PER_TRADER).fill(trader));
    this.#workers = workers.map((trader, n) => this.#work(trader, randomFrom(seed + n * 7919)));
  }

  /** Starts no more actions. Resolves when every started write has its final reply or has timed out. */
  async stop(): Promise<void> {
    this.#endsAtMs = performance.now();
    await Promise.all(this.#workers);
  }

  get #on(): boolean {
    return this.#endsAtMs === Infinity;
  }

  /** The ids of orders or withdrawals that the partners received. */
  acceptedIds(member: "order_id" | "withdrawal_id"): string[] {
    return this.#writes.flatMap(({ answer }) => {
      const id = answer === undefined ? undefined : (JSON.parse(answer) as Record<string, string>)[member];
      return id === undefined ? [] : [id];
    });
  }

  async #work(trader: Trader, random: Random): Promise<void> {
    const drawn = Object.entries(ACTIONS).flatMap(([name, weight]) => Array<string>(weight).fill(name));
    while (this.#on) {
      const action = drawn[random(drawn.length)] as keyof typeof ACTIONS;
      await this.#act(action, trader, random);
    }
  }

  async #act(action: keyof typeof ACTIONS, trader: Trader, random: Random): Promise<void> {
    const answered = this.#answered.get(trader) ?? [];
    const earlier = answered[random(answered.length)];
    if (action === "probe") return void await this.#probe(trader, randomUUID(), random);
    if (action === "reusedNonce") {
      const nonces = this.#nonces.get(trader) ?? [];
      const nonce = nonces[random(nonces.length)] ?? randomUUID();
      if (!earlier || random(3) === 0) return void await this.#probe(trader, nonce, random);
      return await this.#retryUntilFinal(random(2) === 0 ? earlier : this.#withdrawal(trader), random, nonce);
    }
    if (action === "twins") {
      const nonce = randomUUID();
      return void await Promise.all([
        earlier ? this.#retryUntilFinal(earlier, random, nonce) : this.#probe(trader, nonce, random),
        random(2) === 0
          ? this.#probe(trader, nonce, random)
          : this.#retryUntilFinal(this.#withdrawal(trader), random, nonce),
      ]);
    }
    if (action === "replay" && earlier) return await this.#retryUntilFinal(earlier, random);
    if (action === "conflict" && earlier) {
      const other = this.#order(trader, `qt_${randomUUID()}`, earlier.key);
      return await this.#retryUntilFinal(other, random);
    }
    if (action === "unknownQuote") {
      return await this.#retryUntilFinal(this.#order(trader, `qt_${randomUUID()}`), random);
    }
    if (action === "withdrawal") return await this.#retryUntilFinal(this.#withdrawal(trader), random);
    const reply = await this.#ask(trader.quote("buy", GRAMS), random);
    if (reply?.status !== 201) return await sleep(PAUSE_MS);
    await this.#retryUntilFinal(this.#order(trader, memberOf(reply, "quote_id")), random);
  }

  #order(trader: Trader, quoteId: string, key: string = randomUUID()): Write {
    return { trader, path: "/v1/orders", body: JSON.stringify({ quote_id: quoteId }), key, created: 0 };
  }

  #withdrawal(trader: Trader): Write {
    const body = `{"amount_sar":${AMOUNT_SAR}}`;
    return { trader, path: "/v1/withdrawals", body, key: randomUUID(), created: 0 };
  }

  async #probe(trader: Trader, nonce: string, random: Random): Promise<void> {
    const path = "/v1/signed-probe";
    keep(this.#nonces, trader, nonce);
    const request = await trader.signed(path, hostBytes.utf8("{}"), { nonce });
    this.log.add({ trader, path, nonce }, await this.#ask(request, random));
  }

  /** Repeats a write until it has its final reply. Each retry has a fresh nonce. */
  async #retryUntilFinal(write: Write, random: Random, nonce: string = randomUUID()): Promise<void> {
    const { trader, path, body, key } = write;
    if (!this.#writes.includes(write)) this.#writes.push(write);
    for (let given = nonce;; given = randomUUID()) {
      keep(this.#nonces, trader, given);
      const request = await trader.signed(path, hostBytes.utf8(body), { key, nonce: given });
      const reply = await this.#ask(request, random);
      this.log.add({ trader, path, nonce: given }, reply);
      const verdict = verdictOf(reply);
      if (!UNDECIDED.includes(verdict) && verdict !== "409 nonce_reused") {
        return this.#take(write, reply!, verdict);
      }
      if (performance.now() > this.#endsAtMs + TIMEOUT_MS) {
        this.violations.push(`${path} with key ${key} never got a final reply: ${verdict}`);
        return;
      }
      if (verdict !== "409 nonce_reused") await sleep(PAUSE_MS);
    }
  }

  #take(write: Write, reply: Reply, verdict: string): void {
    if (verdict === "409 idempotency_key_conflict") return;
    if (reply.status === 201) write.created++;
    if (write.created > 1) this.violations.push(`${write.path} with key ${write.key} got 201 twice`);
    if (write.answer === undefined) {
      write.answer = reply.body;
      keep(this.#answered, write.trader, write);
    } else if (write.answer !== reply.body) {
      this.violations.push(`key ${write.key} got two different replies: ${write.answer} and ${reply.body}`);
    }
  }

  /** Sends a request to one of the processes. Returns no reply if the process is killed. */
  async #ask(request: Uint8Array, random: Random): Promise<Reply | undefined> {
    const { servers } = this.#deployment;
    return await ask(servers[random(servers.length)]!.socket, request).catch(() => undefined);
  }
}

function keep<Value>(kept: Map<Trader, Value[]>, trader: Trader, value: Value): void {
  const values = kept.get(trader) ?? [];
  values.push(value);
  if (values.length > KEPT) values.shift();
  kept.set(trader, values);
}
