// Written by npm run docs from the operations of the service. Do not edit.
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace GoldPartner {
  // Codes that any call can have are not repeated at the methods: connection and TLS errors, timeouts, refusals of the
  // certificate, the address or the token, and rate limits. Any write can also fail with idempotency_key_conflict. All
  // tries of a write have the same Idempotency-Key, so it is executed once.
  public sealed partial class GoldClient {
    /// <summary>
    /// Check a signature and explain what is wrong with it. Send any body of any content type, signed as you sign an
    /// order, over this endpoint's own URL. The reply says step by step what the service found, shows the exact
    /// string that it verified, and names the mistake if it is a common one. A missing or malformed header is part of
    /// the verdict, not an error. A valid probe spends its nonce. With <c>Prefer: handling=strict</c>, it replies as
    /// an order would: 401, 409 and so on. The body is not stored. Failed probes have their own rate limit.
    /// </summary>
    /// <param name="body">the body to sign</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<ProbeVerdict> ProbeSignatureAsync(
        byte[] body, CancellationToken cancellationToken = default) {
      var call = new Call("probeSignature", "/v1/signed-probe") {
        Body = Call.Given("body", body),
        IsSigned = true,
      };
      return await CallAsync(call, json => new ProbeVerdict(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// What is registered for you. Your name, addresses, masked IBAN, webhook endpoints, credentials and limits, as
    /// the operator has registered them. Compare them with your own configuration. Secrets and the whole IBAN are
    /// never shown.
    /// </summary>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Account> GetAccountAsync(
        CancellationToken cancellationToken = default) {
      var call = new Call("getAccount", "/v1/account");
      return await CallAsync(call, json => new Account(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Your credentials and when they expire. Your certificates, signing keys, client secrets and webhook secrets:
    /// their names and validity periods, never their values. Several of each kind can be active at once, so you can
    /// replace each with an overlap.
    /// </summary>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Credentials> GetCredentialsAsync(
        CancellationToken cancellationToken = default) {
      var call = new Call("getCredentials", "/v1/credentials");
      return await CallAsync(call, json => new Credentials(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Request a change of what is registered for you. A further signing key, certificate, IP range or webhook
    /// endpoint. Nothing changes until the operator approves the request. In production, that takes two people. At
    /// most three changes may be open. Never send a private key or a secret. An IBAN cannot be changed here. Sign the
    /// request as you sign an order.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">open_changes_exceeded</exception>
    public async Task<AccountChange> RequestChangeAsync(
        ChangeRequest request, string? idempotencyKey = null, CancellationToken cancellationToken = default) {
      var call = new Call("requestChange", "/v1/account/changes") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
        IsSigned = true,
      };
      return await CallAsync(call, json => new AccountChange(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The changes that you requested. Your newest 50 changes with their status, newest first.</summary>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<AccountChanges> GetChangesAsync(
        CancellationToken cancellationToken = default) {
      var call = new Call("getChanges", "/v1/account/changes");
      return await CallAsync(call, json => new AccountChanges(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// One change that you requested. One change. When a certificate request is approved, <c>certificate</c> has the
    /// certificate.
    /// </summary>
    /// <param name="changeId">the id, as the service returned it</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found</exception>
    public async Task<AccountChange> GetChangeAsync(
        string changeId, CancellationToken cancellationToken = default) {
      var call = new Call("getChange", $"/v1/account/changes/{Call.Id(changeId)}");
      return await CallAsync(call, json => new AccountChange(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Current prices. The current buy and sell prices of gold. They are indicative; only a quote is firm.
    /// </summary>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">price_unavailable</exception>
    public async Task<Prices> GetPricesAsync(
        CancellationToken cancellationToken = default) {
      var call = new Call("getPrices", "/v1/prices");
      return await CallAsync(call, json => new Prices(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Prices of the last 24 hours. The buy and sell prices of each minute of the last 24 hours. To follow the
    /// prices, repeat the request with <c>after</c>.
    /// </summary>
    /// <param name="query">the part that you want; without it, everything</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<PriceHistory> GetPriceHistoryAsync(
        PriceHistoryQuery? query = null, CancellationToken cancellationToken = default) {
      var call = new Call("getPriceHistory", Call.Path("/v1/prices/history", query));
      return await CallAsync(call, json => new PriceHistory(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Request a firm quote. A price that is firm for 60 seconds, for a quantity of gold or for an amount. By gold,
    /// the total of a buy is rounded up to the halala and the total of a sell is rounded down. By amount, a buy gets
    /// the gold that the amount pays for and costs at most the amount; a sell gives the gold that is needed for the
    /// amount and pays at least the amount. A quote reserves neither funds nor gold; both are checked when you order.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">
    /// limit_exceeded, market_closed, open_quotes_exceeded, net_position_exceeded, exposure_exceeded,
    /// price_unavailable
    /// </exception>
    public async Task<Quote> CreateQuoteAsync(
        QuoteRequest request, string? idempotencyKey = null, CancellationToken cancellationToken = default) {
      var call = new Call("createQuote", "/v1/quotes") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Quote(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>One quote. One of your quotes and its status.</summary>
    /// <param name="quoteId">the id, as the service returned it</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found</exception>
    public async Task<Quote> GetQuoteAsync(
        string quoteId, CancellationToken cancellationToken = default) {
      var call = new Call("getQuote", $"/v1/quotes/{Call.Id(quoteId)}");
      return await CallAsync(call, json => new Quote(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Execute a quote. Moves the quote's SAR and gold, both or neither, at the quote's own price. The reply is the
    /// booked result. If no reply reaches you, send the same Idempotency-Key again with a fresh nonce, timestamp and
    /// signature: you get the same result. GET /v1/orders?idempotency_key= also shows the outcome. A refusal binds
    /// its key permanently, so a late retry never executes an order that you had given up.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">
    /// not_found, quote_already_executed, quote_expired, insufficient_funds, insufficient_gold,
    /// insufficient_inventory
    /// </exception>
    public async Task<OrderCreated> PlaceOrderAsync(
        OrderRequest request, string? idempotencyKey = null, CancellationToken cancellationToken = default) {
      var call = new Call("createOrder", "/v1/orders") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
        IsSigned = true,
      };
      return await CallAsync(call, json => new OrderCreated(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Your orders. Newest first, in pages. Paging is stable while orders are added. Filter by your own
    /// <c>reference</c> and <c>account_label</c>.
    /// </summary>
    /// <param name="query">the part that you want; without it, everything</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the items of all pages, each fetched when it is needed</returns>
    public IAsyncEnumerable<Order> ListOrdersAsync(
        FilteredListQuery? query = null, CancellationToken cancellationToken = default) =>
      new EachLoop<Order>(() => ListAsync(
        "listOrders", "/v1/orders", "cursor", query, json => new Order(json), cancellationToken));

    /// <summary>One order. One of your orders, as it was executed.</summary>
    /// <param name="orderId">the id, as the service returned it</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found</exception>
    public async Task<Order> GetOrderAsync(
        string orderId, CancellationToken cancellationToken = default) {
      var call = new Call("getOrder", $"/v1/orders/{Call.Id(orderId)}");
      return await CallAsync(call, json => new Order(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Book SAR to your own account. Test money for the sandbox. In production this path does not exist, and money
    /// arrives by bank transfer. A token is not required, but a token that you send must be valid.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">limit_exceeded</exception>
    public async Task<FundingCreated> FundSandboxAsync(
        FundRequest request, string? idempotencyKey = null, CancellationToken cancellationToken = default) {
      var call = new Call("fundSandbox", "/sandbox/fund") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
        NeedsToken = false,
      };
      return await CallAsync(call, json => new FundingCreated(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Withdraw SAR to your registered IBAN. Holds the amount at once. One employee of the operator approves the
    /// payment, and another one submits it. The payment always goes to the IBAN that is registered at the time of the
    /// request. The amount of a rejected, returned or cancelled withdrawal is available again. A reference that is in
    /// use by another withdrawal is refused until that withdrawal is rejected, returned or cancelled. So your own
    /// reference prevents a double payment even under another Idempotency-Key.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">
    /// insufficient_funds, limit_exceeded, withdrawal_limit_exceeded, withdrawal_reference_reused
    /// </exception>
    public async Task<WithdrawalCreated> CreateWithdrawalAsync(
        WithdrawalRequest request, string? idempotencyKey = null, CancellationToken cancellationToken = default) {
      var call = new Call("createWithdrawal", "/v1/withdrawals") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
        IsSigned = true,
      };
      return await CallAsync(call, json => new WithdrawalCreated(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Cancel a withdrawal that waits for approval. The amount is available again at once, in the same transaction.
    /// As soon as the operator has approved the withdrawal, it can no longer be cancelled: exactly one of the two
    /// succeeds. Sign the request as an order. The body is an empty JSON object.
    /// </summary>
    /// <param name="withdrawalId">the id, as the service returned it</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found, withdrawal_not_pending</exception>
    public async Task<WithdrawalCreated> CancelWithdrawalAsync(
        string withdrawalId, string? idempotencyKey = null, CancellationToken cancellationToken = default) {
      var call = new Call("cancelWithdrawal", $"/v1/withdrawals/{Call.Id(withdrawalId)}/cancel") {
        Body = Json.Write(null),
        IdempotencyKey = Call.Key(idempotencyKey),
        IsSigned = true,
      };
      return await CallAsync(call, json => new WithdrawalCreated(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Your withdrawals. Newest first, in pages. Paging is stable while withdrawals are added. Filter by your own
    /// <c>reference</c> and <c>account_label</c>.
    /// </summary>
    /// <param name="query">the part that you want; without it, everything</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the items of all pages, each fetched when it is needed</returns>
    public IAsyncEnumerable<Withdrawal> ListWithdrawalsAsync(
        FilteredListQuery? query = null, CancellationToken cancellationToken = default) =>
      new EachLoop<Withdrawal>(() => ListAsync(
        "listWithdrawals", "/v1/withdrawals", "cursor", query, json => new Withdrawal(json), cancellationToken));

    /// <summary>One withdrawal. One of your withdrawals and its status.</summary>
    /// <param name="withdrawalId">the id, as the service returned it</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found</exception>
    public async Task<Withdrawal> GetWithdrawalAsync(
        string withdrawalId, CancellationToken cancellationToken = default) {
      var call = new Call("getWithdrawal", $"/v1/withdrawals/{Call.Id(withdrawalId)}");
      return await CallAsync(call, json => new Withdrawal(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Your fundings. Newest first, in pages. Paging is stable while fundings are added.</summary>
    /// <param name="query">the part that you want; without it, everything</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the items of all pages, each fetched when it is needed</returns>
    public IAsyncEnumerable<Funding> ListFundingsAsync(
        ListQuery? query = null, CancellationToken cancellationToken = default) =>
      new EachLoop<Funding>(() => ListAsync(
        "listFundings", "/v1/fundings", "cursor", query, json => new Funding(json), cancellationToken));

    /// <summary>One funding. One of your fundings: money that arrived.</summary>
    /// <param name="fundingId">the id, as the service returned it</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found</exception>
    public async Task<Funding> GetFundingAsync(
        string fundingId, CancellationToken cancellationToken = default) {
      var call = new Call("getFunding", $"/v1/fundings/{Call.Id(fundingId)}");
      return await CallAsync(call, json => new Funding(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Your balances, now or at any past instant. SAR that is available, SAR that is held for withdrawals, and gold.
    /// With <c>at</c>, the balances at that instant; the reply for a given instant never changes. A future instant is
    /// refused. <c>gold.reserves</c> shows your gold as a share of the list of bars in force at that instant.
    /// </summary>
    /// <param name="query">the part that you want; without it, everything</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Balances> GetBalancesAsync(
        BalancesQuery? query = null, CancellationToken cancellationToken = default) {
      var call = new Call("getBalances", Call.Path("/v1/balances", query));
      return await CallAsync(call, json => new Balances(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Your events, in order. Every event that is sent by webhook, oldest first, each with the attempts to deliver it
    /// to each of your endpoints. For the next page, send the page's <c>next_cursor</c> as <c>after</c>.
    /// <c>sequence</c> has no gaps.
    /// </summary>
    /// <param name="query">the part that you want; without it, everything</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the items of all pages, each fetched when it is needed</returns>
    public IAsyncEnumerable<Event> ListEventsAsync(
        EventsQuery? query = null, CancellationToken cancellationToken = default) =>
      new EachLoop<Event>(() => ListAsync(
        "listEvents", "/v1/events", "after", query, json => new Event(json), cancellationToken));

    /// <summary>One event. One of your events and the attempts to deliver it to each of your endpoints.</summary>
    /// <param name="eventId">the id, as the service returned it</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found</exception>
    public async Task<Event> GetEventAsync(
        string eventId, CancellationToken cancellationToken = default) {
      var call = new Call("getEvent", $"/v1/events/{Call.Id(eventId)}");
      return await CallAsync(call, json => new Event(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Send an event to your webhook endpoints again. Sends one of your events now to each of your endpoints that
    /// gets its type, whether it was delivered, is parked or is still waiting. It is sent ahead of waiting events and
    /// gets all its tries again. It has the same id and the same bytes as before, with two exceptions: an upgrade of
    /// the service can add members, such as <c>client_id</c>, and <c>previous_sequence</c> becomes null if the types
    /// of the endpoint have changed. While an endpoint is disabled, its delivery stays pending without a
    /// <c>next_attempt_at</c>, and the event is sent once the endpoint is enabled again. The body may be omitted.
    /// </summary>
    /// <param name="eventId">the id, as the service returned it</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found</exception>
    public async Task<Event> RedeliverEventAsync(
        string eventId, string? idempotencyKey = null, CancellationToken cancellationToken = default) {
      var call = new Call("redeliverEvent", $"/v1/events/{Call.Id(eventId)}/redeliver") {
        Body = Json.Write(null),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Event(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Send a test event to your webhook endpoints. Creates a <c>webhook.test</c> event with your next sequence
    /// number and sends it to each of your endpoints, whatever types they get, ahead of all waiting events. It is
    /// also sent to a disabled endpoint; once it is delivered there, that endpoint is enabled again and receives the
    /// waiting events. GET /v1/events/{event_id} shows how the delivery went. The body may be omitted.
    /// </summary>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Event> TestWebhookAsync(
        string? idempotencyKey = null, CancellationToken cancellationToken = default) {
      var call = new Call("testWebhook", "/v1/webhook/test") {
        Body = Json.Write(null),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Event(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Every posting between two days. Opening and closing balances and every posting between them; they add up. Days
    /// begin and end at midnight in Riyadh; both days are included. As JSON, or as a table with <c>Accept:
    /// text/csv</c>. The number of postings has no limit: the reply is sent while it is read. If the connection
    /// breaks, the JSON has no end and the table no closing balances. Then fetch the statement again.
    /// </summary>
    /// <param name="query">the part that you want</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Statement> GetStatementAsync(
        StatementQuery query, CancellationToken cancellationToken = default) {
      var call = new Call("getStatement", Call.Path("/v1/statement", query));
      return await CallAsync(call, json => new Statement(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// The bars that back the gold. Every bar in the vault, and the gold that is owed to all partners. The gold owed
    /// never exceeds the gold in the bars. All figures are as of the instant <c>as_of</c>. They are published at most
    /// once an hour, so that nobody can infer other partners' trades. <c>reserves_list_id</c> names the list of these
    /// bars.
    /// </summary>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Reserves> GetReservesAsync(
        CancellationToken cancellationToken = default) {
      var call = new Call("getReserves", "/v1/reserves");
      return await CallAsync(call, json => new Reserves(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// The key of your own hash chain. Every event has a line in your hash chain, and its <c>chain_head</c> is the
    /// SHA-256 of the previous event's <c>chain_head</c> and of this line. With this key you compute the lines. It
    /// never changes. Keep it secret: it would let others test guesses about your orders against your chain.
    /// </summary>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<ChainKey> GetChainKeyAsync(
        CancellationToken cancellationToken = default) {
      var call = new Call("getChainKey", "/v1/chain-key");
      return await CallAsync(call, json => new ChainKey(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// One list of bars. The bars in the vault between two changes. Adding or removing a bar starts a new list, and a
    /// list never changes. Every order, its event and its lines of the statement name the list that was in force.
    /// <c>sha256</c> commits to the bars and to the list before.
    /// </summary>
    /// <param name="reservesListId">the id, as the service returned it</param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found</exception>
    public async Task<ReservesList> GetReservesListAsync(
        string reservesListId, CancellationToken cancellationToken = default) {
      var call = new Call("getReservesList", $"/v1/reserves/lists/{Call.Id(reservesListId)}");
      return await CallAsync(call, json => new ReservesList(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Your limits. The smallest step and the bounds of each quantity, your limits on requests, quotes and records,
    /// and the market hours.
    /// </summary>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Limits> GetLimitsAsync(
        CancellationToken cancellationToken = default) {
      var call = new Call("getLimits", "/v1/limits");
      return await CallAsync(call, json => new Limits(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Decide one of your withdrawals. Takes all steps to the outcome, as the operator's two employees and the bank
    /// would, with the same events, postings and webhooks. A withdrawal that already has the outcome stays as it is.
    /// An outcome that the withdrawal can no longer reach gets 409 withdrawal_outcome_unreachable.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found, withdrawal_outcome_unreachable</exception>
    public async Task<Withdrawal> SimulateWithdrawalAsync(
        SimulateWithdrawalRequest request,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) {
      var call = new Call("simulateWithdrawal", "/sandbox/simulate/withdrawal") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Withdrawal(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Let a bank transfer arrive. Records and approves a deposit, as two employees of the operator would. Unlike
    /// money from POST /sandbox/fund, it can be reversed.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">limit_exceeded</exception>
    public async Task<Funding> SimulateDepositAsync(
        SimulateDepositRequest request,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) {
      var call = new Call("simulateDeposit", "/sandbox/simulate/deposit") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Funding(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Let the bank take a transfer back. Reverses a funding that came from a bank transfer. Its amount must be
    /// available. A reversed funding stays as it is.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found, insufficient_funds</exception>
    public async Task<Funding> SimulateDepositReversalAsync(
        SimulateDepositReversalRequest request,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) {
      var call = new Call("simulateDepositReversal", "/sandbox/simulate/deposit_reversal") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Funding(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Let one of your quotes expire now. From now on, an order for this quote gets quote_expired. Its
    /// <c>expires_at</c> becomes the time of this request.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found, quote_already_executed</exception>
    public async Task<Quote> SimulateQuoteExpiryAsync(
        SimulateQuoteExpiryRequest request,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) {
      var call = new Call("simulateQuoteExpiry", "/sandbox/simulate/quote_expiry") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Quote(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Let an event happen that the operator or the calendar causes. Makes the records and the event of the real
    /// change, which arrives by webhook as usual. Your own credentials, IBAN and webhook URL stay as they are. At
    /// most one simulated client secret is active: a new one first ends the one before it, with its event. A second
    /// day.closed closes the day before.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    /// <exception cref="GoldException">not_found</exception>
    public async Task<SimulatedEvent> SimulateEventAsync(
        SimulateEventRequest request,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) {
      var call = new Call("simulateEvent", "/sandbox/simulate/event") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new SimulatedEvent(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Close the market for yourself. Only for you, the market is closed, its price is stale, or the vault is short
    /// of gold. Ends after <c>seconds</c>.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Simulations> SimulateMarketAsync(
        SimulateMarketRequest request,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) {
      var call = new Call("simulateMarket", "/sandbox/simulate/market") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Simulations(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Move the prices for yourself. Your quotes and GET /v1/prices are higher or lower than the real price by this
    /// percentage. Quotes that you already have keep their price. Ends after <c>seconds</c>.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Simulations> SimulatePricesAsync(
        SimulatePricesRequest request,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) {
      var call = new Call("simulatePrices", "/sandbox/simulate/prices") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Simulations(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Let your next requests fail. Affects your next requests under /v1 that pass the checks of certificate,
    /// address, token and rate. Ends after <c>count</c> requests, or after ten minutes.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Simulations> SimulateFailureAsync(
        SimulateFailureRequest request,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) {
      var call = new Call("simulateFailure", "/sandbox/simulate/failure") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Simulations(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Delay, repeat or mis-sign your next webhooks. Affects your next events, not those that exist already. Ends
    /// after <c>count</c> events, or after ten minutes.
    /// </summary>
    /// <param name="request">the members to send</param>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Simulations> SimulateWebhooksAsync(
        SimulateWebhooksRequest request,
        string? idempotencyKey = null,
        CancellationToken cancellationToken = default) {
      var call = new Call("simulateWebhooks", "/sandbox/simulate/webhooks") {
        Body = Json.Write(Call.Given("request", request)),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Simulations(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Your armed simulations. Your armed simulations, and when each one ends. Each one ends by itself within ten
    /// minutes.
    /// </summary>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Simulations> GetSimulationsAsync(
        CancellationToken cancellationToken = default) {
      var call = new Call("getSimulations", "/sandbox/simulations");
      return await CallAsync(call, json => new Simulations(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// End your simulations. Ends all your armed simulations. Their past effects stay: decided withdrawals, deposits
    /// and expired quotes. The body may be omitted.
    /// </summary>
    /// <param name="idempotencyKey">
    /// your own key: 1 to 255 visible ASCII characters. Store it before the call if the write must survive a crash of
    /// your program. Without it, the call has a random key
    /// </param>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Simulations> ResetSimulationsAsync(
        string? idempotencyKey = null, CancellationToken cancellationToken = default) {
      var call = new Call("resetSimulations", "/sandbox/simulate/reset") {
        Body = Json.Write(null),
        IdempotencyKey = Call.Key(idempotencyKey),
      };
      return await CallAsync(call, json => new Simulations(json), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Check whether the service is healthy. Returns exactly <c>{"status":"ok"}</c> while the service and its
    /// database work, and 503 while they do not.
    /// </summary>
    /// <param name="cancellationToken">ends the call with the code aborted</param>
    /// <returns>the reply</returns>
    public async Task<Health> GetHealthAsync(
        CancellationToken cancellationToken = default) {
      var call = new Call("getHealth", "/health") {
        NeedsToken = false,
      };
      return await CallAsync(call, json => new Health(json), cancellationToken).ConfigureAwait(false);
    }
  }
}
