// Written by npm run docs from the operations of the service. Do not edit.
package gold.partner;

import java.util.Map;
import java.util.UUID;

/**
 * The operations of the API. Codes that any call can have are not repeated at the methods: connection and TLS errors,
 * timeouts, refusals of the certificate, the address or the token, and rate limits. Any write can also fail with
 * {@code idempotency_key_conflict}.
 *
 * <p>Each write has a second method that takes your own Idempotency-Key. Store the key before the call if the write
 * must survive a crash of your program. All tries of a write have the same key, so it is executed once.
 */
public abstract class Operations {
  Operations() {}

  abstract <T> T call(Call call, Class<T> type);

  abstract <T> Listing<T> list(
      String operation, String path, String next, Object query, Class<? extends Api.Page<T>> type);

  /**
   * Check a signature and explain what is wrong with it. Send any body of any content type, signed as you sign an
   * order, over this endpoint's own URL. The reply says step by step what the service found, shows the exact string
   * that it verified, and names the mistake if it is a common one. A missing or malformed header is part of the
   * verdict, not an error. A valid probe spends its nonce. With {@code Prefer: handling=strict}, it replies as an
   * order would: 401, 409 and so on. The body is not stored. Failed probes have their own rate limit.
   *
   * @param body the body to sign
   * @return the reply
   */
  public Api.ProbeVerdict probeSignature(byte[] body) {
    return call(Call.post("probeSignature", "/v1/signed-probe", body).asSigned(), Api.ProbeVerdict.class);
  }

  /**
   * What is registered for you. Your name, addresses, masked IBAN, webhook endpoints, credentials and limits, as the
   * operator has registered them. Compare them with your own configuration. Secrets and the whole IBAN are never
   * shown.
   *
   * @return the reply
   */
  public Api.Account getAccount() {
    return call(Call.get("getAccount", "/v1/account"), Api.Account.class);
  }

  /**
   * Your credentials and when they expire. Your certificates, signing keys, client secrets and webhook secrets: their
   * names and validity periods, never their values. Several of each kind can be active at once, so you can replace
   * each with an overlap.
   *
   * @return the reply
   */
  public Api.Credentials getCredentials() {
    return call(Call.get("getCredentials", "/v1/credentials"), Api.Credentials.class);
  }

  /**
   * Request a change of what is registered for you. A further signing key, certificate, IP range or webhook endpoint.
   * Nothing changes until the operator approves the request. In production, that takes two people. At most three
   * changes may be open. Never send a private key or a secret. An IBAN cannot be changed here. Sign the request as
   * you sign an order.
   *
   * @param request the members to send
   * @return the reply
   * @throws GoldException {@code open_changes_exceeded}
   */
  public Api.AccountChange requestChange(Api.ChangeRequest request) {
    return requestChange(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.AccountChange requestChange(Api.ChangeRequest request, String idempotencyKey) {
    return call(
        Call.write("requestChange", "/v1/account/changes", request, idempotencyKey).asSigned(),
        Api.AccountChange.class);
  }

  /**
   * The changes that you requested. Your newest 50 changes with their status, newest first.
   *
   * @return the reply
   */
  public Api.AccountChanges getChanges() {
    return call(Call.get("getChanges", "/v1/account/changes"), Api.AccountChanges.class);
  }

  /**
   * One change that you requested. One change. When a certificate request is approved, {@code certificate} has the
   * certificate.
   *
   * @param changeId the id, as the service returned it
   * @return the reply
   * @throws GoldException {@code not_found}
   */
  public Api.AccountChange getChange(String changeId) {
    return call(Call.get("getChange", "/v1/account/changes/" + Call.id(changeId)), Api.AccountChange.class);
  }

  /**
   * Current prices. The current buy and sell prices of gold. They are indicative; only a quote is firm.
   *
   * @return the reply
   * @throws GoldException {@code price_unavailable}
   */
  public Api.Prices getPrices() {
    return call(Call.get("getPrices", "/v1/prices"), Api.Prices.class);
  }

  /**
   * Prices of the last 24 hours. The buy and sell prices of each minute of the last 24 hours. To follow the prices,
   * repeat the request with {@code after}.
   *
   * @return the reply
   */
  public Api.PriceHistory getPriceHistory() {
    return getPriceHistory(new Api.PriceHistoryQuery());
  }

  /**
   * Prices of the last 24 hours. The buy and sell prices of each minute of the last 24 hours. To follow the prices,
   * repeat the request with {@code after}.
   *
   * @param query the part that you want
   * @return the reply
   */
  public Api.PriceHistory getPriceHistory(Api.PriceHistoryQuery query) {
    return call(Call.get("getPriceHistory", Call.target("/v1/prices/history", query)), Api.PriceHistory.class);
  }

  /**
   * Request a firm quote. A price that is firm for 60 seconds, for a quantity of gold or for an amount. By gold, the
   * total of a buy is rounded up to the halala and the total of a sell is rounded down. By amount, a buy gets the
   * gold that the amount pays for and costs at most the amount; a sell gives the gold that is needed for the amount
   * and pays at least the amount. A quote reserves neither funds nor gold; both are checked when you order.
   *
   * @param request the members to send
   * @return the reply
   * @throws GoldException {@code limit_exceeded}, {@code market_closed}, {@code open_quotes_exceeded}, {@code
   *     net_position_exceeded}, {@code exposure_exceeded}, {@code price_unavailable}
   */
  public Api.Quote createQuote(Api.QuoteRequest request) {
    return createQuote(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Quote createQuote(Api.QuoteRequest request, String idempotencyKey) {
    return call(Call.write("createQuote", "/v1/quotes", request, idempotencyKey), Api.Quote.class);
  }

  /**
   * One quote. One of your quotes and its status.
   *
   * @param quoteId the id, as the service returned it
   * @return the reply
   * @throws GoldException {@code not_found}
   */
  public Api.Quote getQuote(String quoteId) {
    return call(Call.get("getQuote", "/v1/quotes/" + Call.id(quoteId)), Api.Quote.class);
  }

  /**
   * Execute a quote. Moves the quote's SAR and gold, both or neither, at the quote's own price. The reply is the
   * booked result. If no reply reaches you, send the same Idempotency-Key again with a fresh nonce, timestamp and
   * signature: you get the same result. GET /v1/orders?idempotency_key= also shows the outcome. A refusal binds its
   * key permanently, so a late retry never executes an order that you had given up.
   *
   * @param request the members to send
   * @return the reply
   * @throws GoldException {@code not_found}, {@code quote_already_executed}, {@code quote_expired}, {@code
   *     insufficient_funds}, {@code insufficient_gold}, {@code insufficient_inventory}
   */
  public Api.OrderCreated placeOrder(Api.OrderRequest request) {
    return placeOrder(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.OrderCreated placeOrder(Api.OrderRequest request, String idempotencyKey) {
    return call(
        Call.write("createOrder", "/v1/orders", request, idempotencyKey).asSigned(),
        Api.OrderCreated.class);
  }

  /**
   * Your orders. Newest first, in pages. Paging is stable while orders are added. Filter by your own {@code
   * reference} and {@code account_label}.
   *
   * @return the items
   */
  public Listing<Api.Order> listOrders() {
    return listOrders(new Api.FilteredListQuery());
  }

  /**
   * Your orders. Newest first, in pages. Paging is stable while orders are added. Filter by your own {@code
   * reference} and {@code account_label}.
   *
   * @param query the part that you want
   * @return the items
   */
  public Listing<Api.Order> listOrders(Api.FilteredListQuery query) {
    return list("listOrders", "/v1/orders", "cursor", query, Api.Orders.class);
  }

  /**
   * One order. One of your orders, as it was executed.
   *
   * @param orderId the id, as the service returned it
   * @return the reply
   * @throws GoldException {@code not_found}
   */
  public Api.Order getOrder(String orderId) {
    return call(Call.get("getOrder", "/v1/orders/" + Call.id(orderId)), Api.Order.class);
  }

  /**
   * Book SAR to your own account. Test money for the sandbox. In production this path does not exist, and money
   * arrives by bank transfer. A token is not required, but a token that you send must be valid.
   *
   * @param request the members to send
   * @return the reply
   * @throws GoldException {@code limit_exceeded}
   */
  public Api.FundingCreated fundSandbox(Api.FundRequest request) {
    return fundSandbox(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.FundingCreated fundSandbox(Api.FundRequest request, String idempotencyKey) {
    return call(
        Call.write("fundSandbox", "/sandbox/fund", request, idempotencyKey).withoutToken(),
        Api.FundingCreated.class);
  }

  /**
   * Withdraw SAR to your registered IBAN. Holds the amount at once. One employee of the operator approves the
   * payment, and another one submits it. The payment always goes to the IBAN that is registered at the time of the
   * request. The amount of a rejected, returned or cancelled withdrawal is available again. A reference that is in
   * use by another withdrawal is refused until that withdrawal is rejected, returned or cancelled. So your own
   * reference prevents a double payment even under another Idempotency-Key.
   *
   * @param request the members to send
   * @return the reply
   * @throws GoldException {@code insufficient_funds}, {@code limit_exceeded}, {@code withdrawal_limit_exceeded},
   *     {@code withdrawal_reference_reused}
   */
  public Api.WithdrawalCreated createWithdrawal(Api.WithdrawalRequest request) {
    return createWithdrawal(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.WithdrawalCreated createWithdrawal(Api.WithdrawalRequest request, String idempotencyKey) {
    return call(
        Call.write("createWithdrawal", "/v1/withdrawals", request, idempotencyKey).asSigned(),
        Api.WithdrawalCreated.class);
  }

  /**
   * Cancel a withdrawal that waits for approval. The amount is available again at once, in the same transaction. As
   * soon as the operator has approved the withdrawal, it can no longer be cancelled: exactly one of the two succeeds.
   * Sign the request as an order. The body is an empty JSON object.
   *
   * @param withdrawalId the id, as the service returned it
   * @return the reply
   * @throws GoldException {@code not_found}, {@code withdrawal_not_pending}
   */
  public Api.WithdrawalCreated cancelWithdrawal(String withdrawalId) {
    return cancelWithdrawal(withdrawalId, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.WithdrawalCreated cancelWithdrawal(String withdrawalId, String idempotencyKey) {
    return call(
        Call.write("cancelWithdrawal", "/v1/withdrawals/" + Call.id(withdrawalId) + "/cancel", Map.of(), idempotencyKey)
            .asSigned(),
        Api.WithdrawalCreated.class);
  }

  /**
   * Your withdrawals. Newest first, in pages. Paging is stable while withdrawals are added. Filter by your own {@code
   * reference} and {@code account_label}.
   *
   * @return the items
   */
  public Listing<Api.Withdrawal> listWithdrawals() {
    return listWithdrawals(new Api.FilteredListQuery());
  }

  /**
   * Your withdrawals. Newest first, in pages. Paging is stable while withdrawals are added. Filter by your own {@code
   * reference} and {@code account_label}.
   *
   * @param query the part that you want
   * @return the items
   */
  public Listing<Api.Withdrawal> listWithdrawals(Api.FilteredListQuery query) {
    return list("listWithdrawals", "/v1/withdrawals", "cursor", query, Api.Withdrawals.class);
  }

  /**
   * One withdrawal. One of your withdrawals and its status.
   *
   * @param withdrawalId the id, as the service returned it
   * @return the reply
   * @throws GoldException {@code not_found}
   */
  public Api.Withdrawal getWithdrawal(String withdrawalId) {
    return call(Call.get("getWithdrawal", "/v1/withdrawals/" + Call.id(withdrawalId)), Api.Withdrawal.class);
  }

  /**
   * Your fundings. Newest first, in pages. Paging is stable while fundings are added.
   *
   * @return the items
   */
  public Listing<Api.Funding> listFundings() {
    return listFundings(new Api.ListQuery());
  }

  /**
   * Your fundings. Newest first, in pages. Paging is stable while fundings are added.
   *
   * @param query the part that you want
   * @return the items
   */
  public Listing<Api.Funding> listFundings(Api.ListQuery query) {
    return list("listFundings", "/v1/fundings", "cursor", query, Api.Fundings.class);
  }

  /**
   * One funding. One of your fundings: money that arrived.
   *
   * @param fundingId the id, as the service returned it
   * @return the reply
   * @throws GoldException {@code not_found}
   */
  public Api.Funding getFunding(String fundingId) {
    return call(Call.get("getFunding", "/v1/fundings/" + Call.id(fundingId)), Api.Funding.class);
  }

  /**
   * Your balances, now or at any past instant. SAR that is available, SAR that is held for withdrawals, and gold.
   * With {@code at}, the balances at that instant; the reply for a given instant never changes. A future instant is
   * refused. {@code gold.reserves} shows your gold as a share of the list of bars in force at that instant.
   *
   * @return the reply
   */
  public Api.Balances getBalances() {
    return getBalances(new Api.BalancesQuery());
  }

  /**
   * Your balances, now or at any past instant. SAR that is available, SAR that is held for withdrawals, and gold.
   * With {@code at}, the balances at that instant; the reply for a given instant never changes. A future instant is
   * refused. {@code gold.reserves} shows your gold as a share of the list of bars in force at that instant.
   *
   * @param query the part that you want
   * @return the reply
   */
  public Api.Balances getBalances(Api.BalancesQuery query) {
    return call(Call.get("getBalances", Call.target("/v1/balances", query)), Api.Balances.class);
  }

  /**
   * Your events, in order. Every event that is sent by webhook, oldest first, each with the attempts to deliver it to
   * each of your endpoints. For the next page, send the page's {@code next_cursor} as {@code after}. {@code sequence}
   * has no gaps.
   *
   * @return the items
   */
  public Listing<Api.Event> listEvents() {
    return listEvents(new Api.EventsQuery());
  }

  /**
   * Your events, in order. Every event that is sent by webhook, oldest first, each with the attempts to deliver it to
   * each of your endpoints. For the next page, send the page's {@code next_cursor} as {@code after}. {@code sequence}
   * has no gaps.
   *
   * @param query the part that you want
   * @return the items
   */
  public Listing<Api.Event> listEvents(Api.EventsQuery query) {
    return list("listEvents", "/v1/events", "after", query, Api.Events.class);
  }

  /**
   * One event. One of your events and the attempts to deliver it to each of your endpoints.
   *
   * @param eventId the id, as the service returned it
   * @return the reply
   * @throws GoldException {@code not_found}
   */
  public Api.Event getEvent(String eventId) {
    return call(Call.get("getEvent", "/v1/events/" + Call.id(eventId)), Api.Event.class);
  }

  /**
   * Send an event to your webhook endpoints again. Sends one of your events now to each of your endpoints that gets
   * its type, whether it was delivered, is parked or is still waiting. It is sent ahead of waiting events and gets
   * all its tries again. It has the same id and the same bytes as before, with two exceptions: an upgrade of the
   * service can add members, such as {@code client_id}, and {@code previous_sequence} becomes null if the types of
   * the endpoint have changed. While an endpoint is disabled, its delivery stays pending without a {@code
   * next_attempt_at}, and the event is sent once the endpoint is enabled again. The body may be omitted.
   *
   * @param eventId the id, as the service returned it
   * @return the reply
   * @throws GoldException {@code not_found}
   */
  public Api.Event redeliverEvent(String eventId) {
    return redeliverEvent(eventId, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Event redeliverEvent(String eventId, String idempotencyKey) {
    return call(
        Call.write("redeliverEvent", "/v1/events/" + Call.id(eventId) + "/redeliver", Map.of(), idempotencyKey),
        Api.Event.class);
  }

  /**
   * Send a test event to your webhook endpoints. Creates a {@code webhook.test} event with your next sequence number
   * and sends it to each of your endpoints, whatever types they get, ahead of all waiting events. It is also sent to
   * a disabled endpoint; once it is delivered there, that endpoint is enabled again and receives the waiting events.
   * GET /v1/events/{event_id} shows how the delivery went. The body may be omitted.
   *
   * @return the reply
   */
  public Api.Event testWebhook() {
    return testWebhook(UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Event testWebhook(String idempotencyKey) {
    return call(Call.write("testWebhook", "/v1/webhook/test", Map.of(), idempotencyKey), Api.Event.class);
  }

  /**
   * Every posting between two days. Opening and closing balances and every posting between them; they add up. Days
   * begin and end at midnight in Riyadh; both days are included. As JSON, or as a table with {@code Accept:
   * text/csv}. The number of postings has no limit: the reply is sent while it is read. If the connection breaks, the
   * JSON has no end and the table no closing balances. Then fetch the statement again.
   *
   * @param query the part that you want
   * @return the reply
   */
  public Api.Statement getStatement(Api.StatementQuery query) {
    return call(Call.get("getStatement", Call.target("/v1/statement", query)), Api.Statement.class);
  }

  /**
   * The bars that back the gold. Every bar in the vault, and the gold that is owed to all partners. The gold owed
   * never exceeds the gold in the bars. All figures are as of the instant {@code as_of}. They are published at most
   * once an hour, so that nobody can infer other partners' trades. {@code reserves_list_id} names the list of these
   * bars.
   *
   * @return the reply
   */
  public Api.Reserves getReserves() {
    return call(Call.get("getReserves", "/v1/reserves"), Api.Reserves.class);
  }

  /**
   * The key of your own hash chain. Every event has a line in your hash chain, and its {@code chain_head} is the
   * SHA-256 of the previous event's {@code chain_head} and of this line. With this key you compute the lines. It
   * never changes. Keep it secret: it would let others test guesses about your orders against your chain.
   *
   * @return the reply
   */
  public Api.ChainKey getChainKey() {
    return call(Call.get("getChainKey", "/v1/chain-key"), Api.ChainKey.class);
  }

  /**
   * One list of bars. The bars in the vault between two changes. Adding or removing a bar starts a new list, and a
   * list never changes. Every order, its event and its lines of the statement name the list that was in force. {@code
   * sha256} commits to the bars and to the list before.
   *
   * @param reservesListId the id, as the service returned it
   * @return the reply
   * @throws GoldException {@code not_found}
   */
  public Api.ReservesList getReservesList(String reservesListId) {
    return call(
        Call.get("getReservesList", "/v1/reserves/lists/" + Call.id(reservesListId)),
        Api.ReservesList.class);
  }

  /**
   * Your limits. The smallest step and the bounds of each quantity, your limits on requests, quotes and records, and
   * the market hours.
   *
   * @return the reply
   */
  public Api.Limits getLimits() {
    return call(Call.get("getLimits", "/v1/limits"), Api.Limits.class);
  }

  /**
   * Decide one of your withdrawals. Takes all steps to the outcome, as the operator's two employees and the bank
   * would, with the same events, postings and webhooks. A withdrawal that already has the outcome stays as it is. An
   * outcome that the withdrawal can no longer reach gets 409 withdrawal_outcome_unreachable.
   *
   * @param request the members to send
   * @return the reply
   * @throws GoldException {@code not_found}, {@code withdrawal_outcome_unreachable}
   */
  public Api.Withdrawal simulateWithdrawal(Api.SimulateWithdrawalRequest request) {
    return simulateWithdrawal(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Withdrawal simulateWithdrawal(Api.SimulateWithdrawalRequest request, String idempotencyKey) {
    return call(
        Call.write("simulateWithdrawal", "/sandbox/simulate/withdrawal", request, idempotencyKey),
        Api.Withdrawal.class);
  }

  /**
   * Let a bank transfer arrive. Records and approves a deposit, as two employees of the operator would. Unlike money
   * from POST /sandbox/fund, it can be reversed.
   *
   * @param request the members to send
   * @return the reply
   * @throws GoldException {@code limit_exceeded}
   */
  public Api.Funding simulateDeposit(Api.SimulateDepositRequest request) {
    return simulateDeposit(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Funding simulateDeposit(Api.SimulateDepositRequest request, String idempotencyKey) {
    return call(
        Call.write("simulateDeposit", "/sandbox/simulate/deposit", request, idempotencyKey),
        Api.Funding.class);
  }

  /**
   * Let the bank take a transfer back. Reverses a funding that came from a bank transfer. Its amount must be
   * available. A reversed funding stays as it is.
   *
   * @param request the members to send
   * @return the reply
   * @throws GoldException {@code not_found}, {@code insufficient_funds}
   */
  public Api.Funding simulateDepositReversal(Api.SimulateDepositReversalRequest request) {
    return simulateDepositReversal(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Funding simulateDepositReversal(Api.SimulateDepositReversalRequest request, String idempotencyKey) {
    return call(
        Call.write("simulateDepositReversal", "/sandbox/simulate/deposit_reversal", request, idempotencyKey),
        Api.Funding.class);
  }

  /**
   * Let one of your quotes expire now. From now on, an order for this quote gets quote_expired. Its {@code
   * expires_at} becomes the time of this request.
   *
   * @param request the members to send
   * @return the reply
   * @throws GoldException {@code not_found}, {@code quote_already_executed}
   */
  public Api.Quote simulateQuoteExpiry(Api.SimulateQuoteExpiryRequest request) {
    return simulateQuoteExpiry(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Quote simulateQuoteExpiry(Api.SimulateQuoteExpiryRequest request, String idempotencyKey) {
    return call(
        Call.write("simulateQuoteExpiry", "/sandbox/simulate/quote_expiry", request, idempotencyKey),
        Api.Quote.class);
  }

  /**
   * Let an event happen that the operator or the calendar causes. Makes the records and the event of the real change,
   * which arrives by webhook as usual. Your own credentials, IBAN and webhook URL stay as they are. At most one
   * simulated client secret is active: a new one first ends the one before it, with its event. A second day.closed
   * closes the day before.
   *
   * @param request the members to send
   * @return the reply
   * @throws GoldException {@code not_found}
   */
  public Api.SimulatedEvent simulateEvent(Api.SimulateEventRequest request) {
    return simulateEvent(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.SimulatedEvent simulateEvent(Api.SimulateEventRequest request, String idempotencyKey) {
    return call(
        Call.write("simulateEvent", "/sandbox/simulate/event", request, idempotencyKey),
        Api.SimulatedEvent.class);
  }

  /**
   * Close the market for yourself. Only for you, the market is closed, its price is stale, or the vault is short of
   * gold. Ends after {@code seconds}.
   *
   * @param request the members to send
   * @return the reply
   */
  public Api.Simulations simulateMarket(Api.SimulateMarketRequest request) {
    return simulateMarket(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Simulations simulateMarket(Api.SimulateMarketRequest request, String idempotencyKey) {
    return call(
        Call.write("simulateMarket", "/sandbox/simulate/market", request, idempotencyKey),
        Api.Simulations.class);
  }

  /**
   * Move the prices for yourself. Your quotes and GET /v1/prices are higher or lower than the real price by this
   * percentage. Quotes that you already have keep their price. Ends after {@code seconds}.
   *
   * @param request the members to send
   * @return the reply
   */
  public Api.Simulations simulatePrices(Api.SimulatePricesRequest request) {
    return simulatePrices(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Simulations simulatePrices(Api.SimulatePricesRequest request, String idempotencyKey) {
    return call(
        Call.write("simulatePrices", "/sandbox/simulate/prices", request, idempotencyKey),
        Api.Simulations.class);
  }

  /**
   * Let your next requests fail. Affects your next requests under /v1 that pass the checks of certificate, address,
   * token and rate. Ends after {@code count} requests, or after ten minutes.
   *
   * @param request the members to send
   * @return the reply
   */
  public Api.Simulations simulateFailure(Api.SimulateFailureRequest request) {
    return simulateFailure(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Simulations simulateFailure(Api.SimulateFailureRequest request, String idempotencyKey) {
    return call(
        Call.write("simulateFailure", "/sandbox/simulate/failure", request, idempotencyKey),
        Api.Simulations.class);
  }

  /**
   * Delay, repeat or mis-sign your next webhooks. Affects your next events, not those that exist already. Ends after
   * {@code count} events, or after ten minutes.
   *
   * @param request the members to send
   * @return the reply
   */
  public Api.Simulations simulateWebhooks(Api.SimulateWebhooksRequest request) {
    return simulateWebhooks(request, UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Simulations simulateWebhooks(Api.SimulateWebhooksRequest request, String idempotencyKey) {
    return call(
        Call.write("simulateWebhooks", "/sandbox/simulate/webhooks", request, idempotencyKey),
        Api.Simulations.class);
  }

  /**
   * Your armed simulations. Your armed simulations, and when each one ends. Each one ends by itself within ten
   * minutes.
   *
   * @return the reply
   */
  public Api.Simulations getSimulations() {
    return call(Call.get("getSimulations", "/sandbox/simulations"), Api.Simulations.class);
  }

  /**
   * End your simulations. Ends all your armed simulations. Their past effects stay: decided withdrawals, deposits and
   * expired quotes. The body may be omitted.
   *
   * @return the reply
   */
  public Api.Simulations resetSimulations() {
    return resetSimulations(UUID.randomUUID().toString());
  }

  /** The same with your own Idempotency-Key. */
  public Api.Simulations resetSimulations(String idempotencyKey) {
    return call(
        Call.write("resetSimulations", "/sandbox/simulate/reset", Map.of(), idempotencyKey),
        Api.Simulations.class);
  }

  /**
   * Check whether the service is healthy. Returns exactly {@code {"status":"ok"}} while the service and its database
   * work, and 503 while they do not.
   *
   * @return the reply
   */
  public Api.Health getHealth() {
    return call(Call.get("getHealth", "/health").withoutToken(), Api.Health.class);
  }
}
