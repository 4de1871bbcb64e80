import { setTimeout as sleep } from "node:timers/promises";
import type { Credentials } from "@gold-partner/dev";
import { type Identity, type KeepAlivePool, openTlsPool, readIdentity } from "../stage/partner_connection.ts";
import { Trader } from "../stage/trader.ts";
import type { Reply } from "../stage/wire.ts";

/** A partner with one set of credentials: its signing key, its token and its connections. */
export class ConnectedPartner {
  readonly trader: Trader;
  readonly identity: Identity;
  readonly port: number;
  readonly #pool: KeepAlivePool;
  #inFlight = 0;

  private constructor(trader: Trader, identity: Identity, port: number) {
    this.trader = trader;
    this.identity = identity;
    this.port = port;
    this.#pool = openTlsPool(port, identity);
  }

  static async of(credentials: Credentials, client: number, port: number): Promise<ConnectedPartner> {
    const connected = new ConnectedPartner(
      await Trader.of(credentials, client),
      await readIdentity(credentials),
      port,
    );
    await connected.takeToken();
    return connected;
  }

  async takeToken(): Promise<void> {
    this.trader.takeToken(await this.send((trader) => trader.tokenRequest()));
  }

  /**
   * Counts the request as in flight before it is built and signed, so that untilQuiet() also waits for it.
   */
  async send(write: (trader: Trader) => Uint8Array | Promise<Uint8Array>): Promise<Reply | string> {
    this.#inFlight++;
    try {
      return await this.#pool.send(await write(this.trader));
    } finally {
      this.#inFlight--;
    }
  }

  async untilQuiet(): Promise<void> {
    while (this.#inFlight > 0) await sleep(5);
  }

  close(): void {
    this.#pool.close();
  }
}

/** A partner that switches to each new credential as soon as it has it, as the operator's guide says. */
export class RotatingPartner {
  #current: ConnectedPartner;

  private constructor(current: ConnectedPartner) {
    this.#current = current;
  }

  static async of(credentials: Credentials, client: number, port: number): Promise<RotatingPartner> {
    return new RotatingPartner(await ConnectedPartner.of(credentials, client, port));
  }

  get current(): ConnectedPartner {
    return this.#current;
  }

  /**
   * Switches to the changed credentials, with a new token. Waits until no request with the previous
   * credentials is in flight, and returns the partner with the previous credentials.
   */
  async adopt(change: Partial<Credentials>): Promise<ConnectedPartner> {
    const before = this.#current;
    const { trader: { credentials, client }, port } = before;
    this.#current = await ConnectedPartner.of({ ...credentials, ...change }, client, port);
    await before.untilQuiet();
    return before;
  }
}
