// Written by npm run docs from the schemas of the service. Do not edit.
using System;
using System.Collections.Generic;
using System.Text.Json;

namespace GoldPartner {
  /// <summary>What is registered for you, and what it may do.</summary>
  public sealed class Account {
    internal Account(Json json) {
      ClientId = json.Get("client_id", Json.Text);
      Name = json.Get("name", Json.Text);
      Environment = json.Get("environment", Json.Text);
      Status = json.Get("status", Json.Text);
      CreatedAt = json.Get("created_at", Json.Instant);
      IpRanges = json.Get("ip_ranges", Json.List(Json.Text));
      Settlement = json.Get("settlement", Json.Object(each => new AccountSettlement(each)));
      WebhookEndpoints = json.Get("webhook_endpoints", Json.List(Json.Object(each => new WebhookEndpoint(each))));
      Credentials = json.Get("credentials", Json.Object(each => new Credentials(each)));
      Limits = json.Get("limits", Json.Object(each => new Limits(each)));
    }

    /// <summary>Your client_id.</summary>
    public string ClientId { get; }
    /// <summary>Your name, as it is registered.</summary>
    public string Name { get; }
    /// <summary>The environment of the service. Values may be added.</summary>
    public string Environment { get; }
    /// <summary>A suspended account gets partner_suspended at every request. Values may be added.</summary>
    public string Status { get; }
    /// <summary>When you were registered.</summary>
    public DateTimeOffset CreatedAt { get; }
    /// <summary>The addresses from which your requests are accepted, as CIDR.</summary>
    public IReadOnlyList<string> IpRanges { get; }
    /// <summary>Where your withdrawals are paid.</summary>
    public AccountSettlement Settlement { get; }
    /// <summary>Where your events are sent, at most five endpoints; empty if nowhere.</summary>
    public IReadOnlyList<WebhookEndpoint> WebhookEndpoints { get; }
    /// <summary>See <see cref="Credentials"/>.</summary>
    public Credentials Credentials { get; }
    /// <summary>See <see cref="Limits"/>.</summary>
    public Limits Limits { get; }
  }

  /// <summary>Where your withdrawals are paid.</summary>
  public sealed class AccountSettlement {
    internal AccountSettlement(Json json) {
      IbanMasked = json.Get("iban_masked", Json.Text);
      PayoutsHeldUntil = json.FindValue("payouts_held_until", Json.Instant);
    }

    /// <summary>The IBAN of your withdrawals, without its middle characters.</summary>
    public string IbanMasked { get; }
    /// <summary>Until when withdrawals are not paid, because the IBAN has changed; null if they are.</summary>
    public DateTimeOffset? PayoutsHeldUntil { get; }
  }

  /// <summary>
  /// A change of what is registered for you. Nothing changes until the operator approves it. In production, that
  /// takes two people.
  /// </summary>
  public sealed class AccountChange {
    internal AccountChange(Json json) {
      ChangeId = json.Get("change_id", Json.Text);
      Kind = json.Get("kind", Json.Text);
      Status = json.Get("status", Json.Text);
      RequestedAt = json.Get("requested_at", Json.Instant);
      DecidedAt = json.FindValue("decided_at", Json.Instant);
      Reason = json.Find("reason", Json.Text);
      Certificate = json.Find("certificate", Json.Text);
      SigningKey = json.Find("signing_key", Json.Object(each => new RequestedSigningKey(each)));
      CertificateRequest = json.Find("certificate_request", Json.Text);
      IpRange = json.Find("ip_range", Json.Text);
      WebhookEndpoint = json.Find("webhook_endpoint", Json.Object(each => new RequestedWebhookEndpoint(each)));
    }

    /// <summary>The id: chg_ and a UUIDv7.</summary>
    public string ChangeId { get; }
    /// <summary>What is to change; the member with this name has the content. Values may be added.</summary>
    public string Kind { get; }
    /// <summary>
    /// requested: waits for the operator. proposed: waits for the operator's second person. approved: in force.
    /// declined: ended without effect. Values may be added.
    /// </summary>
    public string Status { get; }
    /// <summary>When you requested the change.</summary>
    public DateTimeOffset RequestedAt { get; }
    /// <summary>When the change was approved or declined; null if it is open.</summary>
    public DateTimeOffset? DecidedAt { get; }
    /// <summary>Why the change was declined; null if it was not.</summary>
    public string? Reason { get; }
    /// <summary>The certificate as PEM, as long as it is active; null in any other case.</summary>
    public string? Certificate { get; }
    /// <summary>See <see cref="RequestedSigningKey"/>.</summary>
    public RequestedSigningKey? SigningKey { get; }
    /// <summary>The certificate request as PEM.</summary>
    public string? CertificateRequest { get; }
    /// <summary>The requested address or range.</summary>
    public string? IpRange { get; }
    /// <summary>See <see cref="RequestedWebhookEndpoint"/>.</summary>
    public RequestedWebhookEndpoint? WebhookEndpoint { get; }
  }

  /// <summary>Your newest 50 changes, newest first.</summary>
  public sealed class AccountChanges {
    internal AccountChanges(Json json) {
      Items = json.Get("items", Json.List(Json.Object(each => new AccountChange(each))));
    }

    /// <summary>The changes.</summary>
    public IReadOnlyList<AccountChange> Items { get; }
  }

  /// <summary>The account at one instant.</summary>
  public sealed class Balances {
    internal Balances(Json json) {
      Sar = json.Get("sar", Json.Object(each => new BalancesSar(each)));
      Gold = json.Get("gold", Json.Object(each => new BalancesGold(each)));
      AsOf = json.Get("as_of", Json.Instant);
    }

    /// <summary>Your money.</summary>
    public BalancesSar Sar { get; }
    /// <summary>Your gold.</summary>
    public BalancesGold Gold { get; }
    /// <summary>The instant of these balances.</summary>
    public DateTimeOffset AsOf { get; }
  }

  /// <summary>Your money.</summary>
  public sealed class BalancesSar {
    internal BalancesSar(Json json) {
      Available = json.Get("available", Json.Decimal);
      Held = json.Get("held", Json.Decimal);
    }

    /// <summary>SAR that can be traded or withdrawn.</summary>
    public decimal Available { get; }
    /// <summary>SAR of withdrawals that are not yet paid.</summary>
    public decimal Held { get; }
  }

  /// <summary>Your gold.</summary>
  public sealed class BalancesGold {
    internal BalancesGold(Json json) {
      Grams = json.Get("grams", Json.Decimal);
      Reserves = json.Find("reserves", Json.Object(each => new BalancesGoldReserves(each)));
    }

    /// <summary>Grams of gold, at most 4 decimals.</summary>
    public decimal Grams { get; }
    /// <summary>
    /// Your gold as a share of the list of bars in force at as_of. Only GET /v1/balances has it, and not for instants
    /// before the first list.
    /// </summary>
    public BalancesGoldReserves? Reserves { get; }
  }

  /// <summary>
  /// Your gold as a share of the list of bars in force at as_of. Only GET /v1/balances has it, and not for instants
  /// before the first list.
  /// </summary>
  public sealed class BalancesGoldReserves {
    internal BalancesGoldReserves(Json json) {
      ReservesListId = json.Get("reserves_list_id", Json.Text);
      FineGrams = json.Get("fine_grams", Json.Decimal);
      Share = json.Get("share", Json.Text);
    }

    /// <summary>
    /// The id of a list of bars: lst_ and its number. GET /v1/reserves/lists/{reserves_list_id} gives the list.
    /// </summary>
    public string ReservesListId { get; }
    /// <summary>Gold in all bars of the list.</summary>
    public decimal FineGrams { get; }
    /// <summary>Your gold divided by fine_grams, as a decimal rounded down to 12 decimals.</summary>
    public string Share { get; }
  }

  /// <summary>The values that you need to compute the lines of your hash chain.</summary>
  public sealed class ChainKey {
    internal ChainKey(Json json) {
      ClientNumber = json.Get("client_number", Json.Integer);
      Value = json.Get("chain_key", Json.Text);
    }

    /// <summary>Your number in the lines of your hash chain.</summary>
    public long ClientNumber { get; }
    /// <summary>Your chain key: 32 bytes in lower-case hex. The salts of your lines are derived from it.</summary>
    public string Value { get; }
  }

  /// <summary>Exactly one of signing_key, certificate_request, ip_range, webhook_endpoint.</summary>
  public sealed class ChangeRequest : IRequest {
    /// <summary>See <see cref="SigningKeyRequest"/>.</summary>
    public SigningKeyRequest? SigningKey { get; set; }
    /// <summary>A certificate request (PKCS #10) as PEM.</summary>
    public string? CertificateRequest { get; set; }
    /// <summary>An IP address or a CIDR range: at most a /16, for IPv6 a /32.</summary>
    public string? IpRange { get; set; }
    /// <summary>See <see cref="WebhookEndpointRequest"/>.</summary>
    public WebhookEndpointRequest? WebhookEndpoint { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      if (SigningKey is SigningKeyRequest signingKey) {
        json.WriteStartObject("signing_key");
        ((IRequest)signingKey).Write(json);
        json.WriteEndObject();
      }
      if (CertificateRequest is string certificateRequest) json.WriteString("certificate_request", certificateRequest);
      if (IpRange is string ipRange) json.WriteString("ip_range", ipRange);
      if (WebhookEndpoint is WebhookEndpointRequest webhookEndpoint) {
        json.WriteStartObject("webhook_endpoint");
        ((IRequest)webhookEndpoint).Write(json);
        json.WriteEndObject();
      }
    }
  }

  /// <summary>Your credentials, never their values.</summary>
  public sealed class Credentials {
    internal Credentials(Json json) {
      Certificates = json.Get("certificates", Json.List(Json.Object(each => new CredentialsCertificate(each))));
      SigningKeys = json.Get("signing_keys", Json.List(Json.Object(each => new CredentialsSigningKey(each))));
      ClientSecrets = json.Get("client_secrets", Json.List(Json.Object(each => new CredentialsClientSecret(each))));
      WebhookSecrets = json.Get("webhook_secrets", Json.List(Json.Object(each => new CredentialsWebhookSecret(each))));
    }

    /// <summary>Your client certificates.</summary>
    public IReadOnlyList<CredentialsCertificate> Certificates { get; }
    /// <summary>The public keys that verify your signatures.</summary>
    public IReadOnlyList<CredentialsSigningKey> SigningKeys { get; }
    /// <summary>The secrets with which you fetch tokens.</summary>
    public IReadOnlyList<CredentialsClientSecret> ClientSecrets { get; }
    /// <summary>The secrets that sign your webhooks. Each endpoint has its own.</summary>
    public IReadOnlyList<CredentialsWebhookSecret> WebhookSecrets { get; }
  }

  /// <summary>Credentials certificate.</summary>
  public sealed class CredentialsCertificate {
    internal CredentialsCertificate(Json json) {
      Sha256 = json.Get("sha256", Json.Text);
      ExpiresAt = json.Get("expires_at", Json.Instant);
      RevokedAt = json.FindValue("revoked_at", Json.Instant);
      NotBefore = json.Get("not_before", Json.Instant);
      RetireAt = json.FindValue("retire_at", Json.Instant);
      LastUsedAt = json.FindValue("last_used_at", Json.Instant);
    }

    /// <summary>SHA-256 of the certificate (DER), lower-case hex.</summary>
    public string Sha256 { get; }
    /// <summary>When the certificate expires (notAfter).</summary>
    public DateTimeOffset ExpiresAt { get; }
    /// <summary>When the operator revoked the certificate; null if it is not revoked.</summary>
    public DateTimeOffset? RevokedAt { get; }
    /// <summary>From when the service accepts the credential.</summary>
    public DateTimeOffset NotBefore { get; }
    /// <summary>When the service stops accepting the credential; null if no end is planned.</summary>
    public DateTimeOffset? RetireAt { get; }
    /// <summary>When the credential was last used, recorded at most once a minute; null if never.</summary>
    public DateTimeOffset? LastUsedAt { get; }
  }

  /// <summary>Credentials signing key.</summary>
  public sealed class CredentialsSigningKey {
    internal CredentialsSigningKey(Json json) {
      Kid = json.Get("kid", Json.Text);
      Thumbprint = json.Get("thumbprint", Json.Text);
      NotBefore = json.Get("not_before", Json.Instant);
      RetireAt = json.FindValue("retire_at", Json.Instant);
      LastUsedAt = json.FindValue("last_used_at", Json.Instant);
    }

    /// <summary>The name that the protected header may give as <c>kid</c>.</summary>
    public string Kid { get; }
    /// <summary>The key's RFC 7638 thumbprint. The protected header may also give this value as <c>kid</c>.</summary>
    public string Thumbprint { get; }
    /// <summary>From when the service accepts the credential.</summary>
    public DateTimeOffset NotBefore { get; }
    /// <summary>When the service stops accepting the credential; null if no end is planned.</summary>
    public DateTimeOffset? RetireAt { get; }
    /// <summary>When the credential was last used, recorded at most once a minute; null if never.</summary>
    public DateTimeOffset? LastUsedAt { get; }
  }

  /// <summary>Credentials client secret.</summary>
  public sealed class CredentialsClientSecret {
    internal CredentialsClientSecret(Json json) {
      SecretId = json.Get("secret_id", Json.Text);
      NotBefore = json.Get("not_before", Json.Instant);
      RetireAt = json.FindValue("retire_at", Json.Instant);
      LastUsedAt = json.FindValue("last_used_at", Json.Instant);
    }

    /// <summary>The secret's name, not its value.</summary>
    public string SecretId { get; }
    /// <summary>From when the service accepts the credential.</summary>
    public DateTimeOffset NotBefore { get; }
    /// <summary>When the service stops accepting the credential; null if no end is planned.</summary>
    public DateTimeOffset? RetireAt { get; }
    /// <summary>When the credential was last used, recorded at most once a minute; null if never.</summary>
    public DateTimeOffset? LastUsedAt { get; }
  }

  /// <summary>Credentials webhook secret.</summary>
  public sealed class CredentialsWebhookSecret {
    internal CredentialsWebhookSecret(Json json) {
      SecretId = json.Get("secret_id", Json.Text);
      Endpoint = json.Get("endpoint", Json.Integer);
      NotBefore = json.Get("not_before", Json.Instant);
      RetireAt = json.FindValue("retire_at", Json.Instant);
      LastUsedAt = json.FindValue("last_used_at", Json.Instant);
    }

    /// <summary>The secret's name, not its value.</summary>
    public string SecretId { get; }
    /// <summary>The number of the endpoint whose webhooks the secret signs, as GET /v1/account shows it.</summary>
    public long Endpoint { get; }
    /// <summary>From when the service accepts the credential.</summary>
    public DateTimeOffset NotBefore { get; }
    /// <summary>When the service stops accepting the credential; null if no end is planned.</summary>
    public DateTimeOffset? RetireAt { get; }
    /// <summary>When the credential was last used, recorded at most once a minute; null if never.</summary>
    public DateTimeOffset? LastUsedAt { get; }
  }

  /// <summary>
  /// The attempts to deliver an event to the first of the endpoints that get it. <c>deliveries</c> has all of them.
  /// </summary>
  public sealed class Delivery {
    internal Delivery(Json json) {
      Status = json.Get("status", Json.Text);
      NextAttemptAt = json.FindValue("next_attempt_at", Json.Instant);
      Attempts = json.Get("attempts", Json.List(Json.Object(each => new DeliveryAttempt(each))));
    }

    /// <summary>
    /// pending: not delivered yet. delivered: your endpoint has accepted it. parked: the service has stopped trying;
    /// redeliver it by hand. filtered, only in <c>delivery</c>: no endpoint gets it. Values may be added.
    /// </summary>
    public string Status { get; }
    /// <summary>When the event is sent next; null if that is not planned.</summary>
    public DateTimeOffset? NextAttemptAt { get; }
    /// <summary>The attempts so far, oldest first.</summary>
    public IReadOnlyList<DeliveryAttempt> Attempts { get; }
  }

  /// <summary>One attempt to deliver an event.</summary>
  public sealed class DeliveryAttempt {
    internal DeliveryAttempt(Json json) {
      AttemptedAt = json.Get("attempted_at", Json.Instant);
      HttpStatus = json.FindValue("http_status", Json.Integer);
      DurationMs = json.Get("duration_ms", Json.Integer);
      Cause = json.Find("cause", Json.Text);
    }

    /// <summary>When the attempt began.</summary>
    public DateTimeOffset AttemptedAt { get; }
    /// <summary>The status of the HTTP reply; null if no reply arrived.</summary>
    public long? HttpStatus { get; }
    /// <summary>How long the attempt took, in milliseconds.</summary>
    public long DurationMs { get; }
    /// <summary>
    /// Why the attempt failed; null if your endpoint accepted the event. dns: your host's name has no address.
    /// address: the service may not send to its address. refused: no connection. tls_untrusted: TLS failed, for
    /// example because the certificate is not trusted. timeout: no reply in time. reset: the connection ended, or the
    /// reply was not HTTP. status: a reply other than 2xx.
    /// </summary>
    public string? Cause { get; }
  }

  /// <summary>The attempts to deliver an event to one endpoint.</summary>
  public sealed class EndpointDelivery {
    internal EndpointDelivery(Json json) {
      Endpoint = json.Get("endpoint", Json.Integer);
      Status = json.Get("status", Json.Text);
      NextAttemptAt = json.FindValue("next_attempt_at", Json.Instant);
      Attempts = json.Get("attempts", Json.List(Json.Object(each => new DeliveryAttempt(each))));
    }

    /// <summary>The number of the endpoint, as GET /v1/account shows it.</summary>
    public long Endpoint { get; }
    /// <summary>
    /// pending: not delivered yet. delivered: your endpoint has accepted it. parked: the service has stopped trying;
    /// redeliver it by hand. filtered, only in <c>delivery</c>: no endpoint gets it. Values may be added.
    /// </summary>
    public string Status { get; }
    /// <summary>When the event is sent next; null if that is not planned.</summary>
    public DateTimeOffset? NextAttemptAt { get; }
    /// <summary>The attempts so far, oldest first.</summary>
    public IReadOnlyList<DeliveryAttempt> Attempts { get; }
  }

  /// <summary>An event and the attempts to deliver it.</summary>
  public sealed class Event {
    internal Event(Json json) {
      Type = json.Get("type", Json.Text);
      Id = json.Get("id", Json.Text);
      Sequence = json.Get("sequence", Json.Integer);
      CreatedAt = json.Get("created_at", Json.Instant);
      Environment = json.Find("environment", Json.Text);
      ApiVersion = json.Find("api_version", Json.Text);
      Data = json.Get("data", Json.Object(each => new EventData(each)));
      Delivery = json.Get("delivery", Json.Object(each => new Delivery(each)));
      Deliveries = json.Find("deliveries", Json.List(Json.Object(each => new EndpointDelivery(each))));
      Line = json.Find("line", Json.Text);
    }

    /// <summary>What happened. Values may be added.</summary>
    public string Type { get; }
    /// <summary>The id: evt_ and a UUIDv7.</summary>
    public string Id { get; }
    /// <summary>
    /// The number of the event, counted per partner without gaps. An endpoint with a filter does not get every
    /// number: see previous_sequence.
    /// </summary>
    public long Sequence { get; }
    /// <summary>When the event occurred.</summary>
    public DateTimeOffset CreatedAt { get; }
    /// <summary>The environment of the service. Not in events from before 0.7.0. Values may be added.</summary>
    public string? Environment { get; }
    /// <summary>
    /// The version of this API, as info.version of the description. Not in events from before 0.7.0.
    /// </summary>
    public string? ApiVersion { get; }
    /// <summary>See <see cref="EventData"/>.</summary>
    public EventData Data { get; }
    /// <summary>See <see cref="Delivery"/>.</summary>
    public Delivery Delivery { get; }
    /// <summary>
    /// One object for each endpoint that gets the event, by its number. Not in replies from before 0.7.0.
    /// </summary>
    public IReadOnlyList<EndpointDelivery>? Deliveries { get; }
    /// <summary>
    /// The event's line of your hash chain: chain_head is the SHA-256 of the previous chain_head, as bytes, and this
    /// text. Only GET /v1/events and GET /v1/events/{event_id} have it.
    /// </summary>
    public string? Line { get; }
  }

  /// <summary>The credential, in its state right after the event.</summary>
  public sealed class EventCredential {
    internal EventCredential(Json json) {
      Kind = json.Get("kind", Json.Text);
      Id = json.Get("id", Json.Text);
      ExpiresAt = json.FindValue("expires_at", Json.Instant);
      Kid = json.Find("kid", Json.Text);
      ValidFrom = json.FindValue("valid_from", Json.Instant);
      ValidUntil = json.FindValue("valid_until", Json.Instant);
      ChangedBy = json.Find("changed_by", Json.Text);
      ApprovedBy = json.Find("approved_by", Json.Text);
    }

    /// <summary>What expires, was added or ended. Values may be added.</summary>
    public string Kind { get; }
    /// <summary>The sha256, thumbprint or secret_id of the credential, as GET /v1/credentials shows it.</summary>
    public string Id { get; }
    /// <summary>When the service stops accepting the credential. Only in credential.expiring.</summary>
    public DateTimeOffset? ExpiresAt { get; }
    /// <summary>The signing key's registered name, if it has one. Not in credential.expiring.</summary>
    public string? Kid { get; }
    /// <summary>
    /// From when the service accepts the credential; null if the registered date is unusable, so that the service
    /// never accepts it. Not in credential.expiring.
    /// </summary>
    public DateTimeOffset? ValidFrom { get; }
    /// <summary>
    /// When the service stops accepting the credential, which can be in the future; null if no end is set. Not in
    /// credential.expiring.
    /// </summary>
    public DateTimeOffset? ValidUntil { get; }
    /// <summary>
    /// The operator's login that made the change; null if the change is older than events about changes.
    /// </summary>
    public string? ChangedBy { get; }
    /// <summary>The second login, which approved the change; null if such a change needs no approval.</summary>
    public string? ApprovedBy { get; }
  }

  /// <summary>
  /// The subject of the event in its state right after the event, and the head of your hash chain. The type of the
  /// event says which subject it is.
  /// </summary>
  public sealed class EventData {
    internal EventData(Json json) {
      Order = json.Find("order", Json.Object(each => new Order(each)));
      Withdrawal = json.Find("withdrawal", Json.Object(each => new Withdrawal(each)));
      Funding = json.Find("funding", Json.Object(each => new Funding(each)));
      Credential = json.Find("credential", Json.Object(each => new EventCredential(each)));
      Settlement = json.Find("settlement", Json.Object(each => new EventSettlement(each)));
      WebhookEndpoint = json.Find("webhook_endpoint", Json.Object(each => new EventWebhookEndpoint(each)));
      Day = json.Find("day", Json.Object(each => new EventDay(each)));
      ChainHead = json.Get("chain_head", Json.Text);
    }

    /// <summary>See <see cref="Order"/>.</summary>
    public Order? Order { get; }
    /// <summary>See <see cref="Withdrawal"/>.</summary>
    public Withdrawal? Withdrawal { get; }
    /// <summary>See <see cref="Funding"/>.</summary>
    public Funding? Funding { get; }
    /// <summary>See <see cref="EventCredential"/>.</summary>
    public EventCredential? Credential { get; }
    /// <summary>See <see cref="EventSettlement"/>.</summary>
    public EventSettlement? Settlement { get; }
    /// <summary>See <see cref="EventWebhookEndpoint"/>.</summary>
    public EventWebhookEndpoint? WebhookEndpoint { get; }
    /// <summary>See <see cref="EventDay"/>.</summary>
    public EventDay? Day { get; }
    /// <summary>
    /// The head of your hash chain at this event. Store it: with it you can prove your history up to this event.
    /// </summary>
    public string ChainHead { get; }
  }

  /// <summary>A summary of one day. After this event, nothing can be added to the day.</summary>
  public sealed class EventDay {
    internal EventDay(Json json) {
      Date = json.Get("date", Json.Date);
      FirstSequence = json.FindValue("first_sequence", Json.Integer);
      LastSequence = json.FindValue("last_sequence", Json.Integer);
      OpeningBalance = json.Get("opening_balance", Json.Object(each => new StatementBalance(each)));
      ClosingBalance = json.Get("closing_balance", Json.Object(each => new StatementBalance(each)));
      Quotes = json.Get("quotes", Json.Integer);
      Orders = json.Get("orders", Json.Integer);
      Refusals = json.Get("refusals", Json.Integer);
      Broken = json.Get("broken", Json.Integer);
      QuotesSha256 = json.Get("quotes_sha256", Json.Text);
      RefusalsSha256 = json.Get("refusals_sha256", Json.Text);
      Epoch = json.Get("epoch", Json.Object(each => new EventDayEpoch(each)));
      QuotesExecuted = json.FindValue("quotes_executed", Json.Integer);
      QuotesExpired = json.FindValue("quotes_expired", Json.Integer);
    }

    /// <summary>The day in Asia/Riyadh.</summary>
    public DateTime Date { get; }
    /// <summary>The first event of the day; null: the day has none.</summary>
    public long? FirstSequence { get; }
    /// <summary>The last event of the day; null: the day has none.</summary>
    public long? LastSequence { get; }
    /// <summary>The balances before the day.</summary>
    public StatementBalance OpeningBalance { get; }
    /// <summary>The balances after the day.</summary>
    public StatementBalance ClosingBalance { get; }
    /// <summary>How many quotes you got.</summary>
    public long Quotes { get; }
    /// <summary>How many orders were executed.</summary>
    public long Orders { get; }
    /// <summary>How many refusals were bound to an Idempotency-Key.</summary>
    public long Refusals { get; }
    /// <summary>
    /// The refusals of orders that you sent in time: insufficient_inventory, and quote_expired although X-Timestamp
    /// is before the end of the quote.
    /// </summary>
    public long Broken { get; }
    /// <summary>A hash over every quote of the day and its reply.</summary>
    public string QuotesSha256 { get; }
    /// <summary>A hash over every binding refusal of the day.</summary>
    public string RefusalsSha256 { get; }
    /// <summary>
    /// The epoch of the operator's database. A failover, or a restore to an earlier instant, begins a new epoch.
    /// </summary>
    public EventDayEpoch Epoch { get; }
    /// <summary>How many of these quotes were executed. Not in events from before 0.7.0.</summary>
    public long? QuotesExecuted { get; }
    /// <summary>How many of these quotes ended without an order. Not in events from before 0.7.0.</summary>
    public long? QuotesExpired { get; }
  }

  /// <summary>
  /// The epoch of the operator's database. A failover, or a restore to an earlier instant, begins a new epoch.
  /// </summary>
  public sealed class EventDayEpoch {
    internal EventDayEpoch(Json json) {
      Number = json.Get("number", Json.Integer);
      Timeline = json.Get("timeline", Json.Integer);
      BeganAt = json.Get("began_at", Json.Instant);
    }

    /// <summary>The number of the epoch, counted from 1.</summary>
    public long Number { get; }
    /// <summary>The timeline of the operator's database.</summary>
    public long Timeline { get; }
    /// <summary>When the operator's service noticed the epoch.</summary>
    public DateTimeOffset BeganAt { get; }
  }

  /// <summary>The IBAN to which later withdrawals are paid.</summary>
  public sealed class EventSettlement {
    internal EventSettlement(Json json) {
      IbanMasked = json.Get("iban_masked", Json.Text);
      IbanSha256 = json.Get("iban_sha256", Json.Text);
      ChangedBy = json.Find("changed_by", Json.Text);
      ApprovedBy = json.Find("approved_by", Json.Text);
    }

    /// <summary>The new IBAN without its middle characters.</summary>
    public string IbanMasked { get; }
    /// <summary>The SHA-256 of the whole IBAN without spaces. Compare it with your own.</summary>
    public string IbanSha256 { get; }
    /// <summary>
    /// The operator's login that made the change; null if the change is older than events about changes.
    /// </summary>
    public string? ChangedBy { get; }
    /// <summary>The second login, which approved the change; null if such a change needs no approval.</summary>
    public string? ApprovedBy { get; }
  }

  /// <summary>An endpoint that was added or removed, or got another URL or other types.</summary>
  public sealed class EventWebhookEndpoint {
    internal EventWebhookEndpoint(Json json) {
      Url = json.Get("url", Json.Text);
      Endpoint = json.FindValue("endpoint", Json.Integer);
      RemovedAt = json.FindValue("removed_at", Json.Instant);
      ChangedBy = json.Find("changed_by", Json.Text);
      ApprovedBy = json.Find("approved_by", Json.Text);
    }

    /// <summary>The URL of the endpoint.</summary>
    public string Url { get; }
    /// <summary>The number of the endpoint, as GET /v1/account shows it. Not in events from before 0.7.0.</summary>
    public long? Endpoint { get; }
    /// <summary>
    /// When the endpoint was removed; null if events are sent to this URL from now on. Not in events from before
    /// 0.7.0.
    /// </summary>
    public DateTimeOffset? RemovedAt { get; }
    /// <summary>
    /// The operator's login that made the change; null if the change is older than events about changes.
    /// </summary>
    public string? ChangedBy { get; }
    /// <summary>The second login, which approved the change; null if such a change needs no approval.</summary>
    public string? ApprovedBy { get; }
  }

  /// <summary>One invalid field of the request, by pointer or by name.</summary>
  public sealed class FieldError {
    internal FieldError(Json json) {
      Pointer = json.Find("pointer", Json.Text);
      Name = json.Find("name", Json.Text);
      Detail = json.Get("detail", Json.Text);
    }

    /// <summary>A JSON Pointer into the body, as in #/gold_grams.</summary>
    public string? Pointer { get; }
    /// <summary>The name of the query parameter or header.</summary>
    public string? Name { get; }
    /// <summary>What is wrong and what to send.</summary>
    public string Detail { get; }
  }

  /// <summary>Adds SAR to the caller's own account. Available only in the sandbox.</summary>
  public sealed class FundRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="amountSar">
    /// SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string, such as
    /// "10.50", means the same as the number.
    /// </param>
    public FundRequest(decimal amountSar) => AmountSar = amountSar;

    /// <summary>
    /// SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string, such as
    /// "10.50", means the same as the number.
    /// </summary>
    public decimal AmountSar { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteNumber("amount_sar", Call.Sar("amount_sar", AmountSar));
    }
  }

  /// <summary>SAR that were added to the account.</summary>
  public sealed class Funding {
    internal Funding(Json json) {
      FundingId = json.Get("funding_id", Json.Text);
      AmountSar = json.Get("amount_sar", Json.Decimal);
      CreatedAt = json.Get("created_at", Json.Instant);
      ReversedAt = json.FindValue("reversed_at", Json.Instant);
    }

    /// <summary>The id: fnd_ and a UUIDv7.</summary>
    public string FundingId { get; }
    /// <summary>The amount of the funding, at most 2 decimals.</summary>
    public decimal AmountSar { get; }
    /// <summary>When the funding was booked.</summary>
    public DateTimeOffset CreatedAt { get; }
    /// <summary>
    /// When the funding was reversed because the bank took the money back; null if it was not reversed.
    /// </summary>
    public DateTimeOffset? ReversedAt { get; }
  }

  /// <summary>The funding, and the account's balances right after it.</summary>
  public sealed class FundingCreated {
    internal FundingCreated(Json json) {
      FundingId = json.Get("funding_id", Json.Text);
      AmountSar = json.Get("amount_sar", Json.Decimal);
      CreatedAt = json.Get("created_at", Json.Instant);
      Balances = json.Get("balances", Json.Object(each => new Balances(each)));
    }

    /// <summary>The id: fnd_ and a UUIDv7.</summary>
    public string FundingId { get; }
    /// <summary>The amount of the funding, at most 2 decimals.</summary>
    public decimal AmountSar { get; }
    /// <summary>When the funding was booked.</summary>
    public DateTimeOffset CreatedAt { get; }
    /// <summary>See <see cref="Balances"/>.</summary>
    public Balances Balances { get; }
  }

  /// <summary>The service can serve requests.</summary>
  public sealed class Health {
    internal Health(Json json) {
      Status = json.Get("status", Json.Text);
    }

    /// <summary>The service and its database work.</summary>
    public string Status { get; }
  }

  /// <summary>
  /// Your limits on quantities, request rate, open quotes and stored records, and the market hours.
  /// </summary>
  public sealed class Limits {
    internal Limits(Json json) {
      GoldGrams = json.Get("gold_grams", Json.Object(each => new LimitsGoldGrams(each)));
      AmountSar = json.Get("amount_sar", Json.Object(each => new LimitsAmountSar(each)));
      SmallestTrade = json.Find("smallest_trade", Json.Object(each => new LimitsSmallestTrade(each)));
      QuoteTtlSeconds = json.Get("quote_ttl_seconds", Json.Integer);
      RateLimit = json.Get("rate_limit", Json.Object(each => new LimitsRateLimit(each)));
      Streams = json.Get("streams", Json.Object(each => new LimitsStreams(each)));
      OpenQuotes = json.Find("open_quotes", Json.Object(each => new LimitsOpenQuotes(each)));
      DailyRecords = json.Find("daily_records", Json.Object(each => new LimitsDailyRecords(each)));
      NetPosition = json.Find("net_position", Json.Object(each => new LimitsNetPosition(each)));
      DailyWithdrawals = json.Find("daily_withdrawals", Json.Object(each => new LimitsDailyWithdrawals(each)));
      Exposure = json.Find("exposure", Json.Object(each => new LimitsExposure(each)));
      MarketHours = json.Get("market_hours", Json.Object(each => new LimitsMarketHours(each)));
    }

    /// <summary>The gold of one quote.</summary>
    public LimitsGoldGrams GoldGrams { get; }
    /// <summary>The amount of one quote, funding or withdrawal.</summary>
    public LimitsAmountSar AmountSar { get; }
    /// <summary>The smallest quotes at the present prices; null while there is no price.</summary>
    public LimitsSmallestTrade? SmallestTrade { get; }
    /// <summary>How many seconds a quote is firm.</summary>
    public long QuoteTtlSeconds { get; }
    /// <summary>Your request rate.</summary>
    public LimitsRateLimit RateLimit { get; }
    /// <summary>The limit of your streams of prices and events, together.</summary>
    public LimitsStreams Streams { get; }
    /// <summary>
    /// Limits on your open quotes (firm, not yet executed) by number and by grams, and how many are open now. A null
    /// maximum means no limit; null in place of the object means unlimited.
    /// </summary>
    public LimitsOpenQuotes? OpenQuotes { get; }
    /// <summary>
    /// Your daily limit (Riyadh time) on stored records that move no money or gold: quotes, binding refusals, probes,
    /// replays, webhook tests and redeliveries. A quote stops counting when it is executed. Null means unlimited.
    /// </summary>
    public LimitsDailyRecords? DailyRecords { get; }
    /// <summary>
    /// Your daily limit (Riyadh time) on what you buy minus what you sell. Open quotes count as if they were
    /// executed; only quotes are refused. Null means unlimited.
    /// </summary>
    public LimitsNetPosition? NetPosition { get; }
    /// <summary>
    /// Your daily limits (Riyadh time) on withdrawals. Those that ended without a payment count, too. A null maximum
    /// means no limit; null in place of the object means unlimited.
    /// </summary>
    public LimitsDailyWithdrawals? DailyWithdrawals { get; }
    /// <summary>
    /// The operator's daily limit on what all partners buy minus what they sell. A side that is open may still refuse
    /// a large quote. Null means unlimited.
    /// </summary>
    public LimitsExposure? Exposure { get; }
    /// <summary>When the market is open.</summary>
    public LimitsMarketHours MarketHours { get; }
  }

  /// <summary>The gold of one quote.</summary>
  public sealed class LimitsGoldGrams {
    internal LimitsGoldGrams(Json json) {
      Step = json.Get("step", Json.Decimal);
      Minimum = json.Get("minimum", Json.Decimal);
      Maximum = json.Get("maximum", Json.Decimal);
    }

    /// <summary>Grams of gold, at most 4 decimals.</summary>
    public decimal Step { get; }
    /// <summary>Grams of gold, at most 4 decimals.</summary>
    public decimal Minimum { get; }
    /// <summary>Grams of gold, at most 4 decimals.</summary>
    public decimal Maximum { get; }
  }

  /// <summary>The amount of one quote, funding or withdrawal.</summary>
  public sealed class LimitsAmountSar {
    internal LimitsAmountSar(Json json) {
      Step = json.Get("step", Json.Decimal);
      Minimum = json.Get("minimum", Json.Decimal);
      Maximum = json.Get("maximum", Json.Decimal);
    }

    /// <summary>SAR, at most 2 decimals.</summary>
    public decimal Step { get; }
    /// <summary>SAR, at most 2 decimals.</summary>
    public decimal Minimum { get; }
    /// <summary>SAR, at most 2 decimals.</summary>
    public decimal Maximum { get; }
  }

  /// <summary>Limits smallest trade.</summary>
  public sealed class LimitsSmallestTrade {
    internal LimitsSmallestTrade(Json json) {
      Buy = json.Get("buy", Json.Object(each => new LimitsSmallestTradeBuy(each)));
      Sell = json.Get("sell", Json.Object(each => new LimitsSmallestTradeSell(each)));
    }

    /// <summary>The least that you can buy.</summary>
    public LimitsSmallestTradeBuy Buy { get; }
    /// <summary>The least that you can sell.</summary>
    public LimitsSmallestTradeSell Sell { get; }
  }

  /// <summary>The least that you can buy.</summary>
  public sealed class LimitsSmallestTradeBuy {
    internal LimitsSmallestTradeBuy(Json json) {
      GoldGrams = json.Get("gold_grams", Json.Decimal);
      AmountSar = json.Get("amount_sar", Json.Decimal);
    }

    /// <summary>Grams of gold, at most 4 decimals.</summary>
    public decimal GoldGrams { get; }
    /// <summary>What this gold costs or brings.</summary>
    public decimal AmountSar { get; }
  }

  /// <summary>The least that you can sell.</summary>
  public sealed class LimitsSmallestTradeSell {
    internal LimitsSmallestTradeSell(Json json) {
      GoldGrams = json.Get("gold_grams", Json.Decimal);
      AmountSar = json.Get("amount_sar", Json.Decimal);
    }

    /// <summary>Grams of gold, at most 4 decimals.</summary>
    public decimal GoldGrams { get; }
    /// <summary>What this gold costs or brings.</summary>
    public decimal AmountSar { get; }
  }

  /// <summary>Your request rate.</summary>
  public sealed class LimitsRateLimit {
    internal LimitsRateLimit(Json json) {
      RequestsPerSecond = json.Get("requests_per_second", Json.Integer);
      Burst = json.Get("burst", Json.Integer);
    }

    /// <summary>How many requests a second you may send on average.</summary>
    public long RequestsPerSecond { get; }
    /// <summary>How many requests you may send at once.</summary>
    public long Burst { get; }
  }

  /// <summary>The limit of your streams of prices and events, together.</summary>
  public sealed class LimitsStreams {
    internal LimitsStreams(Json json) {
      Maximum = json.Get("maximum", Json.Integer);
    }

    /// <summary>How many streams you can have open at once.</summary>
    public long Maximum { get; }
  }

  /// <summary>Limits open quotes.</summary>
  public sealed class LimitsOpenQuotes {
    internal LimitsOpenQuotes(Json json) {
      MaximumQuotes = json.FindValue("maximum_quotes", Json.Integer);
      Quotes = json.Get("quotes", Json.Integer);
      MaximumGoldGrams = json.FindValue("maximum_gold_grams", Json.Decimal);
      GoldGrams = json.Get("gold_grams", Json.Decimal);
    }

    /// <summary>How many quotes may be open; null means no limit.</summary>
    public long? MaximumQuotes { get; }
    /// <summary>How many quotes are open.</summary>
    public long Quotes { get; }
    /// <summary>How many grams the open quotes may have together; null means no limit.</summary>
    public decimal? MaximumGoldGrams { get; }
    /// <summary>The grams of the open quotes.</summary>
    public decimal GoldGrams { get; }
  }

  /// <summary>Limits daily records.</summary>
  public sealed class LimitsDailyRecords {
    internal LimitsDailyRecords(Json json) {
      MaximumRecords = json.Get("maximum_records", Json.Integer);
      Records = json.Get("records", Json.Integer);
      ResetsAt = json.Get("resets_at", Json.Instant);
    }

    /// <summary>How many records may be stored per day.</summary>
    public long MaximumRecords { get; }
    /// <summary>How many records count today.</summary>
    public long Records { get; }
    /// <summary>When the count starts again at 0.</summary>
    public DateTimeOffset ResetsAt { get; }
  }

  /// <summary>Limits net position.</summary>
  public sealed class LimitsNetPosition {
    internal LimitsNetPosition(Json json) {
      MaximumGoldGrams = json.Get("maximum_gold_grams", Json.Decimal);
      BuyGoldGrams = json.Get("buy_gold_grams", Json.Decimal);
      SellGoldGrams = json.Get("sell_gold_grams", Json.Decimal);
      ResetsAt = json.Get("resets_at", Json.Instant);
    }

    /// <summary>The largest net position of a day, in either direction.</summary>
    public decimal MaximumGoldGrams { get; }
    /// <summary>How many grams you can still buy today.</summary>
    public decimal BuyGoldGrams { get; }
    /// <summary>How many grams you can still sell today.</summary>
    public decimal SellGoldGrams { get; }
    /// <summary>When the day ends and both start again at the maximum.</summary>
    public DateTimeOffset ResetsAt { get; }
  }

  /// <summary>Limits daily withdrawals.</summary>
  public sealed class LimitsDailyWithdrawals {
    internal LimitsDailyWithdrawals(Json json) {
      MaximumWithdrawals = json.FindValue("maximum_withdrawals", Json.Integer);
      Withdrawals = json.Get("withdrawals", Json.Integer);
      MaximumAmountSar = json.FindValue("maximum_amount_sar", Json.Decimal);
      AmountSar = json.Get("amount_sar", Json.Decimal);
      ResetsAt = json.Get("resets_at", Json.Instant);
    }

    /// <summary>How many withdrawals you may request per day; null: any number.</summary>
    public long? MaximumWithdrawals { get; }
    /// <summary>How many you requested today.</summary>
    public long Withdrawals { get; }
    /// <summary>How much SAR you may request per day; null: any amount.</summary>
    public decimal? MaximumAmountSar { get; }
    /// <summary>How much you requested today.</summary>
    public decimal AmountSar { get; }
    /// <summary>When both start again at 0.</summary>
    public DateTimeOffset ResetsAt { get; }
  }

  /// <summary>Limits exposure.</summary>
  public sealed class LimitsExposure {
    internal LimitsExposure(Json json) {
      Buy = json.Get("buy", Json.Flag);
      Sell = json.Get("sell", Json.Flag);
    }

    /// <summary>Whether the operator still sells gold to partners today.</summary>
    public bool Buy { get; }
    /// <summary>Whether the operator still buys gold from partners today.</summary>
    public bool Sell { get; }
  }

  /// <summary>When the market is open.</summary>
  public sealed class LimitsMarketHours {
    internal LimitsMarketHours(Json json) {
      AlwaysOpen = json.Get("always_open", Json.Flag);
      TimeZone = json.Get("time_zone", Json.Text);
      Sessions = json.Get("sessions", Json.List(Json.Object(each => new LimitsMarketHoursSession(each))));
      HaltedAt = json.FindValue("halted_at", Json.Instant);
    }

    /// <summary>Whether the market never closes.</summary>
    public bool AlwaysOpen { get; }
    /// <summary>The time zone of the sessions.</summary>
    public string TimeZone { get; }
    /// <summary>The opening hours of each day; empty if the market is always open.</summary>
    public IReadOnlyList<LimitsMarketHoursSession> Sessions { get; }
    /// <summary>
    /// When the market was closed outside its hours because the price jumped; it stays closed until the operator
    /// opens it. Null: it was not.
    /// </summary>
    public DateTimeOffset? HaltedAt { get; }
  }

  /// <summary>Limits market hours session.</summary>
  public sealed class LimitsMarketHoursSession {
    internal LimitsMarketHoursSession(Json json) {
      Day = json.Get("day", Json.Text);
      Opens = json.Get("opens", Json.Text);
      Closes = json.Get("closes", Json.Text);
    }

    /// <summary>The day of the week.</summary>
    public string Day { get; }
    /// <summary>When the market opens, as HH:MM.</summary>
    public string Opens { get; }
    /// <summary>When the market closes, as HH:MM; 24:00 is the end of the day.</summary>
    public string Closes { get; }
  }

  /// <summary>An executed order.</summary>
  public sealed class Order {
    internal Order(Json json) {
      OrderId = json.Get("order_id", Json.Text);
      QuoteId = json.Get("quote_id", Json.Text);
      Side = json.Get("side", Json.Text);
      GoldGrams = json.Get("gold_grams", Json.Decimal);
      PricePerGramSar = json.Get("price_per_gram_sar", Json.Decimal);
      TotalSar = json.Get("total_sar", Json.Decimal);
      Status = json.Get("status", Json.Text);
      ExecutedAt = json.Get("executed_at", Json.Instant);
      Reference = json.Find("reference", Json.Text);
      AccountLabel = json.Find("account_label", Json.Text);
      ReservesListId = json.Find("reserves_list_id", Json.Text);
    }

    /// <summary>The id: ord_ and a UUIDv7.</summary>
    public string OrderId { get; }
    /// <summary>The id: qt_ and a UUIDv7.</summary>
    public string QuoteId { get; }
    /// <summary>From your point of view: buy pays SAR for gold, sell gives gold for SAR.</summary>
    public string Side { get; }
    /// <summary>The gold that moved, in grams, at most 4 decimals.</summary>
    public decimal GoldGrams { get; }
    /// <summary>SAR per gram, at most 4 decimals.</summary>
    public decimal PricePerGramSar { get; }
    /// <summary>The SAR that moved, at most 2 decimals.</summary>
    public decimal TotalSar { get; }
    /// <summary>An order is executed completely, or it does not exist. Values may be added.</summary>
    public string Status { get; }
    /// <summary>When the order was booked.</summary>
    public DateTimeOffset ExecutedAt { get; }
    /// <summary>Your own reference; absent if you sent none.</summary>
    public string? Reference { get; }
    /// <summary>Your own customer, account or desk; absent if you sent none.</summary>
    public string? AccountLabel { get; }
    /// <summary>
    /// The list of bars that was in force when the order was executed. Absent for orders before 0.4.0.
    /// </summary>
    public string? ReservesListId { get; }
  }

  /// <summary>The order, and the account's balances right after it.</summary>
  public sealed class OrderCreated {
    internal OrderCreated(Json json) {
      OrderId = json.Get("order_id", Json.Text);
      QuoteId = json.Get("quote_id", Json.Text);
      Side = json.Get("side", Json.Text);
      GoldGrams = json.Get("gold_grams", Json.Decimal);
      PricePerGramSar = json.Get("price_per_gram_sar", Json.Decimal);
      TotalSar = json.Get("total_sar", Json.Decimal);
      Status = json.Get("status", Json.Text);
      ExecutedAt = json.Get("executed_at", Json.Instant);
      Reference = json.Find("reference", Json.Text);
      AccountLabel = json.Find("account_label", Json.Text);
      ReservesListId = json.Find("reserves_list_id", Json.Text);
      Balances = json.Get("balances", Json.Object(each => new Balances(each)));
    }

    /// <summary>The id: ord_ and a UUIDv7.</summary>
    public string OrderId { get; }
    /// <summary>The id: qt_ and a UUIDv7.</summary>
    public string QuoteId { get; }
    /// <summary>From your point of view: buy pays SAR for gold, sell gives gold for SAR.</summary>
    public string Side { get; }
    /// <summary>The gold that moved, in grams, at most 4 decimals.</summary>
    public decimal GoldGrams { get; }
    /// <summary>SAR per gram, at most 4 decimals.</summary>
    public decimal PricePerGramSar { get; }
    /// <summary>The SAR that moved, at most 2 decimals.</summary>
    public decimal TotalSar { get; }
    /// <summary>An order is executed completely, or it does not exist. Values may be added.</summary>
    public string Status { get; }
    /// <summary>When the order was booked.</summary>
    public DateTimeOffset ExecutedAt { get; }
    /// <summary>Your own reference; absent if you sent none.</summary>
    public string? Reference { get; }
    /// <summary>Your own customer, account or desk; absent if you sent none.</summary>
    public string? AccountLabel { get; }
    /// <summary>
    /// The list of bars that was in force when the order was executed. Absent for orders before 0.4.0.
    /// </summary>
    public string? ReservesListId { get; }
    /// <summary>See <see cref="Balances"/>.</summary>
    public Balances Balances { get; }
  }

  /// <summary>
  /// Executes a firm quote. If you omit <c>reference</c> or <c>account_label</c>, the order inherits it from the
  /// quote.
  /// </summary>
  public sealed class OrderRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="quoteId">One of your open quotes.</param>
    public OrderRequest(string quoteId) => QuoteId = quoteId;

    /// <summary>One of your open quotes.</summary>
    public string QuoteId { get; set; }
    /// <summary>Your own reference, such as the number of your customer's order. It need not be unique.</summary>
    public string? Reference { get; set; }
    /// <summary>Your own customer, account or desk. All labels share your one balance.</summary>
    public string? AccountLabel { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteString("quote_id", Call.Given("quote_id", QuoteId));
      if (Reference is string reference) json.WriteString("reference", reference);
      if (AccountLabel is string accountLabel) json.WriteString("account_label", accountLabel);
    }
  }

  /// <summary>The prices of the last 24 hours, minute by minute.</summary>
  public sealed class PriceHistory {
    internal PriceHistory(Json json) {
      Currency = json.Get("currency", Json.Text);
      Unit = json.Get("unit", Json.Text);
      Purity = json.Get("purity", Json.Text);
      Bars = json.Get("bars", Json.List(Json.Object(each => new PriceHistoryBar(each))));
    }

    /// <summary>The currency of both prices.</summary>
    public string Currency { get; }
    /// <summary>The prices are for one gram.</summary>
    public string Unit { get; }
    /// <summary>The purity of the gold.</summary>
    public string Purity { get; }
    /// <summary>
    /// Oldest first. A minute without a new price has no bar; the last price before it was still valid. The bar of
    /// the current minute can still change.
    /// </summary>
    public IReadOnlyList<PriceHistoryBar> Bars { get; }
  }

  /// <summary>Price history bar.</summary>
  public sealed class PriceHistoryBar {
    internal PriceHistoryBar(Json json) {
      BeginsAt = json.Get("begins_at", Json.Instant);
      BuyPrice = json.Get("buy_price", Json.Object(each => new PriceHistoryBarBuyPrice(each)));
      SellPrice = json.Get("sell_price", Json.Object(each => new PriceHistoryBarSellPrice(each)));
    }

    /// <summary>The beginning of the minute.</summary>
    public DateTimeOffset BeginsAt { get; }
    /// <summary>SAR per gram that a partner paid.</summary>
    public PriceHistoryBarBuyPrice BuyPrice { get; }
    /// <summary>SAR per gram that a partner received.</summary>
    public PriceHistoryBarSellPrice SellPrice { get; }
  }

  /// <summary>SAR per gram that a partner paid.</summary>
  public sealed class PriceHistoryBarBuyPrice {
    internal PriceHistoryBarBuyPrice(Json json) {
      First = json.Get("first", Json.Decimal);
      Highest = json.Get("highest", Json.Decimal);
      Lowest = json.Get("lowest", Json.Decimal);
      Last = json.Get("last", Json.Decimal);
    }

    /// <summary>The first price of the minute.</summary>
    public decimal First { get; }
    /// <summary>The highest price of the minute.</summary>
    public decimal Highest { get; }
    /// <summary>The lowest price of the minute.</summary>
    public decimal Lowest { get; }
    /// <summary>The last price of the minute.</summary>
    public decimal Last { get; }
  }

  /// <summary>SAR per gram that a partner received.</summary>
  public sealed class PriceHistoryBarSellPrice {
    internal PriceHistoryBarSellPrice(Json json) {
      First = json.Get("first", Json.Decimal);
      Highest = json.Get("highest", Json.Decimal);
      Lowest = json.Get("lowest", Json.Decimal);
      Last = json.Get("last", Json.Decimal);
    }

    /// <summary>The first price of the minute.</summary>
    public decimal First { get; }
    /// <summary>The highest price of the minute.</summary>
    public decimal Highest { get; }
    /// <summary>The lowest price of the minute.</summary>
    public decimal Lowest { get; }
    /// <summary>The last price of the minute.</summary>
    public decimal Last { get; }
  }

  /// <summary>Indicative prices; a quote is firm.</summary>
  public sealed class Prices {
    internal Prices(Json json) {
      Currency = json.Get("currency", Json.Text);
      Unit = json.Get("unit", Json.Text);
      Purity = json.Get("purity", Json.Text);
      BuyPrice = json.Get("buy_price", Json.Decimal);
      SellPrice = json.Get("sell_price", Json.Decimal);
      AsOf = json.Get("as_of", Json.Instant);
      Market = json.Get("market", Json.Text);
    }

    /// <summary>The currency of both prices.</summary>
    public string Currency { get; }
    /// <summary>The prices are for one gram.</summary>
    public string Unit { get; }
    /// <summary>The purity of the gold.</summary>
    public string Purity { get; }
    /// <summary>SAR per gram that you pay; above the sell price.</summary>
    public decimal BuyPrice { get; }
    /// <summary>SAR per gram that you receive.</summary>
    public decimal SellPrice { get; }
    /// <summary>When the prices were set.</summary>
    public DateTimeOffset AsOf { get; }
    /// <summary>Quotes are given only while the market is open.</summary>
    public string Market { get; }
  }

  /// <summary>One step of the verification.</summary>
  public sealed class ProbeStep {
    internal ProbeStep(Json json) {
      Ok = json.FindValue("ok", Json.Flag);
      Detail = json.Get("detail", Json.Text);
    }

    /// <summary>Whether this step succeeded; null if it was not reached.</summary>
    public bool? Ok { get; }
    /// <summary>What the service found.</summary>
    public string Detail { get; }
  }

  /// <summary>What is right and wrong with a signed request, step by step.</summary>
  public sealed class ProbeVerdict {
    internal ProbeVerdict(Json json) {
      Valid = json.Get("valid", Json.Flag);
      Steps = json.Get("steps", Json.Object(each => new ProbeVerdictSteps(each)));
      ClockOffsetSeconds = json.FindValue("clock_offset_seconds", Json.Decimal);
      CanonicalString = json.Find("canonical_string", Json.Text);
      CanonicalSha256 = json.Find("canonical_sha256", Json.Text);
      Mistake = json.Find("mistake", Json.Text);
    }

    /// <summary>
    /// Whether an order signed like this would pass. A valid probe spends the nonce; an invalid probe does not.
    /// </summary>
    public bool Valid { get; }
    /// <summary>
    /// The checks of an order: X-Timestamp's form and window; X-Nonce's form, and that it is fresh; X-JWS-Signature's
    /// form and protected header; its key; the signature, checked only if all others are correct. If a mistake is
    /// named, the failed step says what to do.
    /// </summary>
    public ProbeVerdictSteps Steps { get; }
    /// <summary>X-Timestamp minus the service's time; null if the timestamp cannot be read.</summary>
    public decimal? ClockOffsetSeconds { get; }
    /// <summary>
    /// The string over which the service verifies the signature; null if X-Timestamp or X-Nonce is malformed.
    /// </summary>
    public string? CanonicalString { get; }
    /// <summary>SHA-256 of canonical_string in lower-case hex; null if there is none.</summary>
    public string? CanonicalSha256 { get; }
    /// <summary>
    /// The common mistake that explains the failure. It is proven, not guessed: one of your keys made this signature
    /// over the string that the mistake produces. null: no common mistake explains it.
    /// </summary>
    public string? Mistake { get; }
  }

  /// <summary>
  /// The checks of an order: X-Timestamp's form and window; X-Nonce's form, and that it is fresh; X-JWS-Signature's
  /// form and protected header; its key; the signature, checked only if all others are correct. If a mistake is
  /// named, the failed step says what to do.
  /// </summary>
  public sealed class ProbeVerdictSteps {
    internal ProbeVerdictSteps(Json json) {
      Timestamp = json.Get("timestamp", Json.Object(each => new ProbeStep(each)));
      Nonce = json.Get("nonce", Json.Object(each => new ProbeStep(each)));
      Header = json.Get("header", Json.Object(each => new ProbeStep(each)));
      Key = json.Get("key", Json.Object(each => new ProbeStep(each)));
      Signature = json.Get("signature", Json.Object(each => new ProbeStep(each)));
    }

    /// <summary>See <see cref="ProbeStep"/>.</summary>
    public ProbeStep Timestamp { get; }
    /// <summary>See <see cref="ProbeStep"/>.</summary>
    public ProbeStep Nonce { get; }
    /// <summary>See <see cref="ProbeStep"/>.</summary>
    public ProbeStep Header { get; }
    /// <summary>See <see cref="ProbeStep"/>.</summary>
    public ProbeStep Key { get; }
    /// <summary>See <see cref="ProbeStep"/>.</summary>
    public ProbeStep Signature { get; }
  }

  /// <summary>A firm price for 60 seconds, for one order. It reserves neither funds nor gold.</summary>
  public sealed class Quote {
    internal Quote(Json json) {
      QuoteId = json.Get("quote_id", Json.Text);
      Side = json.Get("side", Json.Text);
      GoldGrams = json.Get("gold_grams", Json.Decimal);
      PricePerGramSar = json.Get("price_per_gram_sar", Json.Decimal);
      TotalSar = json.Get("total_sar", Json.Decimal);
      Status = json.Get("status", Json.Text);
      CreatedAt = json.Get("created_at", Json.Instant);
      ExpiresAt = json.Get("expires_at", Json.Instant);
      Reference = json.Find("reference", Json.Text);
      AccountLabel = json.Find("account_label", Json.Text);
    }

    /// <summary>The id: qt_ and a UUIDv7.</summary>
    public string QuoteId { get; }
    /// <summary>From your point of view: buy pays SAR for gold, sell gives gold for SAR.</summary>
    public string Side { get; }
    /// <summary>Grams of gold, at most 4 decimals.</summary>
    public decimal GoldGrams { get; }
    /// <summary>SAR per gram, at most 4 decimals.</summary>
    public decimal PricePerGramSar { get; }
    /// <summary>The SAR that the order moves, rounded up to the halala for a buy and down for a sell.</summary>
    public decimal TotalSar { get; }
    /// <summary>Only an open quote can be executed. Values may be added.</summary>
    public string Status { get; }
    /// <summary>When the quote was made.</summary>
    public DateTimeOffset CreatedAt { get; }
    /// <summary>Until when the price is firm.</summary>
    public DateTimeOffset ExpiresAt { get; }
    /// <summary>Your own reference; absent if you sent none.</summary>
    public string? Reference { get; }
    /// <summary>Your own customer, account or desk; absent if you sent none.</summary>
    public string? AccountLabel { get; }
  }

  /// <summary>Exactly one of gold_grams and amount_sar.</summary>
  public sealed class QuoteRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="side">From your point of view: buy pays SAR for gold, sell gives gold for SAR.</param>
    public QuoteRequest(string side) => Side = side;

    /// <summary>From your point of view: buy pays SAR for gold, sell gives gold for SAR.</summary>
    public string Side { get; set; }
    /// <summary>
    /// Grams of 24K gold, at most 4 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string,
    /// such as "10.50", means the same as the number.
    /// </summary>
    public decimal? GoldGrams { get; set; }
    /// <summary>
    /// SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string, such as
    /// "10.50", means the same as the number.
    /// </summary>
    public decimal? AmountSar { get; set; }
    /// <summary>Your own reference, such as the number of your customer's order. It need not be unique.</summary>
    public string? Reference { get; set; }
    /// <summary>Your own customer, account or desk. All labels share your one balance.</summary>
    public string? AccountLabel { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteString("side", Call.Given("side", Side));
      if (GoldGrams is decimal goldGrams) json.WriteNumber("gold_grams", Call.Grams("gold_grams", goldGrams));
      if (AmountSar is decimal amountSar) json.WriteNumber("amount_sar", Call.Sar("amount_sar", amountSar));
      if (Reference is string reference) json.WriteString("reference", reference);
      if (AccountLabel is string accountLabel) json.WriteString("account_label", accountLabel);
    }
  }

  /// <summary>The requested signing key.</summary>
  public sealed class RequestedSigningKey {
    internal RequestedSigningKey(Json json) {
      Kty = json.Get("kty", Json.Text);
      Crv = json.Get("crv", Json.Text);
      X = json.Get("x", Json.Text);
      Y = json.Get("y", Json.Text);
      Kid = json.Find("kid", Json.Text);
    }

    /// <summary>The type of the key.</summary>
    public string Kty { get; }
    /// <summary>The curve of the key.</summary>
    public string Crv { get; }
    /// <summary>The x coordinate of the public key.</summary>
    public string X { get; }
    /// <summary>The y coordinate of the public key.</summary>
    public string Y { get; }
    /// <summary>Your own name for the key.</summary>
    public string? Kid { get; }
  }

  /// <summary>The requested webhook endpoint.</summary>
  public sealed class RequestedWebhookEndpoint {
    internal RequestedWebhookEndpoint(Json json) {
      Url = json.Get("url", Json.Text);
      Types = json.Find("types", Json.List(Json.Text));
    }

    /// <summary>Where events are to be sent.</summary>
    public string Url { get; }
    /// <summary>The types that it gets. Without it: all.</summary>
    public IReadOnlyList<string>? Types { get; }
  }

  /// <summary>The bars behind the gold, as published at one instant.</summary>
  public sealed class Reserves {
    internal Reserves(Json json) {
      Bars = json.Get("bars", Json.List(Json.Object(each => new ReservesBar(each))));
      FineGrams = json.Get("fine_grams", Json.Decimal);
      OwedGrams = json.Get("owed_grams", Json.Decimal);
      Coverage = json.FindValue("coverage", Json.Decimal);
      AsOf = json.Get("as_of", Json.Instant);
      ReservesListId = json.Get("reserves_list_id", Json.Text);
    }

    /// <summary>Every bar in the vault.</summary>
    public IReadOnlyList<ReservesBar> Bars { get; }
    /// <summary>Gold in all bars.</summary>
    public decimal FineGrams { get; }
    /// <summary>Gold owed to all partners; never more than fine_grams.</summary>
    public decimal OwedGrams { get; }
    /// <summary>fine_grams divided by owed_grams, rounded down to 4 decimals; null if nothing is owed.</summary>
    public decimal? Coverage { get; }
    /// <summary>The instant of every figure here. The reply stays unchanged for at least an hour.</summary>
    public DateTimeOffset AsOf { get; }
    /// <summary>The list of bars in force at as_of.</summary>
    public string ReservesListId { get; }
  }

  /// <summary>Reserves bar.</summary>
  public sealed class ReservesBar {
    internal ReservesBar(Json json) {
      Serial = json.Get("serial", Json.Text);
      Refiner = json.Get("refiner", Json.Text);
      Vault = json.Get("vault", Json.Text);
      GrossGrams = json.Get("gross_grams", Json.Decimal);
      Fineness = json.Get("fineness", Json.Decimal);
      FineGrams = json.Get("fine_grams", Json.Decimal);
    }

    /// <summary>The serial number on the bar.</summary>
    public string Serial { get; }
    /// <summary>Who made the bar.</summary>
    public string Refiner { get; }
    /// <summary>Where the bar is.</summary>
    public string Vault { get; }
    /// <summary>The bar's weight in grams, at most 4 decimals.</summary>
    public decimal GrossGrams { get; }
    /// <summary>Parts of gold in 1,000.</summary>
    public decimal Fineness { get; }
    /// <summary>The gold in the bar: its weight times its fineness, in grams.</summary>
    public decimal FineGrams { get; }
  }

  /// <summary>The bars that were in the vault between two changes of the vault. A list never changes.</summary>
  public sealed class ReservesList {
    internal ReservesList(Json json) {
      ReservesListId = json.Get("reserves_list_id", Json.Text);
      CreatedAt = json.Get("created_at", Json.Instant);
      Bars = json.Get("bars", Json.List(Json.Object(each => new ReservesListBar(each))));
      FineGrams = json.Get("fine_grams", Json.Decimal);
      PreviousSha256 = json.Get("previous_sha256", Json.Text);
      Sha256 = json.Get("sha256", Json.Text);
    }

    /// <summary>
    /// The id of a list of bars: lst_ and its number. GET /v1/reserves/lists/{reserves_list_id} gives the list.
    /// </summary>
    public string ReservesListId { get; }
    /// <summary>When the list came into force.</summary>
    public DateTimeOffset CreatedAt { get; }
    /// <summary>Every bar of the list, sorted by serial.</summary>
    public IReadOnlyList<ReservesListBar> Bars { get; }
    /// <summary>Gold in all bars of the list.</summary>
    public decimal FineGrams { get; }
    /// <summary>The sha256 of the previous list; 64 zeros for the first list.</summary>
    public string PreviousSha256 { get; }
    /// <summary>SHA-256 of the bars and previous_sha256, as the guide to reserves describes.</summary>
    public string Sha256 { get; }
  }

  /// <summary>Reserves list bar.</summary>
  public sealed class ReservesListBar {
    internal ReservesListBar(Json json) {
      Serial = json.Get("serial", Json.Text);
      Refiner = json.Get("refiner", Json.Text);
      Vault = json.Get("vault", Json.Text);
      GrossGrams = json.Get("gross_grams", Json.Decimal);
      Fineness = json.Get("fineness", Json.Decimal);
      FineGrams = json.Get("fine_grams", Json.Decimal);
    }

    /// <summary>The serial number on the bar.</summary>
    public string Serial { get; }
    /// <summary>Who made the bar.</summary>
    public string Refiner { get; }
    /// <summary>Where the bar is.</summary>
    public string Vault { get; }
    /// <summary>The bar's weight in grams, at most 4 decimals.</summary>
    public decimal GrossGrams { get; }
    /// <summary>Parts of gold in 1,000.</summary>
    public decimal Fineness { get; }
    /// <summary>The gold in the bar: its weight times its fineness, in grams.</summary>
    public decimal FineGrams { get; }
  }

  /// <summary>The public key as a JWK.</summary>
  public sealed class SigningKeyRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="kty">The type of the key.</param>
    /// <param name="crv">The curve of the key.</param>
    /// <param name="x">The x coordinate of the public key.</param>
    /// <param name="y">The y coordinate of the public key.</param>
    public SigningKeyRequest(string kty, string crv, string x, string y) =>
      (Kty, Crv, X, Y) = (kty, crv, x, y);

    /// <summary>The type of the key.</summary>
    public string Kty { get; set; }
    /// <summary>The curve of the key.</summary>
    public string Crv { get; set; }
    /// <summary>The x coordinate of the public key.</summary>
    public string X { get; set; }
    /// <summary>The y coordinate of the public key.</summary>
    public string Y { get; set; }
    /// <summary>Your own name for the key.</summary>
    public string? Kid { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteString("kty", Call.Given("kty", Kty));
      json.WriteString("crv", Call.Given("crv", Crv));
      json.WriteString("x", Call.Given("x", X));
      json.WriteString("y", Call.Given("y", Y));
      if (Kid is string kid) json.WriteString("kid", kid);
    }
  }

  /// <summary>A simulated bank transfer to your account.</summary>
  public sealed class SimulateDepositRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="amountSar">
    /// SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string, such as
    /// "10.50", means the same as the number.
    /// </param>
    public SimulateDepositRequest(decimal amountSar) => AmountSar = amountSar;

    /// <summary>
    /// SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string, such as
    /// "10.50", means the same as the number.
    /// </summary>
    public decimal AmountSar { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteNumber("amount_sar", Call.Sar("amount_sar", AmountSar));
    }
  }

  /// <summary>One of your fundings that came from a simulated bank transfer.</summary>
  public sealed class SimulateDepositReversalRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="fundingId">The funding.</param>
    public SimulateDepositReversalRequest(string fundingId) => FundingId = fundingId;

    /// <summary>The funding.</summary>
    public string FundingId { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteString("funding_id", Call.Given("funding_id", FundingId));
    }
  }

  /// <summary>An event that otherwise only the operator's people or the calendar cause.</summary>
  public sealed class SimulateEventRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="type">
    /// credential.added: a client secret that nobody knows is registered for you, and ends in 90 days.
    /// credential.expiring: such a secret is registered that ends in a day. credential.ended: such a secret ends now.
    /// settlement.changed, webhook_endpoint.changed: your IBAN or your webhook URL is registered again and stays the
    /// same. day.closed: your newest past day that is open is closed.
    /// </param>
    public SimulateEventRequest(string type) => Type = type;

    /// <summary>
    /// credential.added: a client secret that nobody knows is registered for you, and ends in 90 days.
    /// credential.expiring: such a secret is registered that ends in a day. credential.ended: such a secret ends now.
    /// settlement.changed, webhook_endpoint.changed: your IBAN or your webhook URL is registered again and stays the
    /// same. day.closed: your newest past day that is open is closed.
    /// </summary>
    public string Type { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteString("type", Call.Given("type", Type));
    }
  }

  /// <summary>What happens to your next requests.</summary>
  public sealed class SimulateFailureRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="kind">
    /// rate_limited, unavailable, timeout: the request is not executed and gets 429 rate_limited, 503
    /// service_unavailable or 504 upstream_timeout. refused: the request is not executed and gets the <c>code</c>.
    /// hang: the request is executed, and its reply comes after <c>seconds</c>. lost_reply: the request is executed,
    /// and the service closes the connection instead of replying; you get 503 upstream_unavailable from the proxy.
    /// </param>
    public SimulateFailureRequest(string kind) => Kind = kind;

    /// <summary>
    /// rate_limited, unavailable, timeout: the request is not executed and gets 429 rate_limited, 503
    /// service_unavailable or 504 upstream_timeout. refused: the request is not executed and gets the <c>code</c>.
    /// hang: the request is executed, and its reply comes after <c>seconds</c>. lost_reply: the request is executed,
    /// and the service closes the connection instead of replying; you get 503 upstream_unavailable from the proxy.
    /// </summary>
    public string Kind { get; set; }
    /// <summary>
    /// Only with refused. The next request to an operation that documents this code gets it; other requests are
    /// served.
    /// </summary>
    public string? Code { get; set; }
    /// <summary>Only with hang.</summary>
    public long? Seconds { get; set; }
    /// <summary>How many requests.</summary>
    public long? Count { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteString("kind", Call.Given("kind", Kind));
      if (Code is string code) json.WriteString("code", code);
      if (Seconds is long seconds) json.WriteNumber("seconds", seconds);
      if (Count is long count) json.WriteNumber("count", count);
    }
  }

  /// <summary>A state of the market, which only you see.</summary>
  public sealed class SimulateMarketRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="state">
    /// closed: quotes get market_closed. price_stale: quotes get price_unavailable. vault_short: buy orders get
    /// insufficient_inventory. withdrawals_spent: withdrawals get withdrawal_limit_exceeded. normal: ends the
    /// simulation.
    /// </param>
    public SimulateMarketRequest(string state) => State = state;

    /// <summary>
    /// closed: quotes get market_closed. price_stale: quotes get price_unavailable. vault_short: buy orders get
    /// insufficient_inventory. withdrawals_spent: withdrawals get withdrawal_limit_exceeded. normal: ends the
    /// simulation.
    /// </summary>
    public string State { get; set; }
    /// <summary>For how long.</summary>
    public long? Seconds { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteString("state", Call.Given("state", State));
      if (Seconds is long seconds) json.WriteNumber("seconds", seconds);
    }
  }

  /// <summary>A change of prices, which only you see.</summary>
  public sealed class SimulatePricesRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="percent">
    /// By how many percent your prices rise, or fall if the value is negative. Must not be 0.
    /// </param>
    public SimulatePricesRequest(long percent) => Percent = percent;

    /// <summary>By how many percent your prices rise, or fall if the value is negative. Must not be 0.</summary>
    public long Percent { get; set; }
    /// <summary>For how long.</summary>
    public long? Seconds { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteNumber("percent", Percent);
      if (Seconds is long seconds) json.WriteNumber("seconds", seconds);
    }
  }

  /// <summary>One of your quotes, which expires now.</summary>
  public sealed class SimulateQuoteExpiryRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="quoteId">The quote.</param>
    public SimulateQuoteExpiryRequest(string quoteId) => QuoteId = quoteId;

    /// <summary>The quote.</summary>
    public string QuoteId { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteString("quote_id", Call.Given("quote_id", QuoteId));
    }
  }

  /// <summary>How your next events are delivered to your webhook endpoint.</summary>
  public sealed class SimulateWebhooksRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="kind">
    /// twice: each event is sent twice. late: each event is sent <c>seconds</c> late. out_of_order: every other
    /// event, beginning with the next one, is sent 5 seconds late, so that the event after it overtakes it.
    /// other_secret: the first attempt of each event is signed with the other secret alone.
    /// </param>
    public SimulateWebhooksRequest(string kind) => Kind = kind;

    /// <summary>
    /// twice: each event is sent twice. late: each event is sent <c>seconds</c> late. out_of_order: every other
    /// event, beginning with the next one, is sent 5 seconds late, so that the event after it overtakes it.
    /// other_secret: the first attempt of each event is signed with the other secret alone.
    /// </summary>
    public string Kind { get; set; }
    /// <summary>How many events.</summary>
    public long? Count { get; set; }
    /// <summary>Only with late.</summary>
    public long? Seconds { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteString("kind", Call.Given("kind", Kind));
      if (Count is long count) json.WriteNumber("count", count);
      if (Seconds is long seconds) json.WriteNumber("seconds", seconds);
    }
  }

  /// <summary>One of your withdrawals, and the status that it should reach.</summary>
  public sealed class SimulateWithdrawalRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="withdrawalId">The withdrawal.</param>
    /// <param name="outcome">
    /// The status to reach. The withdrawal also takes all earlier steps, each with its event.
    /// </param>
    public SimulateWithdrawalRequest(string withdrawalId, string outcome) =>
      (WithdrawalId, Outcome) = (withdrawalId, outcome);

    /// <summary>The withdrawal.</summary>
    public string WithdrawalId { get; set; }
    /// <summary>The status to reach. The withdrawal also takes all earlier steps, each with its event.</summary>
    public string Outcome { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteString("withdrawal_id", Call.Given("withdrawal_id", WithdrawalId));
      json.WriteString("outcome", Call.Given("outcome", Outcome));
    }
  }

  /// <summary>The event that happened, without its data.</summary>
  public sealed class SimulatedEvent {
    internal SimulatedEvent(Json json) {
      Id = json.Get("id", Json.Text);
      Type = json.Get("type", Json.Text);
      Sequence = json.Get("sequence", Json.Integer);
      CreatedAt = json.Get("created_at", Json.Instant);
    }

    /// <summary>The event.</summary>
    public string Id { get; }
    /// <summary>Its type. Values may be added.</summary>
    public string Type { get; }
    /// <summary>Its number among your events.</summary>
    public long Sequence { get; }
    /// <summary>When it happened.</summary>
    public DateTimeOffset CreatedAt { get; }
  }

  /// <summary>Your active simulations; a member is null if there is no such simulation.</summary>
  public sealed class Simulations {
    internal Simulations(Json json) {
      Market = json.Find("market", Json.Object(each => new SimulationsMarket(each)));
      Prices = json.Find("prices", Json.Object(each => new SimulationsPrices(each)));
      Failure = json.Find("failure", Json.Object(each => new SimulationsFailure(each)));
      Webhooks = json.Find("webhooks", Json.Object(each => new SimulationsWebhooks(each)));
    }

    /// <summary>The state of the market that is simulated; null: none.</summary>
    public SimulationsMarket? Market { get; }
    /// <summary>The change of prices that is simulated; null: none.</summary>
    public SimulationsPrices? Prices { get; }
    /// <summary>What happens to your next requests; null: nothing.</summary>
    public SimulationsFailure? Failure { get; }
    /// <summary>What happens to the delivery of your next events; null: nothing.</summary>
    public SimulationsWebhooks? Webhooks { get; }
  }

  /// <summary>Simulations market.</summary>
  public sealed class SimulationsMarket {
    internal SimulationsMarket(Json json) {
      State = json.Get("state", Json.Text);
      Until = json.Get("until", Json.Instant);
    }

    /// <summary>The state of your market. Values may be added.</summary>
    public string State { get; }
    /// <summary>When the simulation ends by itself.</summary>
    public DateTimeOffset Until { get; }
  }

  /// <summary>Simulations prices.</summary>
  public sealed class SimulationsPrices {
    internal SimulationsPrices(Json json) {
      Percent = json.Get("percent", Json.Integer);
      Until = json.Get("until", Json.Instant);
    }

    /// <summary>By how much your prices are higher, or lower if negative.</summary>
    public long Percent { get; }
    /// <summary>When the simulation ends by itself.</summary>
    public DateTimeOffset Until { get; }
  }

  /// <summary>Simulations failure.</summary>
  public sealed class SimulationsFailure {
    internal SimulationsFailure(Json json) {
      Kind = json.Get("kind", Json.Text);
      Code = json.Find("code", Json.Text);
      Seconds = json.FindValue("seconds", Json.Integer);
      Remaining = json.Get("remaining", Json.Integer);
      Until = json.Get("until", Json.Instant);
    }

    /// <summary>What happens to the requests. Values may be added.</summary>
    public string Kind { get; }
    /// <summary>The error code that they get; null: they are executed.</summary>
    public string? Code { get; }
    /// <summary>How long a reply is delayed; null: not at all.</summary>
    public long? Seconds { get; }
    /// <summary>How many more requests it affects.</summary>
    public long Remaining { get; }
    /// <summary>When the simulation ends by itself.</summary>
    public DateTimeOffset Until { get; }
  }

  /// <summary>Simulations webhooks.</summary>
  public sealed class SimulationsWebhooks {
    internal SimulationsWebhooks(Json json) {
      Kind = json.Get("kind", Json.Text);
      Seconds = json.FindValue("seconds", Json.Integer);
      Remaining = json.Get("remaining", Json.Integer);
      Until = json.Get("until", Json.Instant);
    }

    /// <summary>What happens to the events. Values may be added.</summary>
    public string Kind { get; }
    /// <summary>How long an event is delayed; null: not at all.</summary>
    public long? Seconds { get; }
    /// <summary>How many more events it affects.</summary>
    public long Remaining { get; }
    /// <summary>When the simulation ends by itself.</summary>
    public DateTimeOffset Until { get; }
  }

  /// <summary>Every posting between two days.</summary>
  public sealed class Statement {
    internal Statement(Json json) {
      From = json.Get("from", Json.Date);
      To = json.Get("to", Json.Date);
      TimeZone = json.Get("time_zone", Json.Text);
      OpeningBalance = json.Get("opening_balance", Json.Object(each => new StatementBalance(each)));
      ClosingBalance = json.Get("closing_balance", Json.Object(each => new StatementBalance(each)));
      Postings = json.Get("postings", Json.List(Json.Object(each => new StatementPosting(each))));
    }

    /// <summary>The first day.</summary>
    public DateTime From { get; }
    /// <summary>The last day.</summary>
    public DateTime To { get; }
    /// <summary>The time zone of the days.</summary>
    public string TimeZone { get; }
    /// <summary>The balances before the first day.</summary>
    public StatementBalance OpeningBalance { get; }
    /// <summary>The balances after the last day, or the current balances if that day has not ended.</summary>
    public StatementBalance ClosingBalance { get; }
    /// <summary>Every posting, oldest first: opening balance and changes add up to the closing balance.</summary>
    public IReadOnlyList<StatementPosting> Postings { get; }
  }

  /// <summary>Statement posting.</summary>
  public sealed class StatementPosting {
    internal StatementPosting(Json json) {
      PostedAt = json.Get("posted_at", Json.Instant);
      Id = json.Get("id", Json.Text);
      Type = json.Get("type", Json.Text);
      Account = json.Get("account", Json.Text);
      Change = json.Get("change", Json.Decimal);
      BalanceAfter = json.Get("balance_after", Json.Decimal);
      Reference = json.Find("reference", Json.Text);
      AccountLabel = json.Find("account_label", Json.Text);
      ReservesListId = json.Find("reserves_list_id", Json.Text);
    }

    /// <summary>When the posting was booked.</summary>
    public DateTimeOffset PostedAt { get; }
    /// <summary>The order, funding or withdrawal that caused the posting.</summary>
    public string Id { get; }
    /// <summary>What caused the posting, such as order.executed or withdrawal.returned.</summary>
    public string Type { get; }
    /// <summary>The balance that changed; its name tells the unit.</summary>
    public string Account { get; }
    /// <summary>In the account's unit; negative for a decrease.</summary>
    public decimal Change { get; }
    /// <summary>In the account's unit.</summary>
    public decimal BalanceAfter { get; }
    /// <summary>The reference of the order or withdrawal; absent if it has none. Empty in CSV.</summary>
    public string? Reference { get; }
    /// <summary>Your own customer, account or desk; absent if you sent none.</summary>
    public string? AccountLabel { get; }
    /// <summary>
    /// The list of bars that the order names; absent for other postings and for orders before 0.4.0.
    /// </summary>
    public string? ReservesListId { get; }
  }

  /// <summary>The account's three balances.</summary>
  public sealed class StatementBalance {
    internal StatementBalance(Json json) {
      AvailableSar = json.Get("available_sar", Json.Decimal);
      HeldSar = json.Get("held_sar", Json.Decimal);
      GoldGrams = json.Get("gold_grams", Json.Decimal);
    }

    /// <summary>SAR that can be traded or withdrawn.</summary>
    public decimal AvailableSar { get; }
    /// <summary>SAR of withdrawals that are not yet paid.</summary>
    public decimal HeldSar { get; }
    /// <summary>Gold in grams, at most 4 decimals.</summary>
    public decimal GoldGrams { get; }
  }

  /// <summary>An endpoint that gets your events.</summary>
  public sealed class WebhookEndpoint {
    internal WebhookEndpoint(Json json) {
      Endpoint = json.Get("endpoint", Json.Integer);
      Url = json.Get("url", Json.Text);
      Types = json.Find("types", Json.List(Json.Text));
      DeliveredTo = json.Get("delivered_to", Json.Integer);
      Status = json.Get("status", Json.Text);
      Failures = json.Get("failures", Json.Integer);
      RestsUntil = json.FindValue("rests_until", Json.Instant);
      DisabledAt = json.FindValue("disabled_at", Json.Instant);
    }

    /// <summary>The number of the endpoint, from 1. It never becomes the number of another endpoint.</summary>
    public long Endpoint { get; }
    /// <summary>Where your events are sent.</summary>
    public string Url { get; }
    /// <summary>The types of events that the endpoint gets; null: all. It gets webhook.test in any case.</summary>
    public IReadOnlyList<string>? Types { get; }
    /// <summary>
    /// A sequence number. Of the events up to it that the endpoint gets, each was delivered, is retried on its own,
    /// or is parked.
    /// </summary>
    public long DeliveredTo { get; }
    /// <summary>
    /// working: the last attempt was accepted. failing: the last attempts failed. disabled: your endpoint answered
    /// 410; request a test event to enable it. Values may be added.
    /// </summary>
    public string Status { get; }
    /// <summary>How many attempts failed since the last accepted one.</summary>
    public long Failures { get; }
    /// <summary>Until when nothing is sent after failed attempts; null if events are sent.</summary>
    public DateTimeOffset? RestsUntil { get; }
    /// <summary>When your endpoint was disabled; null if it is not.</summary>
    public DateTimeOffset? DisabledAt { get; }
  }

  /// <summary>A further webhook endpoint.</summary>
  public sealed class WebhookEndpointRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="url">Where events are to be sent.</param>
    public WebhookEndpointRequest(string url) => Url = url;

    /// <summary>Where events are to be sent.</summary>
    public string Url { get; set; }
    /// <summary>The types of events that the endpoint gets. Without it: all.</summary>
    public IReadOnlyList<string>? Types { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteString("url", Call.Given("url", Url));
      if (Types is IReadOnlyList<string> types) {
        json.WriteStartArray("types");
        foreach (var each in types) json.WriteStringValue(each);
        json.WriteEndArray();
      }
    }
  }

  /// <summary>An event. Types may be added; acknowledge types that you do not know.</summary>
  public sealed class WebhookEvent {
    internal WebhookEvent(Json json) {
      Type = json.Get("type", Json.Text);
      Id = json.Get("id", Json.Text);
      Sequence = json.Get("sequence", Json.Integer);
      CreatedAt = json.Get("created_at", Json.Instant);
      Environment = json.Find("environment", Json.Text);
      ApiVersion = json.Find("api_version", Json.Text);
      Data = json.Get("data", Json.Object(each => new EventData(each)));
      PreviousSequence = json.FindValue("previous_sequence", Json.Integer);
      ClientId = json.Find("client_id", Json.Text);
    }

    /// <summary>What happened. Values may be added.</summary>
    public string Type { get; }
    /// <summary>The id: evt_ and a UUIDv7.</summary>
    public string Id { get; }
    /// <summary>
    /// The number of the event, counted per partner without gaps. An endpoint with a filter does not get every
    /// number: see previous_sequence.
    /// </summary>
    public long Sequence { get; }
    /// <summary>When the event occurred.</summary>
    public DateTimeOffset CreatedAt { get; }
    /// <summary>The environment of the service. Not in events from before 0.7.0. Values may be added.</summary>
    public string? Environment { get; }
    /// <summary>
    /// The version of this API, as info.version of the description. Not in events from before 0.7.0.
    /// </summary>
    public string? ApiVersion { get; }
    /// <summary>See <see cref="EventData"/>.</summary>
    public EventData Data { get; }
    /// <summary>
    /// The number of the event before this one among those that this endpoint gets. Process this event after that
    /// one. Null: process it at once, because there is none before it, or because the types of the endpoint have
    /// changed since. Without a filter it is sequence - 1. Only in webhooks of 0.7.0 and later, not in the event
    /// stream nor in GET /v1/events.
    /// </summary>
    public long? PreviousSequence { get; }
    /// <summary>
    /// The client_id of the partner whose endpoint this is: yours. Refuse an event that names another one. Only in
    /// webhooks of 0.7.0 and later, not in the event stream nor in GET /v1/events.
    /// </summary>
    public string? ClientId { get; }
  }

  /// <summary>An outgoing payment. If it is rejected, returned or cancelled, the amount is available again.</summary>
  public sealed class Withdrawal {
    internal Withdrawal(Json json) {
      WithdrawalId = json.Get("withdrawal_id", Json.Text);
      AmountSar = json.Get("amount_sar", Json.Decimal);
      Reference = json.Find("reference", Json.Text);
      IbanMasked = json.Get("iban_masked", Json.Text);
      Status = json.Get("status", Json.Text);
      CreatedAt = json.Get("created_at", Json.Instant);
      AccountLabel = json.Find("account_label", Json.Text);
      BankReference = json.Find("bank_reference", Json.Text);
      ExpectedOn = json.FindValue("expected_on", Json.Date);
    }

    /// <summary>The id: wd_ and a UUIDv7.</summary>
    public string WithdrawalId { get; }
    /// <summary>The SAR to pay out, at most 2 decimals.</summary>
    public decimal AmountSar { get; }
    /// <summary>Your own reference, or null if you sent none.</summary>
    public string? Reference { get; }
    /// <summary>
    /// The first and last four characters of the IBAN that was registered at the time of the request.
    /// </summary>
    public string IbanMasked { get; }
    /// <summary>
    /// pending_approval: the operator has not decided. approved, submitted: on its way to the bank. paid: done.
    /// rejected, returned: the amount is available again. cancelled: you cancelled it, and the amount is available
    /// again. Values may be added.
    /// </summary>
    public string Status { get; }
    /// <summary>When you requested the withdrawal.</summary>
    public DateTimeOffset CreatedAt { get; }
    /// <summary>Your own customer, account or desk; absent if you sent none.</summary>
    public string? AccountLabel { get; }
    /// <summary>
    /// The reference of the payment at the banks (EndToEndId), with which your bank finds it; null until the payment
    /// is submitted.
    /// </summary>
    public string? BankReference { get; }
    /// <summary>
    /// The day on which the operator's bank is to pay, in Asia/Riyadh; null until the payment is submitted.
    /// </summary>
    public DateTime? ExpectedOn { get; }
  }

  /// <summary>The withdrawal, and the account's balances right after the request.</summary>
  public sealed class WithdrawalCreated {
    internal WithdrawalCreated(Json json) {
      WithdrawalId = json.Get("withdrawal_id", Json.Text);
      AmountSar = json.Get("amount_sar", Json.Decimal);
      Reference = json.Find("reference", Json.Text);
      IbanMasked = json.Get("iban_masked", Json.Text);
      Status = json.Get("status", Json.Text);
      CreatedAt = json.Get("created_at", Json.Instant);
      AccountLabel = json.Find("account_label", Json.Text);
      Balances = json.Get("balances", Json.Object(each => new Balances(each)));
    }

    /// <summary>The id: wd_ and a UUIDv7.</summary>
    public string WithdrawalId { get; }
    /// <summary>The SAR to pay out, at most 2 decimals.</summary>
    public decimal AmountSar { get; }
    /// <summary>Your own reference, or null if you sent none.</summary>
    public string? Reference { get; }
    /// <summary>
    /// The first and last four characters of the IBAN that was registered at the time of the request.
    /// </summary>
    public string IbanMasked { get; }
    /// <summary>
    /// pending_approval: the operator has not decided. approved, submitted: on its way to the bank. paid: done.
    /// rejected, returned: the amount is available again. cancelled: you cancelled it, and the amount is available
    /// again. Values may be added.
    /// </summary>
    public string Status { get; }
    /// <summary>When you requested the withdrawal.</summary>
    public DateTimeOffset CreatedAt { get; }
    /// <summary>Your own customer, account or desk; absent if you sent none.</summary>
    public string? AccountLabel { get; }
    /// <summary>See <see cref="Balances"/>.</summary>
    public Balances Balances { get; }
  }

  /// <summary>Pays SAR out to the registered IBAN, once the operator has approved it.</summary>
  public sealed class WithdrawalRequest : IRequest {
    /// <summary>With the required members alone.</summary>
    /// <param name="amountSar">
    /// SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string, such as
    /// "10.50", means the same as the number.
    /// </param>
    public WithdrawalRequest(decimal amountSar) => AmountSar = amountSar;

    /// <summary>
    /// SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string, such as
    /// "10.50", means the same as the number.
    /// </summary>
    public decimal AmountSar { get; set; }
    /// <summary>
    /// Your own reference. It is sent to the bank with the transfer, so it has 35 characters at most (a UUID fits
    /// without its hyphens). You can use a reference again only after its withdrawal was rejected, returned or
    /// cancelled.
    /// </summary>
    public string? Reference { get; set; }
    /// <summary>Your own customer, account or desk. All labels share your one balance.</summary>
    public string? AccountLabel { get; set; }

    void IRequest.Write(Utf8JsonWriter json) {
      json.WriteNumber("amount_sar", Call.Sar("amount_sar", AmountSar));
      if (Reference is string reference) json.WriteString("reference", reference);
      if (AccountLabel is string accountLabel) json.WriteString("account_label", accountLabel);
    }
  }

  /// <summary>Which part of the last 24 hours.</summary>
  public sealed class PriceHistoryQuery : IQuery {
    /// <summary>
    /// Only bars that begin strictly later. RFC 3339 with any offset; decimals after the third are cut. A date is the
    /// beginning of that day in Asia/Riyadh.
    /// </summary>
    public DateTimeOffset? After { get; set; }

    IReadOnlyList<(string Name, object? Value)> IQuery.Parameters => new (string, object?)[] {
      ("after", After),
    };
  }

  /// <summary>
  /// Which part of a list. With reference or account_label, a page searches 10,000 of your event numbers, so it can
  /// have few items or none although next_cursor is set. Continue until next_cursor is null.
  /// </summary>
  public sealed class FilteredListQuery : IQuery {
    /// <summary>The maximum number of items in the page.</summary>
    public long? Limit { get; set; }
    /// <summary>cursor must be the next_cursor of the previous page, unchanged.</summary>
    public string? Cursor { get; set; }
    /// <summary>
    /// Only items that were created strictly later. RFC 3339 with any offset; decimals after the third are cut. A
    /// date is the beginning of that day in Asia/Riyadh.
    /// </summary>
    public DateTimeOffset? CreatedAfter { get; set; }
    /// <summary>
    /// Only items that were created strictly earlier. RFC 3339 with any offset; decimals after the third are cut. A
    /// date is the beginning of that day in Asia/Riyadh.
    /// </summary>
    public DateTimeOffset? CreatedBefore { get; set; }
    /// <summary>
    /// Only items that were created with this key, to find the result of a write whose reply was lost.
    /// </summary>
    public string? IdempotencyKey { get; set; }
    /// <summary>Only items with this reference. The text must match exactly, in every code point.</summary>
    public string? Reference { get; set; }
    /// <summary>Only items with this account_label. The text must match exactly, in every code point.</summary>
    public string? AccountLabel { get; set; }

    IReadOnlyList<(string Name, object? Value)> IQuery.Parameters => new (string, object?)[] {
      ("limit", Limit),
      ("cursor", Cursor),
      ("created_after", CreatedAfter),
      ("created_before", CreatedBefore),
      ("idempotency_key", IdempotencyKey),
      ("reference", Reference),
      ("account_label", AccountLabel),
    };
  }

  /// <summary>Selects a part of a list.</summary>
  public sealed class ListQuery : IQuery {
    /// <summary>The maximum number of items in the page.</summary>
    public long? Limit { get; set; }
    /// <summary>cursor must be the next_cursor of the previous page, unchanged.</summary>
    public string? Cursor { get; set; }
    /// <summary>
    /// Only items that were created strictly later. RFC 3339 with any offset; decimals after the third are cut. A
    /// date is the beginning of that day in Asia/Riyadh.
    /// </summary>
    public DateTimeOffset? CreatedAfter { get; set; }
    /// <summary>
    /// Only items that were created strictly earlier. RFC 3339 with any offset; decimals after the third are cut. A
    /// date is the beginning of that day in Asia/Riyadh.
    /// </summary>
    public DateTimeOffset? CreatedBefore { get; set; }
    /// <summary>
    /// Only items that were created with this key, to find the result of a write whose reply was lost.
    /// </summary>
    public string? IdempotencyKey { get; set; }

    IReadOnlyList<(string Name, object? Value)> IQuery.Parameters => new (string, object?)[] {
      ("limit", Limit),
      ("cursor", Cursor),
      ("created_after", CreatedAfter),
      ("created_before", CreatedBefore),
      ("idempotency_key", IdempotencyKey),
    };
  }

  /// <summary><c>at</c>: any past instant. If you omit it, the reply has the current balances.</summary>
  public sealed class BalancesQuery : IQuery {
    /// <summary>
    /// A past instant. If you omit it, the reply has the current balances. RFC 3339 with any offset; decimals after
    /// the third are cut. A date is the beginning of that day in Asia/Riyadh.
    /// </summary>
    public DateTimeOffset? At { get; set; }

    IReadOnlyList<(string Name, object? Value)> IQuery.Parameters => new (string, object?)[] {
      ("at", At),
    };
  }

  /// <summary>Where to continue reading.</summary>
  public sealed class EventsQuery : IQuery {
    /// <summary>Only events after this sequence number.</summary>
    public long? After { get; set; }
    /// <summary>The maximum number of items in the page.</summary>
    public long? Limit { get; set; }

    IReadOnlyList<(string Name, object? Value)> IQuery.Parameters => new (string, object?)[] {
      ("after", After),
      ("limit", Limit),
    };
  }

  /// <summary>Days in Asia/Riyadh, both included. A day that has not ended is included up to now.</summary>
  public sealed class StatementQuery : IQuery {
    /// <summary>With the required members alone.</summary>
    /// <param name="from">The first day. The span has no limit.</param>
    /// <param name="to">The last day. For one day, send the same date as in <c>from</c>.</param>
    public StatementQuery(DateTime from, DateTime to) =>
      (From, To) = (from, to);

    /// <summary>The first day. The span has no limit.</summary>
    public DateTime From { get; set; }
    /// <summary>The last day. For one day, send the same date as in <c>from</c>.</summary>
    public DateTime To { get; set; }

    IReadOnlyList<(string Name, object? Value)> IQuery.Parameters => new (string, object?)[] {
      ("from", From),
      ("to", To),
    };
  }
}
