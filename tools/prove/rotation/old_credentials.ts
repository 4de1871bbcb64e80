import { setTimeout as sleep } from "node:timers/promises";
import { type KeepAlivePool, openTlsPool, openTlsWire } from "../stage/partner_connection.ts";
import { memberOf, type Reply, verdictOf } from "../stage/wire.ts";
import type { ConnectedPartner } from "./connected_partner.ts";

export type Kind = "write" | "read" | "handshake" | "token";

export interface Sample {
  readonly kind: Kind;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** The result of verdictOf(). For a handshake it is `let in` or `refused`. */
  readonly verdict: string;
}

/** For each kind, the verdict that shows that the credential was accepted. */
export const PASSED: Readonly<Record<Kind, string>> = {
  write: "201",
  read: "200",
  handshake: "let in",
  token: "200",
};

const GRAMS = "0.001";
const PAUSE_MS: Readonly<Record<Kind, number>> = { write: 25, read: 25, handshake: 60, token: 60 };

/**
 * A partner that continues to use the old credential, over connections that were opened before the credential
 * ended and over new connections.
 */
export class OldCredentials {
  readonly samples: Sample[] = [];
  /** The orders of this partner that were executed. */
  readonly accepted: string[] = [];
  readonly #old: ConnectedPartner;
  /**
   * Makes the quotes with the new credential, over separate connections, so that quotes never wait for
   * orders.
   */
  readonly #follower: ConnectedPartner;
  readonly #quotes: KeepAlivePool;
  readonly #loops: readonly Promise<void>[];
  #on = true;

  constructor(old: ConnectedPartner, follower: ConnectedPartner, kinds: readonly Kind[]) {
    this.#old = old;
    this.#follower = follower;
    this.#quotes = openTlsPool(follower.port, follower.identity);
    this.#loops = kinds.map((kind) => this.#repeat(kind));
  }

  async stop(): Promise<void> {
    this.#on = false;
    await Promise.all(this.#loops);
    this.#old.close();
    this.#quotes.close();
  }

  async #repeat(kind: Kind): Promise<void> {
    const ways = {
      write: () => this.#write(),
      read: () => this.#sample(kind, () => this.#old.send((trader) => trader.read("/v1/balances"))),
      token: () => this.#sample(kind, () => this.#old.send((trader) => trader.tokenRequest())),
      handshake: () => this.#connect(),
    };
    for (; this.#on; await sleep(PAUSE_MS[kind])) await ways[kind]();
  }

  /** Orders a quote that was made before, so that only the credential can cause a refusal. */
  async #write(): Promise<void> {
    const quote = await this.#quotes.send(this.#follower.trader.quote("buy", GRAMS));
    if (typeof quote === "string" || quote.status !== 201) return;
    const quoteId = memberOf(quote, "quote_id");
    const order = await this.#sample("write", () => this.#old.send((trader) => trader.order(quoteId)));
    if (typeof order === "object" && order.status === 201) this.accepted.push(memberOf(order, "order_id"));
  }

  async #sample(kind: Kind, send: () => Promise<Reply | string>): Promise<Reply | string> {
    const sentAtMs = performance.now();
    const reply = await send();
    this.#note(kind, sentAtMs, verdictOf(reply));
    return reply;
  }

  /**
   * Opens a connection and waits for a reply, because only a reply shows that the client was let in. In TLS
   * 1.3 the client finishes its part of the handshake before a refusal reaches it.
   */
  async #connect(): Promise<void> {
    const sentAtMs = performance.now();
    const request = this.#old.trader.read("/health");
    const reply = await openTlsWire(this.#old.port, this.#old.identity).then(
      (wire) => wire.send(request).finally(() => wire.close()),
      () => undefined,
    );
    this.#note("handshake", sentAtMs, reply ? PASSED.handshake : "refused");
  }

  #note(kind: Kind, sentAtMs: number, verdict: string): void {
    this.samples.push({ kind, sentAtMs, answeredAtMs: performance.now(), verdict });
  }
}
