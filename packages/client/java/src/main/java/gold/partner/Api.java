// Written by npm run docs from the schemas of the service. Do not edit.
package gold.partner;

import java.io.Serializable;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;

/**
 * The requests and the replies of the API. Members that the service may leave out, and members that can be null,
 * are null. States and types of events are texts, because later versions add values.
 */
public final class Api {
  private Api() {}

  /** A page of a list, with the cursor of the next page. Null: there is no next page. */
  interface Page<T> {
    List<T> items();

    String nextCursor();
  }

  /**
   * What is registered for you, and what it may do.
   *
   * @param clientId your client_id.
   * @param name your name, as it is registered.
   * @param environment the environment of the service. Values may be added.
   * @param status a suspended account gets partner_suspended at every request. Values may be added.
   * @param createdAt when you were registered.
   * @param ipRanges the addresses from which your requests are accepted, as CIDR.
   * @param settlement where your withdrawals are paid.
   * @param webhookEndpoints where your events are sent, at most five endpoints; empty if nowhere.
   * @param credentials see {@link Credentials}
   * @param limits see {@link Limits}
   */
  public record Account(
      String clientId,
      String name,
      String environment,
      String status,
      Instant createdAt,
      List<String> ipRanges,
      Settlement settlement,
      List<WebhookEndpoint> webhookEndpoints,
      Credentials credentials,
      Limits limits) {
    public Account {
      Json.required(clientId, "client_id");
      Json.required(name, "name");
      Json.required(environment, "environment");
      Json.required(status, "status");
      Json.required(createdAt, "created_at");
      Json.required(ipRanges, "ip_ranges");
      Json.required(settlement, "settlement");
      Json.required(webhookEndpoints, "webhook_endpoints");
      Json.required(credentials, "credentials");
      Json.required(limits, "limits");
    }

    /**
     * Where your withdrawals are paid.
     *
     * @param ibanMasked the IBAN of your withdrawals, without its middle characters.
     * @param payoutsHeldUntil until when withdrawals are not paid, because the IBAN has changed; null if they are.
     */
    public record Settlement(String ibanMasked, Instant payoutsHeldUntil) {
      public Settlement {
        Json.required(ibanMasked, "iban_masked");
      }
    }
  }

  /**
   * A change of what is registered for you. Nothing changes until the operator approves it. In production, that takes
   * two people.
   *
   * @param changeId the id: chg_ and a UUIDv7.
   * @param kind what is to change; the member with this name has the content. Values may be added.
   * @param status requested: waits for the operator. proposed: waits for the operator's second person. approved: in
   *     force. declined: ended without effect. Values may be added.
   * @param requestedAt when you requested the change.
   * @param decidedAt when the change was approved or declined; null if it is open.
   * @param reason why the change was declined; null if it was not.
   * @param certificate the certificate as PEM, as long as it is active; null in any other case.
   * @param signingKey see {@link RequestedSigningKey}
   * @param certificateRequest the certificate request as PEM.
   * @param ipRange the requested address or range.
   * @param webhookEndpoint see {@link RequestedWebhookEndpoint}
   */
  public record AccountChange(
      String changeId,
      String kind,
      String status,
      Instant requestedAt,
      Instant decidedAt,
      String reason,
      String certificate,
      RequestedSigningKey signingKey,
      String certificateRequest,
      String ipRange,
      RequestedWebhookEndpoint webhookEndpoint) {
    public AccountChange {
      Json.required(changeId, "change_id");
      Json.required(kind, "kind");
      Json.required(status, "status");
      Json.required(requestedAt, "requested_at");
    }
  }

  /**
   * Your newest 50 changes, newest first.
   *
   * @param items the changes.
   */
  public record AccountChanges(List<AccountChange> items) {
    public AccountChanges {
      Json.required(items, "items");
    }
  }

  /**
   * The account at one instant.
   *
   * @param sar your money.
   * @param gold your gold.
   * @param asOf the instant of these balances.
   */
  public record Balances(Sar sar, Gold gold, Instant asOf) {
    public Balances {
      Json.required(sar, "sar");
      Json.required(gold, "gold");
      Json.required(asOf, "as_of");
    }

    /**
     * Your money.
     *
     * @param available SAR that can be traded or withdrawn.
     * @param held SAR of withdrawals that are not yet paid.
     */
    public record Sar(BigDecimal available, BigDecimal held) {
      public Sar {
        Json.required(available, "available");
        Json.required(held, "held");
      }
    }

    /**
     * Your gold.
     *
     * @param grams grams of gold, at most 4 decimals.
     * @param reserves your gold as a share of the list of bars in force at as_of. Only GET /v1/balances has it, and
     *     not for instants before the first list.
     */
    public record Gold(BigDecimal grams, Reserves reserves) {
      public Gold {
        Json.required(grams, "grams");
      }

      /**
       * Your gold as a share of the list of bars in force at as_of. Only GET /v1/balances has it, and not for
       * instants before the first list.
       *
       * @param reservesListId the id of a list of bars: lst_ and its number. GET
       *     /v1/reserves/lists/{reserves_list_id} gives the list.
       * @param fineGrams gold in all bars of the list.
       * @param share your gold divided by fine_grams, as a decimal rounded down to 12 decimals.
       */
      public record Reserves(String reservesListId, BigDecimal fineGrams, String share) {
        public Reserves {
          Json.required(reservesListId, "reserves_list_id");
          Json.required(fineGrams, "fine_grams");
          Json.required(share, "share");
        }
      }
    }
  }

  /**
   * The values that you need to compute the lines of your hash chain.
   *
   * @param clientNumber your number in the lines of your hash chain.
   * @param chainKey your chain key: 32 bytes in lower-case hex. The salts of your lines are derived from it.
   */
  public record ChainKey(long clientNumber, String chainKey) {
    public ChainKey {
      Json.required(chainKey, "chain_key");
    }
  }

  /**
   * Exactly one of signing_key, certificate_request, ip_range, webhook_endpoint.
   *
   * @param signingKey see {@link SigningKeyRequest}
   * @param certificateRequest a certificate request (PKCS #10) as PEM.
   * @param ipRange an IP address or a CIDR range: at most a /16, for IPv6 a /32.
   * @param webhookEndpoint see {@link WebhookEndpointRequest}
   */
  public record ChangeRequest(
      SigningKeyRequest signingKey,
      String certificateRequest,
      String ipRange,
      WebhookEndpointRequest webhookEndpoint) {
    /** With the required members alone. */
    public ChangeRequest() {
      this(null, null, null, null);
    }

    /** Returns a copy with this {@code signingKey}. */
    public ChangeRequest signingKey(SigningKeyRequest signingKey) {
      return new ChangeRequest(signingKey, certificateRequest, ipRange, webhookEndpoint);
    }

    /** Returns a copy with this {@code certificateRequest}. */
    public ChangeRequest certificateRequest(String certificateRequest) {
      return new ChangeRequest(signingKey, certificateRequest, ipRange, webhookEndpoint);
    }

    /** Returns a copy with this {@code ipRange}. */
    public ChangeRequest ipRange(String ipRange) {
      return new ChangeRequest(signingKey, certificateRequest, ipRange, webhookEndpoint);
    }

    /** Returns a copy with this {@code webhookEndpoint}. */
    public ChangeRequest webhookEndpoint(WebhookEndpointRequest webhookEndpoint) {
      return new ChangeRequest(signingKey, certificateRequest, ipRange, webhookEndpoint);
    }
  }

  /**
   * Your credentials, never their values.
   *
   * @param certificates your client certificates.
   * @param signingKeys the public keys that verify your signatures.
   * @param clientSecrets the secrets with which you fetch tokens.
   * @param webhookSecrets the secrets that sign your webhooks. Each endpoint has its own.
   */
  public record Credentials(
      List<Certificate> certificates,
      List<SigningKey> signingKeys,
      List<ClientSecret> clientSecrets,
      List<WebhookSecret> webhookSecrets) {
    public Credentials {
      Json.required(certificates, "certificates");
      Json.required(signingKeys, "signing_keys");
      Json.required(clientSecrets, "client_secrets");
      Json.required(webhookSecrets, "webhook_secrets");
    }

    /**
     * Certificate.
     *
     * @param sha256 SHA-256 of the certificate (DER), lower-case hex.
     * @param expiresAt when the certificate expires (notAfter).
     * @param revokedAt when the operator revoked the certificate; null if it is not revoked.
     * @param notBefore from when the service accepts the credential.
     * @param retireAt when the service stops accepting the credential; null if no end is planned.
     * @param lastUsedAt when the credential was last used, recorded at most once a minute; null if never.
     */
    public record Certificate(
        String sha256,
        Instant expiresAt,
        Instant revokedAt,
        Instant notBefore,
        Instant retireAt,
        Instant lastUsedAt) {
      public Certificate {
        Json.required(sha256, "sha256");
        Json.required(expiresAt, "expires_at");
        Json.required(notBefore, "not_before");
      }
    }

    /**
     * Signing key.
     *
     * @param kid the name that the protected header may give as {@code kid}.
     * @param thumbprint the key's RFC 7638 thumbprint. The protected header may also give this value as {@code kid}.
     * @param notBefore from when the service accepts the credential.
     * @param retireAt when the service stops accepting the credential; null if no end is planned.
     * @param lastUsedAt when the credential was last used, recorded at most once a minute; null if never.
     */
    public record SigningKey(String kid, String thumbprint, Instant notBefore, Instant retireAt, Instant lastUsedAt) {
      public SigningKey {
        Json.required(kid, "kid");
        Json.required(thumbprint, "thumbprint");
        Json.required(notBefore, "not_before");
      }
    }

    /**
     * Client secret.
     *
     * @param secretId the secret's name, not its value.
     * @param notBefore from when the service accepts the credential.
     * @param retireAt when the service stops accepting the credential; null if no end is planned.
     * @param lastUsedAt when the credential was last used, recorded at most once a minute; null if never.
     */
    public record ClientSecret(String secretId, Instant notBefore, Instant retireAt, Instant lastUsedAt) {
      public ClientSecret {
        Json.required(secretId, "secret_id");
        Json.required(notBefore, "not_before");
      }
    }

    /**
     * Webhook secret.
     *
     * @param secretId the secret's name, not its value.
     * @param endpoint the number of the endpoint whose webhooks the secret signs, as GET /v1/account shows it.
     * @param notBefore from when the service accepts the credential.
     * @param retireAt when the service stops accepting the credential; null if no end is planned.
     * @param lastUsedAt when the credential was last used, recorded at most once a minute; null if never.
     */
    public record WebhookSecret(
        String secretId,
        long endpoint,
        Instant notBefore,
        Instant retireAt,
        Instant lastUsedAt) {
      public WebhookSecret {
        Json.required(secretId, "secret_id");
        Json.required(notBefore, "not_before");
      }
    }
  }

  /**
   * The attempts to deliver an event to the first of the endpoints that get it. {@code deliveries} has all of them.
   *
   * @param status pending: not delivered yet. delivered: your endpoint has accepted it. parked: the service has
   *     stopped trying; redeliver it by hand. filtered, only in {@code delivery}: no endpoint gets it. Values may be
   *     added.
   * @param nextAttemptAt when the event is sent next; null if that is not planned.
   * @param attempts the attempts so far, oldest first.
   */
  public record Delivery(String status, Instant nextAttemptAt, List<DeliveryAttempt> attempts) {
    public Delivery {
      Json.required(status, "status");
      Json.required(attempts, "attempts");
    }
  }

  /**
   * One attempt to deliver an event.
   *
   * @param attemptedAt when the attempt began.
   * @param httpStatus the status of the HTTP reply; null if no reply arrived.
   * @param durationMs how long the attempt took, in milliseconds.
   * @param cause why the attempt failed; null if your endpoint accepted the event. dns: your host's name has no
   *     address. address: the service may not send to its address. refused: no connection. tls_untrusted: TLS failed,
   *     for example because the certificate is not trusted. timeout: no reply in time. reset: the connection ended,
   *     or the reply was not HTTP. status: a reply other than 2xx.
   */
  public record DeliveryAttempt(Instant attemptedAt, Long httpStatus, long durationMs, String cause) {
    public DeliveryAttempt {
      Json.required(attemptedAt, "attempted_at");
    }
  }

  /**
   * The attempts to deliver an event to one endpoint.
   *
   * @param endpoint the number of the endpoint, as GET /v1/account shows it.
   * @param status pending: not delivered yet. delivered: your endpoint has accepted it. parked: the service has
   *     stopped trying; redeliver it by hand. filtered, only in {@code delivery}: no endpoint gets it. Values may be
   *     added.
   * @param nextAttemptAt when the event is sent next; null if that is not planned.
   * @param attempts the attempts so far, oldest first.
   */
  public record EndpointDelivery(
      long endpoint,
      String status,
      Instant nextAttemptAt,
      List<DeliveryAttempt> attempts) {
    public EndpointDelivery {
      Json.required(status, "status");
      Json.required(attempts, "attempts");
    }
  }

  /**
   * An event and the attempts to deliver it.
   *
   * @param type what happened. Values may be added.
   * @param id the id: evt_ and a UUIDv7.
   * @param sequence the number of the event, counted per partner without gaps. An endpoint with a filter does not get
   *     every number: see previous_sequence.
   * @param createdAt when the event occurred.
   * @param environment the environment of the service. Not in events from before 0.7.0. Values may be added.
   * @param apiVersion the version of this API, as info.version of the description. Not in events from before 0.7.0.
   * @param data see {@link EventData}
   * @param delivery see {@link Delivery}
   * @param deliveries one object for each endpoint that gets the event, by its number. Not in replies from before
   *     0.7.0.
   * @param line the event's line of your hash chain: chain_head is the SHA-256 of the previous chain_head, as bytes,
   *     and this text. Only GET /v1/events and GET /v1/events/{event_id} have it.
   */
  public record Event(
      String type,
      String id,
      long sequence,
      Instant createdAt,
      String environment,
      String apiVersion,
      EventData data,
      Delivery delivery,
      List<EndpointDelivery> deliveries,
      String line) {
    public Event {
      Json.required(type, "type");
      Json.required(id, "id");
      Json.required(createdAt, "created_at");
      Json.required(data, "data");
      Json.required(delivery, "delivery");
    }
  }

  /**
   * The credential, in its state right after the event.
   *
   * @param kind what expires, was added or ended. Values may be added.
   * @param id the sha256, thumbprint or secret_id of the credential, as GET /v1/credentials shows it.
   * @param expiresAt when the service stops accepting the credential. Only in credential.expiring.
   * @param kid the signing key's registered name, if it has one. Not in credential.expiring.
   * @param validFrom from when the service accepts the credential; null if the registered date is unusable, so that
   *     the service never accepts it. Not in credential.expiring.
   * @param validUntil when the service stops accepting the credential, which can be in the future; null if no end is
   *     set. Not in credential.expiring.
   * @param changedBy the operator's login that made the change; null if the change is older than events about
   *     changes.
   * @param approvedBy the second login, which approved the change; null if such a change needs no approval.
   */
  public record EventCredential(
      String kind,
      String id,
      Instant expiresAt,
      String kid,
      Instant validFrom,
      Instant validUntil,
      String changedBy,
      String approvedBy) {
    public EventCredential {
      Json.required(kind, "kind");
      Json.required(id, "id");
    }
  }

  /**
   * The subject of the event in its state right after the event, and the head of your hash chain. The type of the
   * event says which subject it is.
   *
   * @param order see {@link Order}
   * @param withdrawal see {@link Withdrawal}
   * @param funding see {@link Funding}
   * @param credential see {@link EventCredential}
   * @param settlement see {@link EventSettlement}
   * @param webhookEndpoint see {@link EventWebhookEndpoint}
   * @param day see {@link EventDay}
   * @param chainHead the head of your hash chain at this event. Store it: with it you can prove your history up to
   *     this event.
   */
  public record EventData(
      Order order,
      Withdrawal withdrawal,
      Funding funding,
      EventCredential credential,
      EventSettlement settlement,
      EventWebhookEndpoint webhookEndpoint,
      EventDay day,
      String chainHead) {
    public EventData {
      Json.required(chainHead, "chain_head");
    }
  }

  /**
   * A summary of one day. After this event, nothing can be added to the day.
   *
   * @param date the day in Asia/Riyadh.
   * @param firstSequence the first event of the day; null: the day has none.
   * @param lastSequence the last event of the day; null: the day has none.
   * @param openingBalance the balances before the day.
   * @param closingBalance the balances after the day.
   * @param quotes how many quotes you got.
   * @param orders how many orders were executed.
   * @param refusals how many refusals were bound to an Idempotency-Key.
   * @param broken the refusals of orders that you sent in time: insufficient_inventory, and quote_expired although
   *     X-Timestamp is before the end of the quote.
   * @param quotesSha256 a hash over every quote of the day and its reply.
   * @param refusalsSha256 a hash over every binding refusal of the day.
   * @param epoch the epoch of the operator's database. A failover, or a restore to an earlier instant, begins a new
   *     epoch.
   * @param quotesExecuted how many of these quotes were executed. Not in events from before 0.7.0.
   * @param quotesExpired how many of these quotes ended without an order. Not in events from before 0.7.0.
   */
  public record EventDay(
      LocalDate date,
      Long firstSequence,
      Long lastSequence,
      StatementBalance openingBalance,
      StatementBalance closingBalance,
      long quotes,
      long orders,
      long refusals,
      long broken,
      String quotesSha256,
      String refusalsSha256,
      Epoch epoch,
      Long quotesExecuted,
      Long quotesExpired) {
    public EventDay {
      Json.required(date, "date");
      Json.required(openingBalance, "opening_balance");
      Json.required(closingBalance, "closing_balance");
      Json.required(quotesSha256, "quotes_sha256");
      Json.required(refusalsSha256, "refusals_sha256");
      Json.required(epoch, "epoch");
    }

    /**
     * The epoch of the operator's database. A failover, or a restore to an earlier instant, begins a new epoch.
     *
     * @param number the number of the epoch, counted from 1.
     * @param timeline the timeline of the operator's database.
     * @param beganAt when the operator's service noticed the epoch.
     */
    public record Epoch(long number, long timeline, Instant beganAt) {
      public Epoch {
        Json.required(beganAt, "began_at");
      }
    }
  }

  /**
   * The IBAN to which later withdrawals are paid.
   *
   * @param ibanMasked the new IBAN without its middle characters.
   * @param ibanSha256 the SHA-256 of the whole IBAN without spaces. Compare it with your own.
   * @param changedBy the operator's login that made the change; null if the change is older than events about
   *     changes.
   * @param approvedBy the second login, which approved the change; null if such a change needs no approval.
   */
  public record EventSettlement(String ibanMasked, String ibanSha256, String changedBy, String approvedBy) {
    public EventSettlement {
      Json.required(ibanMasked, "iban_masked");
      Json.required(ibanSha256, "iban_sha256");
    }
  }

  /**
   * An endpoint that was added or removed, or got another URL or other types.
   *
   * @param url the URL of the endpoint.
   * @param endpoint the number of the endpoint, as GET /v1/account shows it. Not in events from before 0.7.0.
   * @param removedAt when the endpoint was removed; null if events are sent to this URL from now on. Not in events
   *     from before 0.7.0.
   * @param changedBy the operator's login that made the change; null if the change is older than events about
   *     changes.
   * @param approvedBy the second login, which approved the change; null if such a change needs no approval.
   */
  public record EventWebhookEndpoint(
      String url,
      Long endpoint,
      Instant removedAt,
      String changedBy,
      String approvedBy) {
    public EventWebhookEndpoint {
      Json.required(url, "url");
    }
  }

  /**
   * Oldest first; next_cursor is the {@code after} of the next page.
   *
   * @param items the items of this page.
   * @param nextCursor the cursor of the next page; null on the last page.
   */
  public record Events(List<Event> items, String nextCursor) implements Page<Event> {
    public Events {
      Json.required(items, "items");
    }
  }

  /**
   * One invalid field of the request, by pointer or by name.
   *
   * @param pointer a JSON Pointer into the body, as in #/gold_grams.
   * @param name the name of the query parameter or header.
   * @param detail what is wrong and what to send.
   */
  public record FieldError(String pointer, String name, String detail) implements Serializable {
    public FieldError {
      Json.required(detail, "detail");
    }
  }

  /**
   * Adds SAR to the caller's own account. Available only in the sandbox.
   *
   * @param amountSar SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string,
   *     such as "10.50", means the same as the number.
   */
  public record FundRequest(BigDecimal amountSar) {
    public FundRequest {
      amountSar = Call.exact("amount_sar", Call.given("amount_sar", amountSar), 2);
    }
  }

  /**
   * SAR that were added to the account.
   *
   * @param fundingId the id: fnd_ and a UUIDv7.
   * @param amountSar the amount of the funding, at most 2 decimals.
   * @param createdAt when the funding was booked.
   * @param reversedAt when the funding was reversed because the bank took the money back; null if it was not
   *     reversed.
   */
  public record Funding(String fundingId, BigDecimal amountSar, Instant createdAt, Instant reversedAt) {
    public Funding {
      Json.required(fundingId, "funding_id");
      Json.required(amountSar, "amount_sar");
      Json.required(createdAt, "created_at");
    }
  }

  /**
   * The funding, and the account's balances right after it.
   *
   * @param fundingId the id: fnd_ and a UUIDv7.
   * @param amountSar the amount of the funding, at most 2 decimals.
   * @param createdAt when the funding was booked.
   * @param balances see {@link Balances}
   */
  public record FundingCreated(String fundingId, BigDecimal amountSar, Instant createdAt, Balances balances) {
    public FundingCreated {
      Json.required(fundingId, "funding_id");
      Json.required(amountSar, "amount_sar");
      Json.required(createdAt, "created_at");
      Json.required(balances, "balances");
    }
  }

  /**
   * Newest first; stable while items are added.
   *
   * @param items the items of this page.
   * @param nextCursor the cursor of the next page; null on the last page.
   */
  public record Fundings(List<Funding> items, String nextCursor) implements Page<Funding> {
    public Fundings {
      Json.required(items, "items");
    }
  }

  /**
   * The service can serve requests.
   *
   * @param status the service and its database work.
   */
  public record Health(String status) {
    public Health {
      Json.required(status, "status");
    }
  }

  /**
   * Your limits on quantities, request rate, open quotes and stored records, and the market hours.
   *
   * @param goldGrams the gold of one quote.
   * @param amountSar the amount of one quote, funding or withdrawal.
   * @param smallestTrade the smallest quotes at the present prices; null while there is no price.
   * @param quoteTtlSeconds how many seconds a quote is firm.
   * @param rateLimit your request rate.
   * @param streams the limit of your streams of prices and events, together.
   * @param openQuotes limits on your open quotes (firm, not yet executed) by number and by grams, and how many are
   *     open now. A null maximum means no limit; null in place of the object means unlimited.
   * @param dailyRecords your daily limit (Riyadh time) on stored records that move no money or gold: quotes, binding
   *     refusals, probes, replays, webhook tests and redeliveries. A quote stops counting when it is executed. Null
   *     means unlimited.
   * @param netPosition your daily limit (Riyadh time) on what you buy minus what you sell. Open quotes count as if
   *     they were executed; only quotes are refused. Null means unlimited.
   * @param dailyWithdrawals your daily limits (Riyadh time) on withdrawals. Those that ended without a payment count,
   *     too. A null maximum means no limit; null in place of the object means unlimited.
   * @param exposure the operator's daily limit on what all partners buy minus what they sell. A side that is open may
   *     still refuse a large quote. Null means unlimited.
   * @param marketHours when the market is open.
   */
  public record Limits(
      GoldGrams goldGrams,
      AmountSar amountSar,
      SmallestTrade smallestTrade,
      long quoteTtlSeconds,
      RateLimit rateLimit,
      Streams streams,
      OpenQuotes openQuotes,
      DailyRecords dailyRecords,
      NetPosition netPosition,
      DailyWithdrawals dailyWithdrawals,
      Exposure exposure,
      MarketHours marketHours) {
    public Limits {
      Json.required(goldGrams, "gold_grams");
      Json.required(amountSar, "amount_sar");
      Json.required(rateLimit, "rate_limit");
      Json.required(streams, "streams");
      Json.required(marketHours, "market_hours");
    }

    /**
     * The gold of one quote.
     *
     * @param step grams of gold, at most 4 decimals.
     * @param minimum grams of gold, at most 4 decimals.
     * @param maximum grams of gold, at most 4 decimals.
     */
    public record GoldGrams(BigDecimal step, BigDecimal minimum, BigDecimal maximum) {
      public GoldGrams {
        Json.required(step, "step");
        Json.required(minimum, "minimum");
        Json.required(maximum, "maximum");
      }
    }

    /**
     * The amount of one quote, funding or withdrawal.
     *
     * @param step SAR, at most 2 decimals.
     * @param minimum SAR, at most 2 decimals.
     * @param maximum SAR, at most 2 decimals.
     */
    public record AmountSar(BigDecimal step, BigDecimal minimum, BigDecimal maximum) {
      public AmountSar {
        Json.required(step, "step");
        Json.required(minimum, "minimum");
        Json.required(maximum, "maximum");
      }
    }

    /**
     * Smallest trade.
     *
     * @param buy the least that you can buy.
     * @param sell the least that you can sell.
     */
    public record SmallestTrade(Buy buy, Sell sell) {
      public SmallestTrade {
        Json.required(buy, "buy");
        Json.required(sell, "sell");
      }

      /**
       * The least that you can buy.
       *
       * @param goldGrams grams of gold, at most 4 decimals.
       * @param amountSar what this gold costs or brings.
       */
      public record Buy(BigDecimal goldGrams, BigDecimal amountSar) {
        public Buy {
          Json.required(goldGrams, "gold_grams");
          Json.required(amountSar, "amount_sar");
        }
      }

      /**
       * The least that you can sell.
       *
       * @param goldGrams grams of gold, at most 4 decimals.
       * @param amountSar what this gold costs or brings.
       */
      public record Sell(BigDecimal goldGrams, BigDecimal amountSar) {
        public Sell {
          Json.required(goldGrams, "gold_grams");
          Json.required(amountSar, "amount_sar");
        }
      }
    }

    /**
     * Your request rate.
     *
     * @param requestsPerSecond how many requests a second you may send on average.
     * @param burst how many requests you may send at once.
     */
    public record RateLimit(long requestsPerSecond, long burst) {}

    /**
     * The limit of your streams of prices and events, together.
     *
     * @param maximum how many streams you can have open at once.
     */
    public record Streams(long maximum) {}

    /**
     * Open quotes.
     *
     * @param maximumQuotes how many quotes may be open; null means no limit.
     * @param quotes how many quotes are open.
     * @param maximumGoldGrams how many grams the open quotes may have together; null means no limit.
     * @param goldGrams the grams of the open quotes.
     */
    public record OpenQuotes(Long maximumQuotes, long quotes, BigDecimal maximumGoldGrams, BigDecimal goldGrams) {
      public OpenQuotes {
        Json.required(goldGrams, "gold_grams");
      }
    }

    /**
     * Daily records.
     *
     * @param maximumRecords how many records may be stored per day.
     * @param records how many records count today.
     * @param resetsAt when the count starts again at 0.
     */
    public record DailyRecords(long maximumRecords, long records, Instant resetsAt) {
      public DailyRecords {
        Json.required(resetsAt, "resets_at");
      }
    }

    /**
     * Net position.
     *
     * @param maximumGoldGrams the largest net position of a day, in either direction.
     * @param buyGoldGrams how many grams you can still buy today.
     * @param sellGoldGrams how many grams you can still sell today.
     * @param resetsAt when the day ends and both start again at the maximum.
     */
    public record NetPosition(
        BigDecimal maximumGoldGrams,
        BigDecimal buyGoldGrams,
        BigDecimal sellGoldGrams,
        Instant resetsAt) {
      public NetPosition {
        Json.required(maximumGoldGrams, "maximum_gold_grams");
        Json.required(buyGoldGrams, "buy_gold_grams");
        Json.required(sellGoldGrams, "sell_gold_grams");
        Json.required(resetsAt, "resets_at");
      }
    }

    /**
     * Daily withdrawals.
     *
     * @param maximumWithdrawals how many withdrawals you may request per day; null: any number.
     * @param withdrawals how many you requested today.
     * @param maximumAmountSar how much SAR you may request per day; null: any amount.
     * @param amountSar how much you requested today.
     * @param resetsAt when both start again at 0.
     */
    public record DailyWithdrawals(
        Long maximumWithdrawals,
        long withdrawals,
        BigDecimal maximumAmountSar,
        BigDecimal amountSar,
        Instant resetsAt) {
      public DailyWithdrawals {
        Json.required(amountSar, "amount_sar");
        Json.required(resetsAt, "resets_at");
      }
    }

    /**
     * Exposure.
     *
     * @param buy whether the operator still sells gold to partners today.
     * @param sell whether the operator still buys gold from partners today.
     */
    public record Exposure(boolean buy, boolean sell) {}

    /**
     * When the market is open.
     *
     * @param alwaysOpen whether the market never closes.
     * @param timeZone the time zone of the sessions.
     * @param sessions the opening hours of each day; empty if the market is always open.
     * @param haltedAt when the market was closed outside its hours because the price jumped; it stays closed until
     *     the operator opens it. Null: it was not.
     */
    public record MarketHours(boolean alwaysOpen, String timeZone, List<Session> sessions, Instant haltedAt) {
      public MarketHours {
        Json.required(timeZone, "time_zone");
        Json.required(sessions, "sessions");
      }

      /**
       * Session.
       *
       * @param day the day of the week.
       * @param opens when the market opens, as HH:MM.
       * @param closes when the market closes, as HH:MM; 24:00 is the end of the day.
       */
      public record Session(String day, String opens, String closes) {
        public Session {
          Json.required(day, "day");
          Json.required(opens, "opens");
          Json.required(closes, "closes");
        }
      }
    }
  }

  /**
   * An executed order.
   *
   * @param orderId the id: ord_ and a UUIDv7.
   * @param quoteId the id: qt_ and a UUIDv7.
   * @param side from your point of view: buy pays SAR for gold, sell gives gold for SAR.
   * @param goldGrams the gold that moved, in grams, at most 4 decimals.
   * @param pricePerGramSar SAR per gram, at most 4 decimals.
   * @param totalSar the SAR that moved, at most 2 decimals.
   * @param status an order is executed completely, or it does not exist. Values may be added.
   * @param executedAt when the order was booked.
   * @param reference your own reference; absent if you sent none.
   * @param accountLabel your own customer, account or desk; absent if you sent none.
   * @param reservesListId the list of bars that was in force when the order was executed. Absent for orders before
   *     0.4.0.
   */
  public record Order(
      String orderId,
      String quoteId,
      String side,
      BigDecimal goldGrams,
      BigDecimal pricePerGramSar,
      BigDecimal totalSar,
      String status,
      Instant executedAt,
      String reference,
      String accountLabel,
      String reservesListId) {
    public Order {
      Json.required(orderId, "order_id");
      Json.required(quoteId, "quote_id");
      Json.required(side, "side");
      Json.required(goldGrams, "gold_grams");
      Json.required(pricePerGramSar, "price_per_gram_sar");
      Json.required(totalSar, "total_sar");
      Json.required(status, "status");
      Json.required(executedAt, "executed_at");
    }
  }

  /**
   * The order, and the account's balances right after it.
   *
   * @param orderId the id: ord_ and a UUIDv7.
   * @param quoteId the id: qt_ and a UUIDv7.
   * @param side from your point of view: buy pays SAR for gold, sell gives gold for SAR.
   * @param goldGrams the gold that moved, in grams, at most 4 decimals.
   * @param pricePerGramSar SAR per gram, at most 4 decimals.
   * @param totalSar the SAR that moved, at most 2 decimals.
   * @param status an order is executed completely, or it does not exist. Values may be added.
   * @param executedAt when the order was booked.
   * @param reference your own reference; absent if you sent none.
   * @param accountLabel your own customer, account or desk; absent if you sent none.
   * @param reservesListId the list of bars that was in force when the order was executed. Absent for orders before
   *     0.4.0.
   * @param balances see {@link Balances}
   */
  public record OrderCreated(
      String orderId,
      String quoteId,
      String side,
      BigDecimal goldGrams,
      BigDecimal pricePerGramSar,
      BigDecimal totalSar,
      String status,
      Instant executedAt,
      String reference,
      String accountLabel,
      String reservesListId,
      Balances balances) {
    public OrderCreated {
      Json.required(orderId, "order_id");
      Json.required(quoteId, "quote_id");
      Json.required(side, "side");
      Json.required(goldGrams, "gold_grams");
      Json.required(pricePerGramSar, "price_per_gram_sar");
      Json.required(totalSar, "total_sar");
      Json.required(status, "status");
      Json.required(executedAt, "executed_at");
      Json.required(balances, "balances");
    }
  }

  /**
   * Executes a firm quote. If you omit {@code reference} or {@code account_label}, the order inherits it from the
   * quote.
   *
   * @param quoteId one of your open quotes.
   * @param reference your own reference, such as the number of your customer's order. It need not be unique.
   * @param accountLabel your own customer, account or desk. All labels share your one balance.
   */
  public record OrderRequest(String quoteId, String reference, String accountLabel) {
    public OrderRequest {
      quoteId = Call.given("quote_id", quoteId);
    }

    /** With the required members alone. */
    public OrderRequest(String quoteId) {
      this(quoteId, null, null);
    }

    /** Returns a copy with this {@code reference}. */
    public OrderRequest reference(String reference) {
      return new OrderRequest(quoteId, reference, accountLabel);
    }

    /** Returns a copy with this {@code accountLabel}. */
    public OrderRequest accountLabel(String accountLabel) {
      return new OrderRequest(quoteId, reference, accountLabel);
    }
  }

  /**
   * Newest first; stable while items are added.
   *
   * @param items the items of this page.
   * @param nextCursor the cursor of the next page; null on the last page.
   */
  public record Orders(List<Order> items, String nextCursor) implements Page<Order> {
    public Orders {
      Json.required(items, "items");
    }
  }

  /**
   * The prices of the last 24 hours, minute by minute.
   *
   * @param currency the currency of both prices.
   * @param unit the prices are for one gram.
   * @param purity the purity of the gold.
   * @param bars oldest first. A minute without a new price has no bar; the last price before it was still valid. The
   *     bar of the current minute can still change.
   */
  public record PriceHistory(String currency, String unit, String purity, List<Bar> bars) {
    public PriceHistory {
      Json.required(currency, "currency");
      Json.required(unit, "unit");
      Json.required(purity, "purity");
      Json.required(bars, "bars");
    }

    /**
     * Bar.
     *
     * @param beginsAt the beginning of the minute.
     * @param buyPrice SAR per gram that a partner paid.
     * @param sellPrice SAR per gram that a partner received.
     */
    public record Bar(Instant beginsAt, BuyPrice buyPrice, SellPrice sellPrice) {
      public Bar {
        Json.required(beginsAt, "begins_at");
        Json.required(buyPrice, "buy_price");
        Json.required(sellPrice, "sell_price");
      }

      /**
       * SAR per gram that a partner paid.
       *
       * @param first the first price of the minute.
       * @param highest the highest price of the minute.
       * @param lowest the lowest price of the minute.
       * @param last the last price of the minute.
       */
      public record BuyPrice(BigDecimal first, BigDecimal highest, BigDecimal lowest, BigDecimal last) {
        public BuyPrice {
          Json.required(first, "first");
          Json.required(highest, "highest");
          Json.required(lowest, "lowest");
          Json.required(last, "last");
        }
      }

      /**
       * SAR per gram that a partner received.
       *
       * @param first the first price of the minute.
       * @param highest the highest price of the minute.
       * @param lowest the lowest price of the minute.
       * @param last the last price of the minute.
       */
      public record SellPrice(BigDecimal first, BigDecimal highest, BigDecimal lowest, BigDecimal last) {
        public SellPrice {
          Json.required(first, "first");
          Json.required(highest, "highest");
          Json.required(lowest, "lowest");
          Json.required(last, "last");
        }
      }
    }
  }

  /**
   * Indicative prices; a quote is firm.
   *
   * @param currency the currency of both prices.
   * @param unit the prices are for one gram.
   * @param purity the purity of the gold.
   * @param buyPrice SAR per gram that you pay; above the sell price.
   * @param sellPrice SAR per gram that you receive.
   * @param asOf when the prices were set.
   * @param market quotes are given only while the market is open.
   */
  public record Prices(
      String currency,
      String unit,
      String purity,
      BigDecimal buyPrice,
      BigDecimal sellPrice,
      Instant asOf,
      String market) {
    public Prices {
      Json.required(currency, "currency");
      Json.required(unit, "unit");
      Json.required(purity, "purity");
      Json.required(buyPrice, "buy_price");
      Json.required(sellPrice, "sell_price");
      Json.required(asOf, "as_of");
      Json.required(market, "market");
    }
  }

  /**
   * One step of the verification.
   *
   * @param ok whether this step succeeded; null if it was not reached.
   * @param detail what the service found.
   */
  public record ProbeStep(Boolean ok, String detail) {
    public ProbeStep {
      Json.required(detail, "detail");
    }
  }

  /**
   * What is right and wrong with a signed request, step by step.
   *
   * @param valid whether an order signed like this would pass. A valid probe spends the nonce; an invalid probe does
   *     not.
   * @param steps the checks of an order: X-Timestamp's form and window; X-Nonce's form, and that it is fresh;
   *     X-JWS-Signature's form and protected header; its key; the signature, checked only if all others are correct.
   *     If a mistake is named, the failed step says what to do.
   * @param clockOffsetSeconds X-Timestamp minus the service's time; null if the timestamp cannot be read.
   * @param canonicalString the string over which the service verifies the signature; null if X-Timestamp or X-Nonce
   *     is malformed.
   * @param canonicalSha256 SHA-256 of canonical_string in lower-case hex; null if there is none.
   * @param mistake the common mistake that explains the failure. It is proven, not guessed: one of your keys made
   *     this signature over the string that the mistake produces. null: no common mistake explains it.
   */
  public record ProbeVerdict(
      boolean valid,
      Steps steps,
      BigDecimal clockOffsetSeconds,
      String canonicalString,
      String canonicalSha256,
      String mistake) {
    public ProbeVerdict {
      Json.required(steps, "steps");
    }

    /**
     * The checks of an order: X-Timestamp's form and window; X-Nonce's form, and that it is fresh; X-JWS-Signature's
     * form and protected header; its key; the signature, checked only if all others are correct. If a mistake is
     * named, the failed step says what to do.
     *
     * @param timestamp see {@link ProbeStep}
     * @param nonce see {@link ProbeStep}
     * @param header see {@link ProbeStep}
     * @param key see {@link ProbeStep}
     * @param signature see {@link ProbeStep}
     */
    public record Steps(ProbeStep timestamp, ProbeStep nonce, ProbeStep header, ProbeStep key, ProbeStep signature) {
      public Steps {
        Json.required(timestamp, "timestamp");
        Json.required(nonce, "nonce");
        Json.required(header, "header");
        Json.required(key, "key");
        Json.required(signature, "signature");
      }
    }
  }

  /**
   * A firm price for 60 seconds, for one order. It reserves neither funds nor gold.
   *
   * @param quoteId the id: qt_ and a UUIDv7.
   * @param side from your point of view: buy pays SAR for gold, sell gives gold for SAR.
   * @param goldGrams grams of gold, at most 4 decimals.
   * @param pricePerGramSar SAR per gram, at most 4 decimals.
   * @param totalSar the SAR that the order moves, rounded up to the halala for a buy and down for a sell.
   * @param status only an open quote can be executed. Values may be added.
   * @param createdAt when the quote was made.
   * @param expiresAt until when the price is firm.
   * @param reference your own reference; absent if you sent none.
   * @param accountLabel your own customer, account or desk; absent if you sent none.
   */
  public record Quote(
      String quoteId,
      String side,
      BigDecimal goldGrams,
      BigDecimal pricePerGramSar,
      BigDecimal totalSar,
      String status,
      Instant createdAt,
      Instant expiresAt,
      String reference,
      String accountLabel) {
    public Quote {
      Json.required(quoteId, "quote_id");
      Json.required(side, "side");
      Json.required(goldGrams, "gold_grams");
      Json.required(pricePerGramSar, "price_per_gram_sar");
      Json.required(totalSar, "total_sar");
      Json.required(status, "status");
      Json.required(createdAt, "created_at");
      Json.required(expiresAt, "expires_at");
    }
  }

  /**
   * Exactly one of gold_grams and amount_sar.
   *
   * @param side from your point of view: buy pays SAR for gold, sell gives gold for SAR.
   * @param goldGrams grams of 24K gold, at most 4 decimals. A value outside your limits gets 422 limit_exceeded. A
   *     decimal string, such as "10.50", means the same as the number.
   * @param amountSar SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string,
   *     such as "10.50", means the same as the number.
   * @param reference your own reference, such as the number of your customer's order. It need not be unique.
   * @param accountLabel your own customer, account or desk. All labels share your one balance.
   */
  public record QuoteRequest(
      String side,
      BigDecimal goldGrams,
      BigDecimal amountSar,
      String reference,
      String accountLabel) {
    public QuoteRequest {
      side = Call.given("side", side);
      goldGrams = Call.exact("gold_grams", goldGrams, 4);
      amountSar = Call.exact("amount_sar", amountSar, 2);
    }

    /** With the required members alone. */
    public QuoteRequest(String side) {
      this(side, null, null, null, null);
    }

    /** Returns a copy with this {@code goldGrams}. */
    public QuoteRequest goldGrams(BigDecimal goldGrams) {
      return new QuoteRequest(side, goldGrams, amountSar, reference, accountLabel);
    }

    /** Returns a copy with this {@code amountSar}. */
    public QuoteRequest amountSar(BigDecimal amountSar) {
      return new QuoteRequest(side, goldGrams, amountSar, reference, accountLabel);
    }

    /** Returns a copy with this {@code reference}. */
    public QuoteRequest reference(String reference) {
      return new QuoteRequest(side, goldGrams, amountSar, reference, accountLabel);
    }

    /** Returns a copy with this {@code accountLabel}. */
    public QuoteRequest accountLabel(String accountLabel) {
      return new QuoteRequest(side, goldGrams, amountSar, reference, accountLabel);
    }
  }

  /**
   * The requested signing key.
   *
   * @param kty the type of the key.
   * @param crv the curve of the key.
   * @param x the x coordinate of the public key.
   * @param y the y coordinate of the public key.
   * @param kid your own name for the key.
   */
  public record RequestedSigningKey(String kty, String crv, String x, String y, String kid) {
    public RequestedSigningKey {
      Json.required(kty, "kty");
      Json.required(crv, "crv");
      Json.required(x, "x");
      Json.required(y, "y");
    }
  }

  /**
   * The requested webhook endpoint.
   *
   * @param url where events are to be sent.
   * @param types the types that it gets. Without it: all.
   */
  public record RequestedWebhookEndpoint(String url, List<String> types) {
    public RequestedWebhookEndpoint {
      Json.required(url, "url");
    }
  }

  /**
   * The bars behind the gold, as published at one instant.
   *
   * @param bars every bar in the vault.
   * @param fineGrams gold in all bars.
   * @param owedGrams gold owed to all partners; never more than fine_grams.
   * @param coverage fine_grams divided by owed_grams, rounded down to 4 decimals; null if nothing is owed.
   * @param asOf the instant of every figure here. The reply stays unchanged for at least an hour.
   * @param reservesListId the list of bars in force at as_of.
   */
  public record Reserves(
      List<Bar> bars,
      BigDecimal fineGrams,
      BigDecimal owedGrams,
      BigDecimal coverage,
      Instant asOf,
      String reservesListId) {
    public Reserves {
      Json.required(bars, "bars");
      Json.required(fineGrams, "fine_grams");
      Json.required(owedGrams, "owed_grams");
      Json.required(asOf, "as_of");
      Json.required(reservesListId, "reserves_list_id");
    }

    /**
     * Bar.
     *
     * @param serial the serial number on the bar.
     * @param refiner who made the bar.
     * @param vault where the bar is.
     * @param grossGrams the bar's weight in grams, at most 4 decimals.
     * @param fineness parts of gold in 1,000.
     * @param fineGrams the gold in the bar: its weight times its fineness, in grams.
     */
    public record Bar(
        String serial,
        String refiner,
        String vault,
        BigDecimal grossGrams,
        BigDecimal fineness,
        BigDecimal fineGrams) {
      public Bar {
        Json.required(serial, "serial");
        Json.required(refiner, "refiner");
        Json.required(vault, "vault");
        Json.required(grossGrams, "gross_grams");
        Json.required(fineness, "fineness");
        Json.required(fineGrams, "fine_grams");
      }
    }
  }

  /**
   * The bars that were in the vault between two changes of the vault. A list never changes.
   *
   * @param reservesListId the id of a list of bars: lst_ and its number. GET /v1/reserves/lists/{reserves_list_id}
   *     gives the list.
   * @param createdAt when the list came into force.
   * @param bars every bar of the list, sorted by serial.
   * @param fineGrams gold in all bars of the list.
   * @param previousSha256 the sha256 of the previous list; 64 zeros for the first list.
   * @param sha256 SHA-256 of the bars and previous_sha256, as the guide to reserves describes.
   */
  public record ReservesList(
      String reservesListId,
      Instant createdAt,
      List<Bar> bars,
      BigDecimal fineGrams,
      String previousSha256,
      String sha256) {
    public ReservesList {
      Json.required(reservesListId, "reserves_list_id");
      Json.required(createdAt, "created_at");
      Json.required(bars, "bars");
      Json.required(fineGrams, "fine_grams");
      Json.required(previousSha256, "previous_sha256");
      Json.required(sha256, "sha256");
    }

    /**
     * Bar.
     *
     * @param serial the serial number on the bar.
     * @param refiner who made the bar.
     * @param vault where the bar is.
     * @param grossGrams the bar's weight in grams, at most 4 decimals.
     * @param fineness parts of gold in 1,000.
     * @param fineGrams the gold in the bar: its weight times its fineness, in grams.
     */
    public record Bar(
        String serial,
        String refiner,
        String vault,
        BigDecimal grossGrams,
        BigDecimal fineness,
        BigDecimal fineGrams) {
      public Bar {
        Json.required(serial, "serial");
        Json.required(refiner, "refiner");
        Json.required(vault, "vault");
        Json.required(grossGrams, "gross_grams");
        Json.required(fineness, "fineness");
        Json.required(fineGrams, "fine_grams");
      }
    }
  }

  /**
   * The public key as a JWK.
   *
   * @param kty the type of the key.
   * @param crv the curve of the key.
   * @param x the x coordinate of the public key.
   * @param y the y coordinate of the public key.
   * @param kid your own name for the key.
   */
  public record SigningKeyRequest(String kty, String crv, String x, String y, String kid) {
    public SigningKeyRequest {
      kty = Call.given("kty", kty);
      crv = Call.given("crv", crv);
      x = Call.given("x", x);
      y = Call.given("y", y);
    }

    /** With the required members alone. */
    public SigningKeyRequest(String kty, String crv, String x, String y) {
      this(kty, crv, x, y, null);
    }

    /** Returns a copy with this {@code kid}. */
    public SigningKeyRequest kid(String kid) {
      return new SigningKeyRequest(kty, crv, x, y, kid);
    }
  }

  /**
   * A simulated bank transfer to your account.
   *
   * @param amountSar SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string,
   *     such as "10.50", means the same as the number.
   */
  public record SimulateDepositRequest(BigDecimal amountSar) {
    public SimulateDepositRequest {
      amountSar = Call.exact("amount_sar", Call.given("amount_sar", amountSar), 2);
    }
  }

  /**
   * One of your fundings that came from a simulated bank transfer.
   *
   * @param fundingId the funding.
   */
  public record SimulateDepositReversalRequest(String fundingId) {
    public SimulateDepositReversalRequest {
      fundingId = Call.given("funding_id", fundingId);
    }
  }

  /**
   * An event that otherwise only the operator's people or the calendar cause.
   *
   * @param type credential.added: a client secret that nobody knows is registered for you, and ends in 90 days.
   *     credential.expiring: such a secret is registered that ends in a day. credential.ended: such a secret ends
   *     now. settlement.changed, webhook_endpoint.changed: your IBAN or your webhook URL is registered again and
   *     stays the same. day.closed: your newest past day that is open is closed.
   */
  public record SimulateEventRequest(String type) {
    public SimulateEventRequest {
      type = Call.given("type", type);
    }
  }

  /**
   * What happens to your next requests.
   *
   * @param kind rate_limited, unavailable, timeout: the request is not executed and gets 429 rate_limited, 503
   *     service_unavailable or 504 upstream_timeout. refused: the request is not executed and gets the {@code code}.
   *     hang: the request is executed, and its reply comes after {@code seconds}. lost_reply: the request is
   *     executed, and the service closes the connection instead of replying; you get 503 upstream_unavailable from
   *     the proxy.
   * @param code only with refused. The next request to an operation that documents this code gets it; other requests
   *     are served.
   * @param seconds only with hang.
   * @param count how many requests.
   */
  public record SimulateFailureRequest(String kind, String code, Long seconds, Long count) {
    public SimulateFailureRequest {
      kind = Call.given("kind", kind);
    }

    /** With the required members alone. */
    public SimulateFailureRequest(String kind) {
      this(kind, null, null, null);
    }

    /** Returns a copy with this {@code code}. */
    public SimulateFailureRequest code(String code) {
      return new SimulateFailureRequest(kind, code, seconds, count);
    }

    /** Returns a copy with this {@code seconds}. */
    public SimulateFailureRequest seconds(long seconds) {
      return new SimulateFailureRequest(kind, code, seconds, count);
    }

    /** Returns a copy with this {@code count}. */
    public SimulateFailureRequest count(long count) {
      return new SimulateFailureRequest(kind, code, seconds, count);
    }
  }

  /**
   * A state of the market, which only you see.
   *
   * @param state closed: quotes get market_closed. price_stale: quotes get price_unavailable. vault_short: buy orders
   *     get insufficient_inventory. withdrawals_spent: withdrawals get withdrawal_limit_exceeded. normal: ends the
   *     simulation.
   * @param seconds for how long.
   */
  public record SimulateMarketRequest(String state, Long seconds) {
    public SimulateMarketRequest {
      state = Call.given("state", state);
    }

    /** With the required members alone. */
    public SimulateMarketRequest(String state) {
      this(state, null);
    }

    /** Returns a copy with this {@code seconds}. */
    public SimulateMarketRequest seconds(long seconds) {
      return new SimulateMarketRequest(state, seconds);
    }
  }

  /**
   * A change of prices, which only you see.
   *
   * @param percent by how many percent your prices rise, or fall if the value is negative. Must not be 0.
   * @param seconds for how long.
   */
  public record SimulatePricesRequest(long percent, Long seconds) {
    /** With the required members alone. */
    public SimulatePricesRequest(long percent) {
      this(percent, null);
    }

    /** Returns a copy with this {@code seconds}. */
    public SimulatePricesRequest seconds(long seconds) {
      return new SimulatePricesRequest(percent, seconds);
    }
  }

  /**
   * One of your quotes, which expires now.
   *
   * @param quoteId the quote.
   */
  public record SimulateQuoteExpiryRequest(String quoteId) {
    public SimulateQuoteExpiryRequest {
      quoteId = Call.given("quote_id", quoteId);
    }
  }

  /**
   * How your next events are delivered to your webhook endpoint.
   *
   * @param kind twice: each event is sent twice. late: each event is sent {@code seconds} late. out_of_order: every
   *     other event, beginning with the next one, is sent 5 seconds late, so that the event after it overtakes it.
   *     other_secret: the first attempt of each event is signed with the other secret alone.
   * @param count how many events.
   * @param seconds only with late.
   */
  public record SimulateWebhooksRequest(String kind, Long count, Long seconds) {
    public SimulateWebhooksRequest {
      kind = Call.given("kind", kind);
    }

    /** With the required members alone. */
    public SimulateWebhooksRequest(String kind) {
      this(kind, null, null);
    }

    /** Returns a copy with this {@code count}. */
    public SimulateWebhooksRequest count(long count) {
      return new SimulateWebhooksRequest(kind, count, seconds);
    }

    /** Returns a copy with this {@code seconds}. */
    public SimulateWebhooksRequest seconds(long seconds) {
      return new SimulateWebhooksRequest(kind, count, seconds);
    }
  }

  /**
   * One of your withdrawals, and the status that it should reach.
   *
   * @param withdrawalId the withdrawal.
   * @param outcome the status to reach. The withdrawal also takes all earlier steps, each with its event.
   */
  public record SimulateWithdrawalRequest(String withdrawalId, String outcome) {
    public SimulateWithdrawalRequest {
      withdrawalId = Call.given("withdrawal_id", withdrawalId);
      outcome = Call.given("outcome", outcome);
    }
  }

  /**
   * The event that happened, without its data.
   *
   * @param id the event.
   * @param type its type. Values may be added.
   * @param sequence its number among your events.
   * @param createdAt when it happened.
   */
  public record SimulatedEvent(String id, String type, long sequence, Instant createdAt) {
    public SimulatedEvent {
      Json.required(id, "id");
      Json.required(type, "type");
      Json.required(createdAt, "created_at");
    }
  }

  /**
   * Your active simulations; a member is null if there is no such simulation.
   *
   * @param market the state of the market that is simulated; null: none.
   * @param prices the change of prices that is simulated; null: none.
   * @param failure what happens to your next requests; null: nothing.
   * @param webhooks what happens to the delivery of your next events; null: nothing.
   */
  public record Simulations(Market market, Prices prices, Failure failure, Webhooks webhooks) {
    /**
     * Market.
     *
     * @param state the state of your market. Values may be added.
     * @param until when the simulation ends by itself.
     */
    public record Market(String state, Instant until) {
      public Market {
        Json.required(state, "state");
        Json.required(until, "until");
      }
    }

    /**
     * Prices.
     *
     * @param percent by how much your prices are higher, or lower if negative.
     * @param until when the simulation ends by itself.
     */
    public record Prices(long percent, Instant until) {
      public Prices {
        Json.required(until, "until");
      }
    }

    /**
     * Failure.
     *
     * @param kind what happens to the requests. Values may be added.
     * @param code the error code that they get; null: they are executed.
     * @param seconds how long a reply is delayed; null: not at all.
     * @param remaining how many more requests it affects.
     * @param until when the simulation ends by itself.
     */
    public record Failure(String kind, String code, Long seconds, long remaining, Instant until) {
      public Failure {
        Json.required(kind, "kind");
        Json.required(until, "until");
      }
    }

    /**
     * Webhooks.
     *
     * @param kind what happens to the events. Values may be added.
     * @param seconds how long an event is delayed; null: not at all.
     * @param remaining how many more events it affects.
     * @param until when the simulation ends by itself.
     */
    public record Webhooks(String kind, Long seconds, long remaining, Instant until) {
      public Webhooks {
        Json.required(kind, "kind");
        Json.required(until, "until");
      }
    }
  }

  /**
   * Every posting between two days.
   *
   * @param from the first day.
   * @param to the last day.
   * @param timeZone the time zone of the days.
   * @param openingBalance the balances before the first day.
   * @param closingBalance the balances after the last day, or the current balances if that day has not ended.
   * @param postings every posting, oldest first: opening balance and changes add up to the closing balance.
   */
  public record Statement(
      LocalDate from,
      LocalDate to,
      String timeZone,
      StatementBalance openingBalance,
      StatementBalance closingBalance,
      List<Posting> postings) {
    public Statement {
      Json.required(from, "from");
      Json.required(to, "to");
      Json.required(timeZone, "time_zone");
      Json.required(openingBalance, "opening_balance");
      Json.required(closingBalance, "closing_balance");
      Json.required(postings, "postings");
    }

    /**
     * Posting.
     *
     * @param postedAt when the posting was booked.
     * @param id the order, funding or withdrawal that caused the posting.
     * @param type what caused the posting, such as order.executed or withdrawal.returned.
     * @param account the balance that changed; its name tells the unit.
     * @param change in the account's unit; negative for a decrease.
     * @param balanceAfter in the account's unit.
     * @param reference the reference of the order or withdrawal; absent if it has none. Empty in CSV.
     * @param accountLabel your own customer, account or desk; absent if you sent none.
     * @param reservesListId the list of bars that the order names; absent for other postings and for orders before
     *     0.4.0.
     */
    public record Posting(
        Instant postedAt,
        String id,
        String type,
        String account,
        BigDecimal change,
        BigDecimal balanceAfter,
        String reference,
        String accountLabel,
        String reservesListId) {
      public Posting {
        Json.required(postedAt, "posted_at");
        Json.required(id, "id");
        Json.required(type, "type");
        Json.required(account, "account");
        Json.required(change, "change");
        Json.required(balanceAfter, "balance_after");
      }
    }
  }

  /**
   * The account's three balances.
   *
   * @param availableSar SAR that can be traded or withdrawn.
   * @param heldSar SAR of withdrawals that are not yet paid.
   * @param goldGrams gold in grams, at most 4 decimals.
   */
  public record StatementBalance(BigDecimal availableSar, BigDecimal heldSar, BigDecimal goldGrams) {
    public StatementBalance {
      Json.required(availableSar, "available_sar");
      Json.required(heldSar, "held_sar");
      Json.required(goldGrams, "gold_grams");
    }
  }

  /**
   * An endpoint that gets your events.
   *
   * @param endpoint the number of the endpoint, from 1. It never becomes the number of another endpoint.
   * @param url where your events are sent.
   * @param types the types of events that the endpoint gets; null: all. It gets webhook.test in any case.
   * @param deliveredTo a sequence number. Of the events up to it that the endpoint gets, each was delivered, is
   *     retried on its own, or is parked.
   * @param status working: the last attempt was accepted. failing: the last attempts failed. disabled: your endpoint
   *     answered 410; request a test event to enable it. Values may be added.
   * @param failures how many attempts failed since the last accepted one.
   * @param restsUntil until when nothing is sent after failed attempts; null if events are sent.
   * @param disabledAt when your endpoint was disabled; null if it is not.
   */
  public record WebhookEndpoint(
      long endpoint,
      String url,
      List<String> types,
      long deliveredTo,
      String status,
      long failures,
      Instant restsUntil,
      Instant disabledAt) {
    public WebhookEndpoint {
      Json.required(url, "url");
      Json.required(status, "status");
    }
  }

  /**
   * A further webhook endpoint.
   *
   * @param url where events are to be sent.
   * @param types the types of events that the endpoint gets. Without it: all.
   */
  public record WebhookEndpointRequest(String url, List<String> types) {
    public WebhookEndpointRequest {
      url = Call.given("url", url);
    }

    /** With the required members alone. */
    public WebhookEndpointRequest(String url) {
      this(url, null);
    }

    /** Returns a copy with this {@code types}. */
    public WebhookEndpointRequest types(List<String> types) {
      return new WebhookEndpointRequest(url, types);
    }
  }

  /**
   * An event. Types may be added; acknowledge types that you do not know.
   *
   * @param type what happened. Values may be added.
   * @param id the id: evt_ and a UUIDv7.
   * @param sequence the number of the event, counted per partner without gaps. An endpoint with a filter does not get
   *     every number: see previous_sequence.
   * @param createdAt when the event occurred.
   * @param environment the environment of the service. Not in events from before 0.7.0. Values may be added.
   * @param apiVersion the version of this API, as info.version of the description. Not in events from before 0.7.0.
   * @param data see {@link EventData}
   * @param previousSequence the number of the event before this one among those that this endpoint gets. Process this
   *     event after that one. Null: process it at once, because there is none before it, or because the types of the
   *     endpoint have changed since. Without a filter it is sequence - 1. Only in webhooks of 0.7.0 and later, not in
   *     the event stream nor in GET /v1/events.
   * @param clientId the client_id of the partner whose endpoint this is: yours. Refuse an event that names another
   *     one. Only in webhooks of 0.7.0 and later, not in the event stream nor in GET /v1/events.
   */
  public record WebhookEvent(
      String type,
      String id,
      long sequence,
      Instant createdAt,
      String environment,
      String apiVersion,
      EventData data,
      Long previousSequence,
      String clientId) {
    public WebhookEvent {
      Json.required(type, "type");
      Json.required(id, "id");
      Json.required(createdAt, "created_at");
      Json.required(data, "data");
    }
  }

  /**
   * An outgoing payment. If it is rejected, returned or cancelled, the amount is available again.
   *
   * @param withdrawalId the id: wd_ and a UUIDv7.
   * @param amountSar the SAR to pay out, at most 2 decimals.
   * @param reference your own reference, or null if you sent none.
   * @param ibanMasked the first and last four characters of the IBAN that was registered at the time of the request.
   * @param status pending_approval: the operator has not decided. approved, submitted: on its way to the bank. paid:
   *     done. rejected, returned: the amount is available again. cancelled: you cancelled it, and the amount is
   *     available again. Values may be added.
   * @param createdAt when you requested the withdrawal.
   * @param accountLabel your own customer, account or desk; absent if you sent none.
   * @param bankReference the reference of the payment at the banks (EndToEndId), with which your bank finds it; null
   *     until the payment is submitted.
   * @param expectedOn the day on which the operator's bank is to pay, in Asia/Riyadh; null until the payment is
   *     submitted.
   */
  public record Withdrawal(
      String withdrawalId,
      BigDecimal amountSar,
      String reference,
      String ibanMasked,
      String status,
      Instant createdAt,
      String accountLabel,
      String bankReference,
      LocalDate expectedOn) {
    public Withdrawal {
      Json.required(withdrawalId, "withdrawal_id");
      Json.required(amountSar, "amount_sar");
      Json.required(ibanMasked, "iban_masked");
      Json.required(status, "status");
      Json.required(createdAt, "created_at");
    }
  }

  /**
   * The withdrawal, and the account's balances right after the request.
   *
   * @param withdrawalId the id: wd_ and a UUIDv7.
   * @param amountSar the SAR to pay out, at most 2 decimals.
   * @param reference your own reference, or null if you sent none.
   * @param ibanMasked the first and last four characters of the IBAN that was registered at the time of the request.
   * @param status pending_approval: the operator has not decided. approved, submitted: on its way to the bank. paid:
   *     done. rejected, returned: the amount is available again. cancelled: you cancelled it, and the amount is
   *     available again. Values may be added.
   * @param createdAt when you requested the withdrawal.
   * @param accountLabel your own customer, account or desk; absent if you sent none.
   * @param balances see {@link Balances}
   */
  public record WithdrawalCreated(
      String withdrawalId,
      BigDecimal amountSar,
      String reference,
      String ibanMasked,
      String status,
      Instant createdAt,
      String accountLabel,
      Balances balances) {
    public WithdrawalCreated {
      Json.required(withdrawalId, "withdrawal_id");
      Json.required(amountSar, "amount_sar");
      Json.required(ibanMasked, "iban_masked");
      Json.required(status, "status");
      Json.required(createdAt, "created_at");
      Json.required(balances, "balances");
    }
  }

  /**
   * Pays SAR out to the registered IBAN, once the operator has approved it.
   *
   * @param amountSar SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string,
   *     such as "10.50", means the same as the number.
   * @param reference your own reference. It is sent to the bank with the transfer, so it has 35 characters at most (a
   *     UUID fits without its hyphens). You can use a reference again only after its withdrawal was rejected,
   *     returned or cancelled.
   * @param accountLabel your own customer, account or desk. All labels share your one balance.
   */
  public record WithdrawalRequest(BigDecimal amountSar, String reference, String accountLabel) {
    public WithdrawalRequest {
      amountSar = Call.exact("amount_sar", Call.given("amount_sar", amountSar), 2);
    }

    /** With the required members alone. */
    public WithdrawalRequest(BigDecimal amountSar) {
      this(amountSar, null, null);
    }

    /** Returns a copy with this {@code reference}. */
    public WithdrawalRequest reference(String reference) {
      return new WithdrawalRequest(amountSar, reference, accountLabel);
    }

    /** Returns a copy with this {@code accountLabel}. */
    public WithdrawalRequest accountLabel(String accountLabel) {
      return new WithdrawalRequest(amountSar, reference, accountLabel);
    }
  }

  /**
   * Newest first; stable while items are added.
   *
   * @param items the items of this page.
   * @param nextCursor the cursor of the next page; null on the last page.
   */
  public record Withdrawals(List<Withdrawal> items, String nextCursor) implements Page<Withdrawal> {
    public Withdrawals {
      Json.required(items, "items");
    }
  }

  /**
   * Which part of the last 24 hours.
   *
   * @param after only bars that begin strictly later. RFC 3339 with any offset; decimals after the third are cut. A
   *     date is the beginning of that day in Asia/Riyadh.
   */
  public record PriceHistoryQuery(Instant after) {
    /** With the required members alone. */
    public PriceHistoryQuery() {
      this(null);
    }

    /** Returns a copy with this {@code after}. */
    public PriceHistoryQuery after(Instant after) {
      return new PriceHistoryQuery(after);
    }
  }

  /**
   * Which part of a list. With reference or account_label, a page searches 10,000 of your event numbers, so it can
   * have few items or none although next_cursor is set. Continue until next_cursor is null.
   *
   * @param limit the maximum number of items in the page.
   * @param cursor cursor must be the next_cursor of the previous page, unchanged.
   * @param createdAfter only items that were created strictly later. RFC 3339 with any offset; decimals after the
   *     third are cut. A date is the beginning of that day in Asia/Riyadh.
   * @param createdBefore only items that were created strictly earlier. RFC 3339 with any offset; decimals after the
   *     third are cut. A date is the beginning of that day in Asia/Riyadh.
   * @param idempotencyKey only items that were created with this key, to find the result of a write whose reply was
   *     lost.
   * @param reference only items with this reference. The text must match exactly, in every code point.
   * @param accountLabel only items with this account_label. The text must match exactly, in every code point.
   */
  public record FilteredListQuery(
      Long limit,
      String cursor,
      Instant createdAfter,
      Instant createdBefore,
      String idempotencyKey,
      String reference,
      String accountLabel) {
    /** With the required members alone. */
    public FilteredListQuery() {
      this(null, null, null, null, null, null, null);
    }

    /** Returns a copy with this {@code limit}. */
    public FilteredListQuery limit(long limit) {
      return new FilteredListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey, reference, accountLabel);
    }

    /** Returns a copy with this {@code cursor}. */
    public FilteredListQuery cursor(String cursor) {
      return new FilteredListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey, reference, accountLabel);
    }

    /** Returns a copy with this {@code createdAfter}. */
    public FilteredListQuery createdAfter(Instant createdAfter) {
      return new FilteredListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey, reference, accountLabel);
    }

    /** Returns a copy with this {@code createdBefore}. */
    public FilteredListQuery createdBefore(Instant createdBefore) {
      return new FilteredListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey, reference, accountLabel);
    }

    /** Returns a copy with this {@code idempotencyKey}. */
    public FilteredListQuery idempotencyKey(String idempotencyKey) {
      return new FilteredListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey, reference, accountLabel);
    }

    /** Returns a copy with this {@code reference}. */
    public FilteredListQuery reference(String reference) {
      return new FilteredListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey, reference, accountLabel);
    }

    /** Returns a copy with this {@code accountLabel}. */
    public FilteredListQuery accountLabel(String accountLabel) {
      return new FilteredListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey, reference, accountLabel);
    }
  }

  /**
   * Selects a part of a list.
   *
   * @param limit the maximum number of items in the page.
   * @param cursor cursor must be the next_cursor of the previous page, unchanged.
   * @param createdAfter only items that were created strictly later. RFC 3339 with any offset; decimals after the
   *     third are cut. A date is the beginning of that day in Asia/Riyadh.
   * @param createdBefore only items that were created strictly earlier. RFC 3339 with any offset; decimals after the
   *     third are cut. A date is the beginning of that day in Asia/Riyadh.
   * @param idempotencyKey only items that were created with this key, to find the result of a write whose reply was
   *     lost.
   */
  public record ListQuery(
      Long limit,
      String cursor,
      Instant createdAfter,
      Instant createdBefore,
      String idempotencyKey) {
    /** With the required members alone. */
    public ListQuery() {
      this(null, null, null, null, null);
    }

    /** Returns a copy with this {@code limit}. */
    public ListQuery limit(long limit) {
      return new ListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey);
    }

    /** Returns a copy with this {@code cursor}. */
    public ListQuery cursor(String cursor) {
      return new ListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey);
    }

    /** Returns a copy with this {@code createdAfter}. */
    public ListQuery createdAfter(Instant createdAfter) {
      return new ListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey);
    }

    /** Returns a copy with this {@code createdBefore}. */
    public ListQuery createdBefore(Instant createdBefore) {
      return new ListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey);
    }

    /** Returns a copy with this {@code idempotencyKey}. */
    public ListQuery idempotencyKey(String idempotencyKey) {
      return new ListQuery(limit, cursor, createdAfter, createdBefore, idempotencyKey);
    }
  }

  /**
   * {@code at}: any past instant. If you omit it, the reply has the current balances.
   *
   * @param at a past instant. If you omit it, the reply has the current balances. RFC 3339 with any offset; decimals
   *     after the third are cut. A date is the beginning of that day in Asia/Riyadh.
   */
  public record BalancesQuery(Instant at) {
    /** With the required members alone. */
    public BalancesQuery() {
      this(null);
    }

    /** Returns a copy with this {@code at}. */
    public BalancesQuery at(Instant at) {
      return new BalancesQuery(at);
    }
  }

  /**
   * Where to continue reading.
   *
   * @param after only events after this sequence number.
   * @param limit the maximum number of items in the page.
   */
  public record EventsQuery(Long after, Long limit) {
    /** With the required members alone. */
    public EventsQuery() {
      this(null, null);
    }

    /** Returns a copy with this {@code after}. */
    public EventsQuery after(long after) {
      return new EventsQuery(after, limit);
    }

    /** Returns a copy with this {@code limit}. */
    public EventsQuery limit(long limit) {
      return new EventsQuery(after, limit);
    }
  }

  /**
   * Days in Asia/Riyadh, both included. A day that has not ended is included up to now.
   *
   * @param from the first day. The span has no limit.
   * @param to the last day. For one day, send the same date as in {@code from}.
   */
  public record StatementQuery(LocalDate from, LocalDate to) {
    public StatementQuery {
      from = Call.given("from", from);
      to = Call.given("to", to);
    }
  }
}
