import process from "node:process";
import type {
  Account,
  AccountChange,
  AccountChanges,
  AccountEvent,
  AccountEvents,
  Balances,
  BalancesQuery,
  ChainKey,
  ChangeRequest,
  Credentials,
  EventsQuery,
  EventStreamQuery,
  FilteredListQuery,
  Funding,
  FundingCreated,
  Fundings,
  FundRequest,
  Health,
  Limits,
  ListQuery,
  Order,
  OrderCreated,
  OrderRequest,
  Orders,
  PriceHistory,
  PriceHistoryQuery,
  Prices,
  ProbeVerdict,
  Quote,
  QuoteRequest,
  Reserves,
  ReservesList,
  SimulateDepositRequest,
  SimulateDepositReversalRequest,
  SimulatedEvent,
  SimulateEventRequest,
  SimulateFailureRequest,
  SimulateMarketRequest,
  SimulatePricesRequest,
  SimulateQuoteExpiryRequest,
  SimulateWebhooksRequest,
  SimulateWithdrawalRequest,
  Simulations,
  Statement,
  StatementQuery,
  WebhookEvent,
  Withdrawal,
  WithdrawalCreated,
  WithdrawalRequest,
  Withdrawals,
} from "./api_types.ts";
import { Calls, targetOf } from "./calls.ts";
import { type CredentialsFile, readCredentials, readEnvironment } from "./credentials.ts";
import { Exchange } from "./exchange.ts";
import type { CallOptions, GoldClientOptions, WriteOptions } from "./options.ts";
import type { PagePromise } from "./page_promise.ts";
import { readCsvReply } from "./reply_form.ts";
import { readSettings } from "./settings.ts";
import { eventsOf, pricesOf } from "./stream.ts";
import { knownMembers } from "./wire_value.ts";

/**
 * Further options for a client that reads its credentials. An option given here overrides the credentials.
 */
export type GoldClientManner = Partial<GoldClientOptions>;

/**
 * Calls the service for one partner. It handles mutual TLS, tokens, signatures and retries.
 *
 * Every call that fails throws a GoldError. Codes that any call can have are not repeated at the methods:
 * connection and TLS errors, timeouts, refusals of the certificate, the address or the token, and rate
 * limits. Any write can also fail with `idempotency_key_conflict`, and any write or probe with
 * `daily_budget_exceeded`.
 *
 * ```ts
 * import { GoldClient } from "@gold-partner/client";
 *
 * const client = await GoldClient.fromEnv();
 * const quote = await client.createQuote({ side: "buy", gold_grams: "1.5" });
 * const order = await client.placeOrder(quote);
 * console.log(`${order.gold_grams} g for ${order.total_sar.toFixed(2)} SAR`);
 * ```
 */
export class GoldClient {
  readonly #exchange: Exchange;
  readonly #calls: Calls;

  private constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#calls = new Calls(exchange);
  }

  /**
   * Opens a client. It sends nothing yet.
   *
   * @param options The service's URL, the credentials and the limits.
   * @throws GoldError `configuration_invalid`, which lists all mistakes in the options.
   * @example
   * const client = await GoldClient.open({ baseUrl, clientId, clientSecret, cert, key, ca, signingKey });
   */
  static async open(options: GoldClientOptions): Promise<GoldClient> {
    return new GoldClient(new Exchange(await readSettings(options)));
  }

  /**
   * Opens a client with the credentials of a `credentials.json`. It sends nothing yet.
   *
   * @param source The file's path, or an object with the members of the file.
   * @param manner Further options.
   * @throws GoldError `configuration_invalid` when a member is missing, a file cannot be read or an option is
   * invalid.
   * @example
   * const client = await GoldClient.fromCredentials("partner/credentials.json", { timeoutMs: 5000 });
   */
  static async fromCredentials(
    source: string | CredentialsFile,
    manner: GoldClientManner = {},
  ): Promise<GoldClient> {
    return await GoldClient.open({ ...await readCredentials(source), ...manner });
  }

  /**
   * Opens a client with the credentials that environment variables name. It sends nothing yet.
   *
   * @param env The variables: GOLD_CREDENTIALS, the path of a `credentials.json`, or the single variables
   * that the README lists.
   * @param manner Further options.
   * @throws GoldError `configuration_invalid` when a variable is missing, a file cannot be read or an option
   * is invalid.
   * @example
   * const client = await GoldClient.fromEnv();
   */
  static async fromEnv(
    env: Readonly<Record<string, string | undefined>> = process.env,
    manner: GoldClientManner = {},
  ): Promise<GoldClient> {
    return await GoldClient.open({ ...await readEnvironment(env), ...manner });
  }

  /**
   * Closes the connections. A call after that throws a GoldError `argument_invalid`.
   *
   * @example
   * client.close();
   */
  close(): void {
    this.#exchange.close();
  }

  /**
   * Seconds that this machine's clock is ahead of the service's, by the last reply. Negative when it is
   * behind; undefined before the first reply.
   */
  get clockOffsetSeconds(): number | undefined {
    return this.#exchange.clockOffsetSeconds;
  }

  /**
   * The thumbprints of this client's certificate and signing key, and those of the option `knownThumbprints`.
   * Pass them to findForeignCredential().
   */
  get knownThumbprints(): readonly string[] {
    return this.#exchange.knownThumbprints;
  }

  /**
   * Asks whether the service and its database work.
   *
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `service_unavailable` when they do not work.
   * @example
   * const { status } = await client.getHealth();
   */
  getHealth(options?: CallOptions): Promise<Health> {
    return this.#calls.read("getHealth", options);
  }

  /**
   * Fetches the current prices. They are indicative: only a quote is firm.
   *
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `price_unavailable` when there is no current price.
   * @example
   * const { market, buy_price, sell_price } = await client.getPrices();
   */
  getPrices(options?: CallOptions): Promise<Prices> {
    return this.#calls.read("getPrices", options);
  }

  /**
   * Follows the prices: yields them when they change, at most four times a second, and null when there is no fresh
   * price. Opens the stream again whenever it ends, until you leave the loop or `signal` aborts.
   *
   * @param options `signal` ends the stream with the error `aborted`.
   * @throws GoldError any code after which waiting does not help, such as `partner_suspended`.
   * @example
   * for await (const prices of client.streamPrices()) console.log(prices?.buy_price);
   */
  streamPrices(options: CallOptions = {}): AsyncGenerator<Prices | null> {
    return pricesOf(this.#exchange, options);
  }

  /**
   * Fetches the prices of the last 24 hours, minute by minute. To follow them, give the newest bar as `after`.
   *
   * @param query `after` leaves out bars that begin no later than this instant.
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `invalid_request` when `after` is malformed.
   * @example
   * const { bars } = await client.getPriceHistory();
   */
  getPriceHistory(query: PriceHistoryQuery = {}, options?: CallOptions): Promise<PriceHistory> {
    return this.#calls.read("getPriceHistory", options, { query });
  }

  /**
   * Books test money to your own account. Only the sandbox has this operation.
   *
   * @param request The amount in SAR.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `limit_exceeded` when the amount is outside the limits, `not_found` in production.
   * @example
   * const { balances } = await client.fundSandbox({ amount_sar: "100000" });
   */
  fundSandbox(request: FundRequest, options?: WriteOptions): Promise<FundingCreated> {
    return this.#calls.write("fundSandbox", request, options);
  }

  /**
   * Requests a firm quote: a price that is valid for 60 seconds and for one order.
   *
   * @param request The side, and either the gold in grams or the amount in SAR. Optionally your own
   * `reference` and `account_label`, which the order inherits.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `limit_exceeded`, `market_closed`, `open_quotes_exceeded` or `price_unavailable`.
   * @example
   * const quote = await client.createQuote({ side: "buy", gold_grams: "1.5" });
   */
  createQuote(request: QuoteRequest, options?: WriteOptions): Promise<Quote> {
    return this.#calls.write("createQuote", request, options);
  }

  /**
   * Fetches a quote of yours and its status.
   *
   * @param quote_id The id from createQuote().
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `not_found` when no quote of yours has this id.
   * @example
   * const { status } = await client.getQuote(quote.quote_id);
   */
  getQuote(quote_id: string, options?: CallOptions): Promise<Quote> {
    return this.#calls.read("getQuote", options, { path: { quote_id } });
  }

  /**
   * Executes a quote, once. The order is signed. All tries have the same Idempotency-Key, so the order is
   * executed at most once.
   *
   * @param request An open quote, or an object with its id and your own texts. Other members are not sent. The order
   * inherits `reference` and `account_label` that it lacks from its quote.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `quote_expired`, `quote_already_executed`, `not_found`, `insufficient_funds`,
   * `insufficient_gold` or `insufficient_inventory`. When `outcomeUnknown` is true, repeat the order with the
   * error's `idempotencyKey`.
   * @example
   * const order = await client.placeOrder(quote);
   */
  placeOrder(request: OrderRequest, options?: WriteOptions): Promise<OrderCreated> {
    return this.#calls.write("createOrder", knownMembers("createOrder", request), options);
  }

  /**
   * Fetches an order of yours.
   *
   * @param order_id The id from placeOrder().
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `not_found` when no order of yours has this id.
   * @example
   * const { total_sar } = await client.getOrder(order.order_id);
   */
  getOrder(order_id: string, options?: CallOptions): Promise<Order> {
    return this.#calls.read("getOrder", options, { path: { order_id } });
  }

  /**
   * Lists your orders, newest first. Await the call for one page, or iterate over it for all items.
   *
   * @param query The part of the list. Without it, iteration gives the whole list.
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `invalid_request` when a member of the query is malformed.
   * @example
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
  listOrders(query?: FilteredListQuery, options?: CallOptions): PagePromise<Orders> {
    return this.#calls.list("listOrders", "cursor", query, options);
  }

  /**
   * Withdraws SAR to your registered IBAN. The amount is held at once. The payment is made after one employee
   * of the operator has approved it and another employee has submitted it.
   *
   * @param request The amount, and optionally your own `reference` and `account_label`.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `insufficient_funds`, `limit_exceeded` or `withdrawal_reference_reused`.
   * @example
   * const withdrawal = await client.createWithdrawal({ amount_sar: "250.00", reference: "PAYOUT-7" });
   */
  createWithdrawal(request: WithdrawalRequest, options?: WriteOptions): Promise<WithdrawalCreated> {
    return this.#calls.write("createWithdrawal", request, options);
  }

  /**
   * Cancels a withdrawal that waits for its approval. The amount is available again at once.
   *
   * @param withdrawal_id The id from createWithdrawal().
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `withdrawal_not_pending` when the withdrawal is already approved, rejected or cancelled.
   * @example
   * const { status, balances } = await client.cancelWithdrawal(withdrawal.withdrawal_id);
   */
  cancelWithdrawal(withdrawal_id: string, options?: WriteOptions): Promise<WithdrawalCreated> {
    return this.#calls.write("cancelWithdrawal", {}, options, { withdrawal_id });
  }

  /**
   * Fetches a withdrawal of yours and its status.
   *
   * @param withdrawal_id The id from createWithdrawal().
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `not_found` when no withdrawal of yours has this id.
   * @example
   * const { status } = await client.getWithdrawal(withdrawal.withdrawal_id);
   */
  getWithdrawal(withdrawal_id: string, options?: CallOptions): Promise<Withdrawal> {
    return this.#calls.read("getWithdrawal", options, { path: { withdrawal_id } });
  }

  /**
   * Lists your withdrawals, newest first. Await the call for one page, or iterate over it for all items.
   *
   * @param query The part of the list. Without it, iteration gives the whole list.
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `invalid_request` when a member of the query is malformed.
   * @example
   * for await (const { reference, status } of client.listWithdrawals()) console.log(reference, status);
   */
  listWithdrawals(query?: FilteredListQuery, options?: CallOptions): PagePromise<Withdrawals> {
    return this.#calls.list("listWithdrawals", "cursor", query, options);
  }

  /**
   * Fetches a funding of yours.
   *
   * @param funding_id The id from an event or from listFundings().
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `not_found` when no funding of yours has this id.
   * @example
   * const { reversed_at } = await client.getFunding(funding.funding_id);
   */
  getFunding(funding_id: string, options?: CallOptions): Promise<Funding> {
    return this.#calls.read("getFunding", options, { path: { funding_id } });
  }

  /**
   * Lists your fundings, newest first. Await the call for one page, or iterate over it for all items.
   *
   * @param query The part of the list. Without it, iteration gives the whole list.
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `invalid_request` when a member of the query is malformed.
   * @example
   * for await (const { amount_sar } of client.listFundings()) console.log(`${amount_sar} SAR`);
   */
  listFundings(query?: ListQuery, options?: CallOptions): PagePromise<Fundings> {
    return this.#calls.list("listFundings", "cursor", query, options);
  }

  /**
   * Fetches your balances, now or at a past instant.
   *
   * @param query `at` is the past instant in RFC 3339, such as 2026-01-31T12:30:00+03:00. A date is the
   * beginning of that day in Asia/Riyadh. Without `at`, the call returns the current balances.
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `invalid_request` when `at` is malformed or in the future.
   * @example
   * const { sar, gold } = await client.getBalances();
   */
  getBalances(query: BalancesQuery = {}, options?: CallOptions): Promise<Balances> {
    return this.#calls.read("getBalances", options, { query });
  }

  /**
   * Fetches the opening balance, the closing balance and every posting between two days.
   *
   * @param query The first and the last day, both included, in Asia/Riyadh.
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `invalid_request` when a day is malformed or `to` is before `from`, `reply_invalid`
   * when the reply is longer than 64 MiB: ask for fewer days then.
   * @example
   * const { postings } = await client.getStatement({ from: "2026-01-01", to: "2026-01-31" });
   */
  getStatement(query: StatementQuery, options?: CallOptions): Promise<Statement> {
    return this.#calls.read("getStatement", options, { query });
  }

  /**
   * Fetches the same statement as CSV text.
   *
   * @param query The first and the last day, both included, in Asia/Riyadh.
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError as getStatement() does.
   * @example
   * const csv = await client.getStatementCsv({ from: "2026-01-01", to: "2026-01-31" });
   */
  async getStatementCsv(query: StatementQuery, options?: CallOptions): Promise<string> {
    const call = { ...options, target: targetOf("getStatement", { query }), headers: { Accept: "text/csv" } };
    return await this.#exchange.call("getStatement", call, readCsvReply) as string;
  }

  /**
   * Fetches the bars in the vault and the gold that is owed to all partners.
   *
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError when the call fails. It has no codes of its own.
   * @example
   * const { fine_grams, owed_grams } = await client.getReserves();
   */
  getReserves(options?: CallOptions): Promise<Reserves> {
    return this.#calls.read("getReserves", options);
  }

  /**
   * Fetches a list of bars. A list never changes.
   *
   * @param reserves_list_id The id that an order, `getBalances()` or `getReserves()` names.
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `not_found` when there is no list with this id.
   * @example
   * const { bars, sha256 } = await client.getReservesList("lst_1");
   */
  getReservesList(reserves_list_id: string, options?: CallOptions): Promise<ReservesList> {
    return this.#calls.read("getReservesList", options, { path: { reserves_list_id } });
  }

  /**
   * Fetches your limits: quantities, request rate, quotas and market hours.
   *
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError when the call fails. It has no codes of its own.
   * @example
   * const { gold_grams, market_hours } = await client.getLimits();
   */
  getLimits(options?: CallOptions): Promise<Limits> {
    return this.#calls.read("getLimits", options);
  }

  /**
   * Fetches the key with which you compute the lines of your own hash chain.
   *
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError when the call fails. It has no codes of its own.
   * @example
   * const { client_number, chain_key } = await client.getChainKey();
   */
  getChainKey(options?: CallOptions): Promise<ChainKey> {
    return this.#calls.read("getChainKey", options);
  }

  /**
   * Fetches the names and the lifetimes of your credentials, without their secret values.
   *
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError when the call fails. It has no codes of its own.
   * @example
   * const { certificates } = await client.getCredentials();
   */
  getCredentials(options?: CallOptions): Promise<Credentials> {
    return this.#calls.read("getCredentials", options);
  }

  /**
   * Fetches what the operator has registered for you: name, addresses, masked IBAN, webhook endpoints, credentials and
   * limits.
   *
   * @param options `signal` ends the call, its tries and its pauses.
   * @example
   * const { ip_ranges, settlement } = await client.getAccount();
   */
  getAccount(options?: CallOptions): Promise<Account> {
    return this.#calls.read("getAccount", options);
  }

  /**
   * Requests a further signing key, certificate, IP range or webhook endpoint. Nothing changes before people of the
   * operator have approved it. Never send a private key or a secret.
   *
   * @param request Exactly one of `signing_key`, `certificate_request`, `ip_range` and `webhook_endpoint`.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `open_changes_exceeded` when three of your changes are open.
   * @example
   * const { change_id, status } = await client.requestChange({ ip_range: "203.0.113.0/24" });
   */
  requestChange(request: ChangeRequest, options?: WriteOptions): Promise<AccountChange> {
    return this.#calls.write("requestChange", request, options);
  }

  /**
   * Fetches your newest 50 changes, newest first.
   *
   * @param options `signal` ends the call, its tries and its pauses.
   * @example
   * for (const { kind, status } of (await client.getChanges()).items) console.log(kind, status);
   */
  getChanges(options?: CallOptions): Promise<AccountChanges> {
    return this.#calls.read("getChanges", options);
  }

  /**
   * Fetches a change that you requested. An approved certificate request has the certificate.
   *
   * @param change_id The id from requestChange().
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `not_found` when no change of yours has this id.
   * @example
   * const { status, certificate } = await client.getChange(change_id);
   */
  getChange(change_id: string, options?: CallOptions): Promise<AccountChange> {
    return this.#calls.read("getChange", options, { path: { change_id } });
  }

  /**
   * Lists your events, oldest first, with the state of their deliveries. Await the call for one page, or
   * iterate over it for all events up to the newest.
   *
   * @param query `after` is the last sequence number that you have; without it, the list starts at the first
   * event.
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `invalid_request` when a member of the query is malformed.
   * @example
   * for await (const { sequence, type } of client.listEvents({ after: 40 })) console.log(sequence, type);
   */
  listEvents(query?: EventsQuery, options?: CallOptions): PagePromise<AccountEvents> {
    return this.#calls.list("listEvents", "after", query, options);
  }

  /**
   * Follows your events: yields each one as a webhook has it, in order and without a gap. Opens the stream again
   * whenever it ends, until you leave the loop or `signal` aborts. What is sent by webhook does not change.
   *
   * @param query `after` is the number of the last event that you have. Without it, only new events come.
   * @param options `signal` ends the stream with the error `aborted`.
   * @throws GoldError any code after which waiting does not help, such as `partner_suspended`.
   * @example
   * for await (const { sequence, type } of client.streamEvents({ after: 40 })) console.log(sequence, type);
   */
  streamEvents(query: EventStreamQuery = {}, options: CallOptions = {}): AsyncGenerator<WebhookEvent> {
    return eventsOf(this.#exchange, query, options);
  }

  /**
   * Fetches an event of yours and the attempts to deliver it.
   *
   * @param event_id The id from a webhook or from listEvents().
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `not_found` when no event of yours has this id.
   * @example
   * const { delivery } = await client.getEvent(event.id);
   */
  getEvent(event_id: string, options?: CallOptions): Promise<AccountEvent> {
    return this.#calls.read("getEvent", options, { path: { event_id } });
  }

  /**
   * Makes the service send an event to your webhook again.
   *
   * @param event_id The id of any event of yours.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `not_found` when no event of yours has this id.
   * @example
   * await client.redeliverEvent(event.id);
   */
  redeliverEvent(event_id: string, options?: WriteOptions): Promise<AccountEvent> {
    return this.#calls.write("redeliverEvent", {}, options, { event_id });
  }

  /**
   * Makes the service send an event `webhook.test` to your webhook.
   *
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError when the call fails. It has no codes of its own.
   * @example
   * const { id } = await client.testWebhook();
   */
  testWebhook(options?: WriteOptions): Promise<AccountEvent> {
    return this.#calls.write("testWebhook", {}, options);
  }

  /**
   * Signs a body as an order is signed, and returns what the service finds. It moves neither money nor gold.
   *
   * @param body Any text or bytes.
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `signing_failed` when `signingKey` or the callback `sign` fails. A wrong signature is a
   * verdict, not an error.
   * @example
   * const { valid, mistake } = await client.probeSignature();
   */
  async probeSignature(body: string | Uint8Array = "{}", options?: CallOptions): Promise<ProbeVerdict> {
    const call = { ...options, target: targetOf("probeSignature"), body };
    return await this.#exchange.call("probeSignature", call) as ProbeVerdict;
  }

  /**
   * Decides a withdrawal of yours, as the operator's employees and the bank would. Only the sandbox has this
   * operation.
   *
   * @param request The withdrawal, and the status that it reaches.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `withdrawal_outcome_unreachable` when the withdrawal can no longer reach the status,
   * `not_found` when no withdrawal of yours has this id, or in production.
   * @example
   * const { status } = await client.simulateWithdrawal({ withdrawal_id, outcome: "paid" });
   */
  simulateWithdrawal(request: SimulateWithdrawalRequest, options?: WriteOptions): Promise<Withdrawal> {
    return this.#calls.write("simulateWithdrawal", request, options);
  }

  /**
   * Lets a bank transfer arrive for you. Unlike money from fundSandbox(), it can be reversed. Only the
   * sandbox has this operation.
   *
   * @param request The amount in SAR.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `limit_exceeded` when the amount is outside the limits, `not_found` in production.
   * @example
   * const { funding_id } = await client.simulateDeposit({ amount_sar: "1000" });
   */
  simulateDeposit(request: SimulateDepositRequest, options?: WriteOptions): Promise<Funding> {
    return this.#calls.write("simulateDeposit", request, options);
  }

  /**
   * Lets the bank take a transfer back. Only the sandbox has this operation.
   *
   * @param request The funding from a bank transfer.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `insufficient_funds` when the amount is no longer available, `not_found` when no
   * funding of yours has this id, or in production.
   * @example
   * const { reversed_at } = await client.simulateDepositReversal({ funding_id });
   */
  simulateDepositReversal(request: SimulateDepositReversalRequest, options?: WriteOptions): Promise<Funding> {
    return this.#calls.write("simulateDepositReversal", request, options);
  }

  /**
   * Lets a quote of yours expire now. Only the sandbox has this operation.
   *
   * @param request The quote.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `quote_already_executed`, or `not_found` when no quote of yours has this id, or in
   * production.
   * @example
   * await client.simulateQuoteExpiry({ quote_id: quote.quote_id });
   */
  simulateQuoteExpiry(request: SimulateQuoteExpiryRequest, options?: WriteOptions): Promise<Quote> {
    return this.#calls.write("simulateQuoteExpiry", request, options);
  }

  /**
   * Lets an event happen that otherwise the operator's people or the calendar cause. Only the sandbox has this
   * operation.
   *
   * @param request The type of the event, such as `credential.expiring` or `day.closed`.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `not_found` when you have no webhook endpoint that could change, or in production.
   * @example
   * const { sequence } = await client.simulateEvent({ type: "day.closed" });
   */
  simulateEvent(request: SimulateEventRequest, options?: WriteOptions): Promise<SimulatedEvent> {
    return this.#calls.write("simulateEvent", request, options);
  }

  /**
   * Closes the market for you alone, makes its price stale, or makes the vault short of gold. Only the
   * sandbox has this operation.
   *
   * @param request The state of the market, and for how many seconds.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `not_found` in production.
   * @example
   * await client.simulateMarket({ state: "closed", seconds: 30 });
   */
  simulateMarket(request: SimulateMarketRequest, options?: WriteOptions): Promise<Simulations> {
    return this.#calls.write("simulateMarket", request, options);
  }

  /**
   * Moves the prices for you alone. Only the sandbox has this operation.
   *
   * @param request The change in percent, and for how many seconds.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `not_found` in production.
   * @example
   * await client.simulatePrices({ percent: 10 });
   */
  simulatePrices(request: SimulatePricesRequest, options?: WriteOptions): Promise<Simulations> {
    return this.#calls.write("simulatePrices", request, options);
  }

  /**
   * Lets your next requests fail. The client retries them as it retries real failures. Only the sandbox has
   * this operation.
   *
   * @param request The kind of failure, and for how many requests.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `not_found` in production.
   * @example
   * await client.simulateFailure({ kind: "lost_reply" });
   * const order = await client.placeOrder(quote);
   */
  simulateFailure(request: SimulateFailureRequest, options?: WriteOptions): Promise<Simulations> {
    return this.#calls.write("simulateFailure", request, options);
  }

  /**
   * Sends the webhooks of your next events twice, late, out of order or with the other secret's signature.
   * Only the sandbox has this operation.
   *
   * @param request The kind of disturbance, and for how many events.
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `not_found` in production.
   * @example
   * await client.simulateWebhooks({ kind: "late", seconds: 20, count: 3 });
   */
  simulateWebhooks(request: SimulateWebhooksRequest, options?: WriteOptions): Promise<Simulations> {
    return this.#calls.write("simulateWebhooks", request, options);
  }

  /**
   * Fetches your active simulations. Only the sandbox has this operation.
   *
   * @param options `signal` ends the call, its tries and its pauses.
   * @throws GoldError `not_found` in production.
   * @example
   * const { market, prices, failure, webhooks } = await client.getSimulations();
   */
  getSimulations(options?: CallOptions): Promise<Simulations> {
    return this.#calls.read("getSimulations", options);
  }

  /**
   * Ends your active simulations. It does not undo what they have done. Only the sandbox has this operation.
   *
   * @param options `signal` ends the call; `idempotencyKey` is your own key for the write.
   * @throws GoldError `not_found` in production.
   * @example
   * await client.resetSimulations();
   */
  resetSimulations(options?: WriteOptions): Promise<Simulations> {
    return this.#calls.write("resetSimulations", {}, options);
  }
}
