import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { hostBytes } from "@gold-partner/protocol";
import type { Trader } from "../stage/trader.ts";
import { type Answered, Client, type RoundRecord } from "./client.ts";
import { Draw } from "./draw.ts";
import type { Amounts, Happened, History, Operation } from "./history.ts";
import { balancesOf, bodyOf, type Booked, eventsOf, halalas, tenthMilligrams } from "./replies.ts";

const CLIENTS = 3;
const THINK_MS = 60;
/** The pauses are twice as long after this many actions. */
const SLOWED_AFTER = 10;
const NO_CHANGE: Amounts = { available: 0, held: 0, gold: 0 };
const PAGE_ITEMS = 200;

/** An executed write, kept so that it can be sent again. */
interface Executed {
  readonly name: string;
  readonly key: string;
  readonly request: () => Promise<Uint8Array>;
  readonly body: string;
  readonly id: string | undefined;
}

type Action = (client: Client, draw: Draw) => Promise<void>;

/** Several connections of one partner that trade at the same time, and the history of what they saw. */
export class AccountClients {
  readonly trader: Trader;
  readonly executedOrders: string[] = [];
  readonly #ports: readonly number[];
  readonly #start: Amounts;
  readonly #fromSequence: number;
  readonly #operations: Operation[] = [];
  readonly #executed: Executed[] = [];
  readonly #sent: { readonly key: string; readonly name: Booked }[] = [];
  readonly #roundRecord: RoundRecord;
  readonly #clients: readonly { readonly client: Client; readonly draw: Draw; readonly number: number }[];
  readonly #workers: readonly Promise<void>[];
  #on = true;

  constructor(
    trader: Trader,
    ports: readonly number[],
    seed: number,
    record: RoundRecord,
    { start, sequence }: { readonly start: Amounts; readonly sequence: number },
  ) {
    this.trader = trader;
    this.#ports = ports;
    this.#start = start;
    this.#fromSequence = sequence;
    this.#roundRecord = record;
    this.#clients = Array.from({ length: CLIENTS }, (_, number) => {
      const draw = new Draw(seed, "client", trader.client, number);
      return { client: new Client(ports, draw, record), draw, number };
    });
    this.#workers = this.#clients.map((each) => this.#work(each));
  }

  get history(): History {
    return { account: this.trader.clientId, start: this.#start, operations: this.#operations };
  }

  /** Ends the work. Then trades and reads once more, because nothing is broken any longer. */
  async finish(): Promise<void> {
    this.#on = false;
    await Promise.all(this.#workers);
    const { client, draw } = this.#clients[0]!;
    const orders = this.executedOrders.length;
    await this.#fund(client, draw);
    await this.#trade(client, "buy", "0.0001");
    if (this.executedOrders.length === orders) {
      this.#roundRecord.violations.push(`${this.trader.clientId} cannot buy after the recovery`);
    }
    const read = [
      await this.#readBalances(client),
      await this.#readEvents(client),
      await this.#find(client, draw),
    ];
    if (!read.every(Boolean)) {
      this.#roundRecord.violations.push(`${this.trader.clientId} cannot read after the recovery`);
    }
    for (const each of this.#clients) each.client.close();
  }

  async #work({ client, draw }: { readonly client: Client; readonly draw: Draw }): Promise<void> {
    const actions: readonly { readonly weight: number; readonly act: Action }[] = [
      {
        weight: 5,
        act: () => this.#trade(client, draw.of(["buy", "buy", "sell"]), `0.00${draw.between(10, 99)}`),
      },
      { weight: 1, act: () => this.#trade(client, draw.of(["buy", "sell"]), "900") },
      { weight: 1, act: () => this.#tradeTwice(client, draw) },
      { weight: 1, act: () => this.#fund(client, draw) },
      { weight: 1, act: () => this.#withdraw(client, draw) },
      { weight: 3, act: async () => void await this.#readBalances(client) },
      { weight: 2, act: async () => void await this.#readEvents(client) },
      { weight: 2, act: async () => void await this.#find(client, draw) },
      { weight: 2, act: () => this.#repeat(client, draw) },
    ];
    // Slower and slower, so that the history of a long round stays short.
    for (let done = 0; this.#on; done++) {
      await draw.weighted(actions).act(client, draw);
      await sleep(draw.below(THINK_MS * (1 + done / SLOWED_AFTER)));
    }
  }

  async #quote(client: Client, side: "buy" | "sell", grams: string): Promise<[string, Amounts] | undefined> {
    const key = randomUUID();
    const request = () => Promise.resolve(this.trader.quote(side, grams, key));
    const answer = await client.write("quote", request);
    if (!answer || answer.reply.status >= 300) return undefined;
    const { quote_id, total_sar } = JSON.parse(answer.reply.body) as { quote_id: string; total_sar: number };
    this.#executed.push({ name: "quote", key, request, body: answer.reply.body, id: undefined });
    const sign = side === "buy" ? 1 : -1;
    return [quote_id, {
      available: -sign * halalas(total_sar),
      held: 0,
      gold: sign * tenthMilligrams(grams),
    }];
  }

  async #trade(client: Client, side: "buy" | "sell", grams: string): Promise<void> {
    const quote = await this.#quote(client, side, grams);
    if (quote) await this.#order(client, ...quote);
  }

  /** Two connections order the same quote with two keys. */
  async #tradeTwice(client: Client, draw: Draw): Promise<void> {
    const quote = await this.#quote(client, "buy", "0.001");
    if (!quote) return;
    const twin = new Client(this.#ports, draw, this.#roundRecord);
    await Promise.all([this.#order(client, ...quote), this.#order(twin, ...quote)]);
    twin.close();
  }

  async #order(client: Client, quote: string, change: Amounts): Promise<void> {
    const key = randomUUID();
    const id = await this.#book(
      client,
      "order",
      { key, quote, change },
      () => this.trader.order(quote, { key }),
    );
    if (id !== undefined) this.executedOrders.push(id);
  }

  async #fund(client: Client, draw: Draw): Promise<void> {
    const key = randomUUID();
    const amount = `${draw.between(1, 90)}.${draw.between(10, 99)}`;
    const change = { ...NO_CHANGE, available: halalas(amount) };
    await this.#book(
      client,
      "funding",
      { key, change },
      () => Promise.resolve(this.trader.fund(amount, key)),
    );
  }

  async #withdraw(client: Client, draw: Draw): Promise<void> {
    const key = randomUUID();
    const amount = `${draw.between(0, 20)}.${draw.between(10, 99)}`;
    const held = halalas(amount);
    const body = hostBytes.utf8(`{"amount_sar":${amount}}`);
    const change = { available: -held, held, gold: 0 };
    await this.#book(
      client,
      "withdrawal",
      { key, change },
      () => this.trader.signed("/v1/withdrawals", body, { key }),
    );
  }

  /** Sends a write that books something. Returns the id of what it booked. */
  async #book(
    client: Client,
    name: Booked,
    write: { readonly key: string; readonly quote?: string; readonly change: Amounts },
    request: () => Promise<Uint8Array>,
  ): Promise<string | undefined> {
    this.#sent.push({ key: write.key, name });
    const answer = await client.write(name, request);
    if (!answer) return undefined;
    const { body, status } = answer.reply;
    const reply = JSON.parse(body) as Record<string, unknown>;
    if (status >= 300) {
      this.#record(client, answer, { kind: "refusal", ...write, code: reply.code as string });
      return undefined;
    }
    const id = reply[`${name}_id`] as string;
    this.#record(client, answer, { kind: "write", ...write, after: balancesOf(reply.balances), id });
    this.#executed.push({ name, key: write.key, request, body, id });
    return id;
  }

  /** Sends a write again whose reply has arrived. The reply must have the same bytes. */
  async #repeat(client: Client, draw: Draw): Promise<void> {
    if (this.#executed.length === 0) return;
    const { name, key, request, body, id } = draw.of(this.#executed);
    const answer = await client.write(name, request);
    if (!answer) return;
    if (answer.reply.body !== body || answer.reply.status !== 200) {
      this.#roundRecord.violations.push(
        `${name} with key ${key} got ${body}, and again ${answer.reply.status} ${answer.reply.body}`,
      );
    }
    if (id !== undefined) this.#record(client, answer, { kind: "replay", key, id });
  }

  async #readBalances(client: Client): Promise<boolean> {
    const answer = await client.read("balances", this.trader.read("/v1/balances"));
    if (answer) this.#record(client, answer, { kind: "balances", after: balancesOf(bodyOf(answer.reply)) });
    return answer !== undefined;
  }

  async #readEvents(client: Client): Promise<boolean> {
    const path = `/v1/events?after=${this.#fromSequence}&limit=${PAGE_ITEMS}`;
    const answer = await client.read("events", this.trader.read(path));
    if (!answer) return false;
    const { ids, more } = eventsOf(answer.reply);
    // The model knows only whole lists. A round books fewer events than a page holds.
    if (!more) this.#record(client, answer, { kind: "events", ids });
    else this.#roundRecord.violations.push(`${this.trader.clientId}: more events than fit a page`);
    return true;
  }

  /** Asks what a key did, perhaps while its write is in flight. */
  async #find(client: Client, draw: Draw): Promise<boolean> {
    if (this.#sent.length === 0) return true;
    const { key, name } = draw.of(this.#sent);
    const answer = await client.read("look-up", this.trader.read(`/v1/${name}s?idempotency_key=${key}`));
    if (!answer) return false;
    const { items: [found] } = bodyOf(answer.reply) as { items: Record<string, string>[] };
    this.#record(client, answer, { kind: "find", key, id: found?.[`${name}_id`] ?? "" });
    return true;
  }

  #record(client: Client, { fromMs, toMs }: Answered, happened: Happened): void {
    const number = this.#clients.findIndex((each) => each.client === client);
    const [call, end] = [fromMs, toMs].map((ms) => Math.round(ms * 1e6)) as [number, number];
    this.#operations.push({ client: Math.max(number, 0), call, return: end, ...happened });
  }
}
