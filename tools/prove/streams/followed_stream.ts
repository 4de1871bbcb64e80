import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { readIdentity } from "../stage/partner_connection.ts";
import { ask, type Trader } from "../stage/trader.ts";
import { memberOf, requireReply } from "../stage/wire.ts";

/** How long the reader waits before it opens a stream again. The streams ask for this time. */
const RETRY_MS = 1000;

/** The streams of one partner. They share an HTTP/2 connection, which Envoy limits to 100 streams. */
export class StreamingPartner {
  token = "";
  readonly trader: Trader;
  readonly #port: number;
  #session: Promise<ClientHttp2Session> | undefined;

  constructor(trader: Trader, port: number) {
    this.trader = trader;
    this.#port = port;
  }

  /** Gets a new token, for requests of the trader and for streams that open later. */
  async renewToken(socketPath: string): Promise<void> {
    const reply = requireReply("the token", await ask(socketPath, this.trader.tokenRequest()), 200);
    this.trader.takeToken(reply);
    this.token = memberOf(reply, "access_token");
  }

  session(): Promise<ClientHttp2Session> {
    return this.#session ??= this.#connect();
  }

  async close(): Promise<void> {
    (await this.#session?.catch(() => undefined))?.destroy();
  }

  async #connect(): Promise<ClientHttp2Session> {
    const identity = await readIdentity(this.trader.credentials);
    const session = connect(`https://localhost:${this.#port}`, { ...identity, servername: "localhost" });
    const leave = () => this.#session = undefined;
    session.on("goaway", leave).on("close", leave).on("error", leave);
    await once(session, "connect");
    return session;
  }
}

/** What a stream's owner does with it. `atMs` is the monotonic time of the arrival. */
export interface StreamHandlers {
  opened?(atMs: number): void;
  message(
    message: { readonly event: string; readonly id: string; readonly data: string },
    atMs: number,
  ): void;
  /** Called with the reason of the message `end`. Without that message, the stream broke. */
  ended(reason: string | undefined, atMs: number): void;
}

/** One stream of server-sent events. The reader opens it again after each end, until it is closed. */
export class FollowedStream {
  lastId: string | undefined;
  readonly #firstToken: string | undefined;
  readonly #partner: StreamingPartner;
  readonly #path: string;
  readonly #handlers: StreamHandlers;
  readonly #refusals: Map<string, number>;
  readonly #run: Promise<void>;
  #request: ClientHttp2Stream | undefined;
  #wanted = true;

  /**
   * Counts in `refusals` the answers that were not a stream. The first request has `firstToken`, and the others
   * have the partner's token.
   */
  constructor(
    partner: StreamingPartner,
    path: string,
    handlers: StreamHandlers,
    refusals: Map<string, number>,
    firstToken?: string,
  ) {
    this.#partner = partner;
    this.#path = path;
    this.#handlers = handlers;
    this.#refusals = refusals;
    this.#firstToken = firstToken;
    this.#run = this.#repeat();
  }

  async close(): Promise<void> {
    this.#wanted = false;
    this.#request?.close();
    await this.#run;
  }

  async #repeat(): Promise<void> {
    for (let token = this.#firstToken; this.#wanted; token = undefined) {
      const refusal = await this.#read(token).catch((error: Error) => `no connection: ${error.message}`);
      if (!this.#wanted) return;
      if (refusal) this.#refusals.set(refusal, (this.#refusals.get(refusal) ?? 0) + 1);
      await sleep(RETRY_MS);
    }
  }

  /** Reads the stream until it ends. Returns the refusal if there was no stream. */
  async #read(token = this.#partner.token): Promise<string | undefined> {
    const session = await this.#partner.session();
    const request = session.request({
      ":path": this.#path,
      authorization: `Bearer ${token}`,
      ...(this.lastId === undefined ? {} : { "last-event-id": this.lastId }),
    });
    this.#request = request;
    let status = 0;
    let rest = "";
    let reason: string | undefined;
    request.setEncoding("utf8").on("response", (headers) => status = Number(headers[":status"]))
      .on("data", (text: string) => {
        rest += text;
        if (status !== 200) return;
        const atMs = performance.now();
        for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
          const ended = this.#take(rest.slice(0, end), atMs);
          reason = ended ?? reason;
          rest = rest.slice(end + 2);
        }
      }).on("error", () => {});
    await new Promise((resolve) => request.once("close", resolve));
    if (status !== 200) {
      const code = /"code":"([a-z_]+)"/.exec(rest)?.[1];
      return status === 0 ? "no reply" : `${status} ${code ?? "without code"}`;
    }
    if (this.#wanted) this.#handlers.ended(reason, performance.now());
    return undefined;
  }

  /** Returns the reason if this message is the end. */
  #take(block: string, atMs: number): string | undefined {
    if (!this.#wanted || block.startsWith(":")) return undefined;
    if (block.startsWith("retry: ")) return void this.#handlers.opened?.(atMs);
    const message = { event: "message", id: "", data: "" };
    for (const line of block.split("\n")) {
      const colon = line.indexOf(": ");
      message[line.slice(0, colon) as keyof typeof message] = line.slice(colon + 2);
    }
    if (message.event === "end") return (JSON.parse(message.data) as { reason: string }).reason;
    if (message.id) this.lastId = message.id;
    if (!message.data) return undefined;
    this.#handlers.message(message, atMs);
    return undefined;
  }
}
