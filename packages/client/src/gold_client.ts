import { ENDPOINTS, IDEMPOTENCY_KEY_FORM, type OperationId } from "@gold-partner/protocol";
import process from "node:process";
import { type CredentialsFile, readCredentials, readEnvironment } from "./credentials.ts";
import { type Call, Exchange } from "./exchange.ts";
import { GoldError } from "./gold_error.ts";
import type {
  Balances,
  CreatedWithdrawal,
  Credentials,
  Funding,
  Health,
  Limits,
  Order,
  PlacedOrder,
  Prices,
  ProbeVerdict,
  Quote,
  Reserves,
  SandboxFunding,
  Statement,
  Withdrawal,
} from "./reply.ts";
import { readCsvReply } from "./reply_form.ts";
import type {
  CallOptions,
  EventsQuery,
  FundRequest,
  ListQuery,
  OrderRequest,
  QuoteRequest,
  StatementQuery,
  WithdrawalRequest,
  WriteOptions,
} from "./request.ts";
import { type GoldClientOptions, readSettings } from "./settings.ts";
import type { AccountEvent } from "./webhook_event.ts";
import { writeForm, writeRequest } from "./wire_value.ts";

/** Options beside the credentials. */
export type GoldClientManner = Partial<GoldClientOptions>;

/**
 * A partner's client: mutual TLS, tokens, signatures and retries are its affair.
 *
 * ```ts
 * import { GoldClient } from "@gold-partner/client";
 *
 * const client = await GoldClient.fromEnv();
 * const quote = await client.createQuote({ side: "buy", gold_grams: "1.5" });
 * const order = await client.placeOrder({ quote_id: quote.quote_id });
 * console.log(`${order.gold_grams} g for ${order.total_sar} SAR`);
 * ```
 */
export class GoldClient {
  readonly #exchange: Exchange;

  private constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Throws one GoldError, `configuration_invalid`, that tells of all mistakes. It sends nothing. */
  static async open(options: GoldClientOptions): Promise<GoldClient> {
    return new GoldClient(new Exchange(await readSettings(options)));
  }

  /** With a `credentials.json`, by its path or as its value. */
  static async fromCredentials(
    source: string | CredentialsFile,
    manner: GoldClientManner = {},
  ): Promise<GoldClient> {
    return await GoldClient.open({ ...await readCredentials(source), ...manner });
  }

  /** With GOLD_CREDENTIALS, the path of a `credentials.json`, or the single variables that the README lists. */
  static async fromEnv(
    env: Readonly<Record<string, string | undefined>> = process.env,
    manner: GoldClientManner = {},
  ): Promise<GoldClient> {
    return await GoldClient.open({ ...await readEnvironment(env), ...manner });
  }

  /** Lets go of the connections. */
  close(): void {
    this.#exchange.close();
  }

  /** How many seconds this machine's clock is ahead of the service's, by its last reply; undefined before the first. */
  get clockOffsetSeconds(): number | undefined {
    return this.#exchange.clockOffsetSeconds;
  }

  getHealth(options?: CallOptions): Promise<Health> {
    return this.#read("getHealth", options);
  }

  getPrices(options?: CallOptions): Promise<Prices> {
    return this.#read("getPrices", options);
  }

  /** Play money; production has no such path. */
  fundSandbox(request: FundRequest, options?: WriteOptions): Promise<SandboxFunding> {
    return this.#write("fundSandbox", request, options);
  }

  createQuote(request: QuoteRequest, options?: WriteOptions): Promise<Quote> {
    return this.#write("createQuote", request, options);
  }

  getQuote(quote_id: string, options?: CallOptions): Promise<Quote> {
    return this.#read("getQuote", options, { path: { quote_id } });
  }

  /** Executes a quote, once: signed, and repeated under one Idempotency-Key until its result is known. */
  placeOrder(request: OrderRequest, options?: WriteOptions): Promise<PlacedOrder> {
    return this.#write("createOrder", request, options);
  }

  getOrder(order_id: string, options?: CallOptions): Promise<Order> {
    return this.#read("getOrder", options, { path: { order_id } });
  }

  /**
   * Newest first, page by page as they are asked for.
   *
   * ```ts
   * import { GoldClient, Quantity } from "@gold-partner/client";
   *
   * const client = await GoldClient.fromEnv();
   * let bought = Quantity.grams("0");
   * for await (const order of client.listOrders({ created_after: "2026-01-31T00:00:00.000Z" })) {
   *   if (order.side === "buy") bought = bought.plus(order.gold_grams);
   * }
   * console.log(`${bought} g`);
   * ```
   */
  listOrders(query?: ListQuery, options?: CallOptions): AsyncGenerator<Order, void, undefined> {
    return this.#list("listOrders", "cursor", query, options);
  }

  /** To the registered IBAN, once two people of the operator have passed it. */
  createWithdrawal(request: WithdrawalRequest, options?: WriteOptions): Promise<CreatedWithdrawal> {
    return this.#write("createWithdrawal", request, options);
  }

  getWithdrawal(withdrawal_id: string, options?: CallOptions): Promise<Withdrawal> {
    return this.#read("getWithdrawal", options, { path: { withdrawal_id } });
  }

  /** Newest first. */
  listWithdrawals(query?: ListQuery, options?: CallOptions): AsyncGenerator<Withdrawal, void, undefined> {
    return this.#list("listWithdrawals", "cursor", query, options);
  }

  getFunding(funding_id: string, options?: CallOptions): Promise<Funding> {
    return this.#read("getFunding", options, { path: { funding_id } });
  }

  /** Newest first. */
  listFundings(query?: ListQuery, options?: CallOptions): AsyncGenerator<Funding, void, undefined> {
    return this.#list("listFundings", "cursor", query, options);
  }

  /** Now, or `at` a past instant. */
  getBalances(query: { readonly at?: string | undefined } = {}, options?: CallOptions): Promise<Balances> {
    return this.#read("getBalances", options, { query });
  }

  getStatement(query: StatementQuery, options?: CallOptions): Promise<Statement> {
    return this.#read("getStatement", options, { query });
  }

  /** The same as a table, in text. */
  async getStatementCsv(query: StatementQuery, options?: CallOptions): Promise<string> {
    const call = { ...options, target: targetOf("getStatement", { query }), headers: { Accept: "text/csv" } };
    return await this.#exchange.call("getStatement", call, readCsvReply) as string;
  }

  getReserves(options?: CallOptions): Promise<Reserves> {
    return this.#read("getReserves", options);
  }

  getLimits(options?: CallOptions): Promise<Limits> {
    return this.#read("getLimits", options);
  }

  getCredentials(options?: CallOptions): Promise<Credentials> {
    return this.#read("getCredentials", options);
  }

  /** Oldest first, up to the last one there is. */
  listEvents(query?: EventsQuery, options?: CallOptions): AsyncGenerator<AccountEvent, void, undefined> {
    return this.#list("listEvents", "after", query, options);
  }

  getEvent(event_id: string, options?: CallOptions): Promise<AccountEvent> {
    return this.#read("getEvent", options, { path: { event_id } });
  }

  /** Sends it to your webhook again. */
  redeliverEvent(event_id: string, options?: WriteOptions): Promise<AccountEvent> {
    return this.#write("redeliverEvent", {}, options, { event_id });
  }

  /** Sends a `webhook.test` to your webhook. */
  testWebhook(options?: WriteOptions): Promise<AccountEvent> {
    return this.#write("testWebhook", {}, options);
  }

  /** Signs a body as an order is signed, and tells what the service finds. It moves nothing. */
  async probeSignature(body: string | Uint8Array = "{}", options?: CallOptions): Promise<ProbeVerdict> {
    const call = { ...options, target: targetOf("probeSignature"), body };
    return await this.#exchange.call("probeSignature", call) as ProbeVerdict;
  }

  async #read<Reply>(operation: OperationId, options?: CallOptions, place?: Place): Promise<Reply> {
    const call: Call = { signal: options?.signal, target: targetOf(operation, place) };
    return await this.#exchange.call(operation, call) as Reply;
  }

  async #write<Reply>(
    operation: OperationId,
    request: object,
    { idempotencyKey = crypto.randomUUID(), signal }: WriteOptions = {},
    path?: Place["path"],
  ): Promise<Reply> {
    if (typeof idempotencyKey !== "string" || !IDEMPOTENCY_KEY_FORM.test(idempotencyKey)) {
      throw new GoldError("argument_invalid", "The idempotencyKey is not 1 to 255 visible ASCII characters.");
    }
    const call = {
      idempotencyKey,
      signal,
      target: targetOf(operation, { path }),
      body: writeRequest(request),
    };
    return await this.#exchange.call(operation, call) as Reply;
  }

  /** `next` names the parameter that takes a page's next_cursor. */
  async *#list<Item>(
    operation: OperationId,
    next: "cursor" | "after",
    query: object = {},
    options?: CallOptions,
  ): AsyncGenerator<Item, void, undefined> {
    for (let place = query;;) {
      const page = await this.#read<Page<Item>>(operation, options, { query: place });
      yield* page.items;
      if (page.next_cursor === null) return;
      place = { ...query, [next]: page.next_cursor };
    }
  }
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

interface Place {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: object;
}

/** The operation's path and query, as they go over the wire. */
function targetOf(operation: OperationId, { path = {}, query = {} }: Place = {}): string {
  const filled = ENDPOINTS[operation].path.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    // Whatever else would be another path.
    if (/^\w+(?:-\w+)*$/.test(path[name] ?? "")) return path[name]!;
    throw new GoldError("argument_invalid", `${name} is no id; give the one that the service gave you.`);
  });
  const search = writeForm(query);
  return search === "" ? filled : `${filled}?${search}`;
}
