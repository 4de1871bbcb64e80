// Written by npm run docs from the schemas of the service. Do not edit.
import type { Grams, Sar, SarPerGram } from "./quantity.ts";

/** What is registered for you, and what it may do. */
export interface Account {
  /** Your client_id. */
  client_id: string;
  /** Your name, as it is registered. */
  name: string;
  /** The environment of the service. Values may be added. */
  environment: "sandbox" | "production" | (string & Record<never, never>);
  /** A suspended account gets partner_suspended at every request. Values may be added. */
  status: "active" | "suspended" | (string & Record<never, never>);
  /** When you were registered. */
  created_at: string;
  /** The addresses from which your requests are accepted, as CIDR. */
  ip_ranges: Array<string>;
  /** Where your withdrawals are paid. */
  settlement: {
    /** The IBAN of your withdrawals, without its middle characters. */
    iban_masked: string;
    /** Until when withdrawals are not paid, because the IBAN has changed; null if they are. */
    payouts_held_until: string | null;
  };
  /** Where your events are sent, at most five endpoints; empty if nowhere. */
  webhook_endpoints: Array<WebhookEndpoint>;
  credentials: Credentials;
  limits: Limits;
}

/**
 * A change of what is registered for you. Nothing changes until the operator approves it. In production,
 * that takes two people.
 */
export interface AccountChange {
  /** The id: chg_ and a UUIDv7. */
  change_id: string;
  /** What is to change; the member with this name has the content. Values may be added. */
  kind:
    | "signing_key"
    | "certificate_request"
    | "ip_range"
    | "webhook_endpoint"
    | (string & Record<never, never>);
  /**
   * requested: waits for the operator. proposed: waits for the operator's second person. approved: in
   * force. declined: ended without effect. Values may be added.
   */
  status: "requested" | "proposed" | "approved" | "declined" | (string & Record<never, never>);
  /** When you requested the change. */
  requested_at: string;
  /** When the change was approved or declined; null if it is open. */
  decided_at: string | null;
  /** Why the change was declined; null if it was not. */
  reason: string | null;
  /** The certificate as PEM, as long as it is active; null in any other case. */
  certificate: string | null;
  signing_key?: RequestedSigningKey | undefined;
  /** The certificate request as PEM. */
  certificate_request?: string | undefined;
  /** The requested address or range. */
  ip_range?: string | undefined;
  webhook_endpoint?: RequestedWebhookEndpoint | undefined;
}

/** Your newest 50 changes, newest first. */
export interface AccountChanges {
  /** The changes. */
  items: Array<AccountChange>;
}

/** The account at one instant. */
export interface Balances {
  /** Your money. */
  sar: {
    /** SAR that can be traded or withdrawn. */
    available: Sar;
    /** SAR of withdrawals that are not yet paid. */
    held: Sar;
  };
  /** Your gold. */
  gold: {
    /** Grams of gold, at most 4 decimals. */
    grams: Grams;
    /**
     * Your gold as a share of the list of bars in force at as_of. Only GET /v1/balances has it, and not for
     * instants before the first list.
     */
    reserves?: {
      /**
       * The id of a list of bars: lst_ and its number. GET /v1/reserves/lists/{reserves_list_id} gives the
       * list.
       */
      reserves_list_id: string;
      /** Gold in all bars of the list. */
      fine_grams: Grams;
      /** Your gold divided by fine_grams, as a decimal rounded down to 12 decimals. */
      share: string;
    } | undefined;
  };
  /** The instant of these balances. */
  as_of: string;
}

/** The values that you need to compute the lines of your hash chain. */
export interface ChainKey {
  /** Your number in the lines of your hash chain. */
  client_number: number;
  /** Your chain key: 32 bytes in lower-case hex. The salts of your lines are derived from it. */
  chain_key: string;
}

/** Exactly one of signing_key, certificate_request, ip_range, webhook_endpoint. */
export type ChangeRequest = {
  readonly signing_key: SigningKeyRequest;
  readonly certificate_request?: undefined;
  readonly ip_range?: undefined;
  readonly webhook_endpoint?: undefined;
} | {
  /** A certificate request (PKCS #10) as PEM. */
  readonly certificate_request: string;
  readonly signing_key?: undefined;
  readonly ip_range?: undefined;
  readonly webhook_endpoint?: undefined;
} | {
  /** An IP address or a CIDR range: at most a /16, for IPv6 a /32. */
  readonly ip_range: string;
  readonly signing_key?: undefined;
  readonly certificate_request?: undefined;
  readonly webhook_endpoint?: undefined;
} | {
  readonly webhook_endpoint: WebhookEndpointRequest;
  readonly signing_key?: undefined;
  readonly certificate_request?: undefined;
  readonly ip_range?: undefined;
};

/** Your credentials, never their values. */
export interface Credentials {
  /** Your client certificates. */
  certificates: Array<{
    /** SHA-256 of the certificate (DER), lower-case hex. */
    sha256: string;
    /** When the certificate expires (notAfter). */
    expires_at: string;
    /** When the operator revoked the certificate; null if it is not revoked. */
    revoked_at: string | null;
    /** From when the service accepts the credential. */
    not_before: string;
    /** When the service stops accepting the credential; null if no end is planned. */
    retire_at: string | null;
    /** When the credential was last used, recorded at most once a minute; null if never. */
    last_used_at: string | null;
  }>;
  /** The public keys that verify your signatures. */
  signing_keys: Array<{
    /** The name that the protected header may give as `kid`. */
    kid: string;
    /** The key's RFC 7638 thumbprint. The protected header may also give this value as `kid`. */
    thumbprint: string;
    /** From when the service accepts the credential. */
    not_before: string;
    /** When the service stops accepting the credential; null if no end is planned. */
    retire_at: string | null;
    /** When the credential was last used, recorded at most once a minute; null if never. */
    last_used_at: string | null;
  }>;
  /** The secrets with which you fetch tokens. */
  client_secrets: Array<{
    /** The secret's name, not its value. */
    secret_id: string;
    /** From when the service accepts the credential. */
    not_before: string;
    /** When the service stops accepting the credential; null if no end is planned. */
    retire_at: string | null;
    /** When the credential was last used, recorded at most once a minute; null if never. */
    last_used_at: string | null;
  }>;
  /** The secrets that sign your webhooks. Each endpoint has its own. */
  webhook_secrets: Array<{
    /** The secret's name, not its value. */
    secret_id: string;
    /** The number of the endpoint whose webhooks the secret signs, as GET /v1/account shows it. */
    endpoint: number;
    /** From when the service accepts the credential. */
    not_before: string;
    /** When the service stops accepting the credential; null if no end is planned. */
    retire_at: string | null;
    /** When the credential was last used, recorded at most once a minute; null if never. */
    last_used_at: string | null;
  }>;
}

/**
 * The attempts to deliver an event to the first of the endpoints that get it. `deliveries` has all of
 * them.
 */
export interface Delivery {
  /**
   * pending: not delivered yet. delivered: your endpoint has accepted it. parked: the service has stopped
   * trying; redeliver it by hand. filtered, only in `delivery`: no endpoint gets it. Values may be added.
   */
  status: "pending" | "delivered" | "parked" | "filtered" | (string & Record<never, never>);
  /** When the event is sent next; null if that is not planned. */
  next_attempt_at: string | null;
  /** The attempts so far, oldest first. */
  attempts: Array<DeliveryAttempt>;
}

/** One attempt to deliver an event. */
export interface DeliveryAttempt {
  /** When the attempt began. */
  attempted_at: string;
  /** The status of the HTTP reply; null if no reply arrived. */
  http_status: number | null;
  /** How long the attempt took, in milliseconds. */
  duration_ms: number;
  /**
   * Why the attempt failed; null if your endpoint accepted the event. dns: your host's name has no
   * address. address: the service may not send to its address. refused: no connection. tls_untrusted: TLS
   * failed, for example because the certificate is not trusted. timeout: no reply in time. reset: the
   * connection ended, or the reply was not HTTP. status: a reply other than 2xx.
   */
  cause:
    | "dns"
    | "address"
    | "refused"
    | "tls_untrusted"
    | "timeout"
    | "reset"
    | "status"
    | "other"
    | (string & Record<never, never>)
    | null;
}

/** The attempts to deliver an event to one endpoint. */
export interface EndpointDelivery extends Delivery {
  /** The number of the endpoint, as GET /v1/account shows it. */
  endpoint: number;
}

/** What depends on the type. */
type AccountEventCase = {
  /** What happened. Values may be added. */
  type: "order.executed";
  data: {
    order: Order;
    /**
     * The head of your hash chain at this event. Store it: with it you can prove your history up to this
     * event.
     */
    chain_head: string;
  };
} | {
  /** What happened. Values may be added. */
  type:
    | "withdrawal.created"
    | "withdrawal.approved"
    | "withdrawal.submitted"
    | "withdrawal.paid"
    | "withdrawal.rejected"
    | "withdrawal.returned"
    | "withdrawal.cancelled";
  data: {
    withdrawal: Withdrawal;
    /**
     * The head of your hash chain at this event. Store it: with it you can prove your history up to this
     * event.
     */
    chain_head: string;
  };
} | {
  /** What happened. Values may be added. */
  type: "funding.completed" | "funding.reversed";
  data: {
    funding: Funding;
    /**
     * The head of your hash chain at this event. Store it: with it you can prove your history up to this
     * event.
     */
    chain_head: string;
  };
} | {
  /** What happened. Values may be added. */
  type: "credential.expiring";
  data: {
    /** The credential, in its state right after the event. */
    credential: {
      /** What expires, was added or ended. Values may be added. */
      kind:
        | "certificate"
        | "signing_key"
        | "client_secret"
        | "webhook_secret"
        | (string & Record<never, never>);
      /** The sha256, thumbprint or secret_id of the credential, as GET /v1/credentials shows it. */
      id: string;
      /** When the service stops accepting the credential. Only in credential.expiring. */
      expires_at: string;
    };
    /**
     * The head of your hash chain at this event. Store it: with it you can prove your history up to this
     * event.
     */
    chain_head: string;
  };
} | {
  /** What happened. Values may be added. */
  type: "credential.added" | "credential.ended";
  data: {
    /** The credential, in its state right after the event. */
    credential: {
      /** What expires, was added or ended. Values may be added. */
      kind:
        | "certificate"
        | "signing_key"
        | "client_secret"
        | "webhook_secret"
        | (string & Record<never, never>);
      /** The sha256, thumbprint or secret_id of the credential, as GET /v1/credentials shows it. */
      id: string;
      /** The signing key's registered name, if it has one. Not in credential.expiring. */
      kid: string | null;
      /**
       * From when the service accepts the credential; null if the registered date is unusable, so that the
       * service never accepts it. Not in credential.expiring.
       */
      valid_from: string | null;
      /**
       * When the service stops accepting the credential, which can be in the future; null if no end is set.
       * Not in credential.expiring.
       */
      valid_until: string | null;
      /** The operator's login that made the change; null if the change is older than events about changes. */
      changed_by: string | null;
      /** The second login, which approved the change; null if such a change needs no approval. */
      approved_by: string | null;
    };
    /**
     * The head of your hash chain at this event. Store it: with it you can prove your history up to this
     * event.
     */
    chain_head: string;
  };
} | {
  /** What happened. Values may be added. */
  type: "settlement.changed";
  data: {
    settlement: EventSettlement;
    /**
     * The head of your hash chain at this event. Store it: with it you can prove your history up to this
     * event.
     */
    chain_head: string;
  };
} | {
  /** What happened. Values may be added. */
  type: "webhook_endpoint.changed";
  data: {
    webhook_endpoint: EventWebhookEndpoint;
    /**
     * The head of your hash chain at this event. Store it: with it you can prove your history up to this
     * event.
     */
    chain_head: string;
  };
} | {
  /** What happened. Values may be added. */
  type: "day.closed";
  data: {
    day: EventDay;
    /**
     * The head of your hash chain at this event. Store it: with it you can prove your history up to this
     * event.
     */
    chain_head: string;
  };
} | {
  /** What happened. Values may be added. */
  type: "webhook.test";
  data: {
    /**
     * The head of your hash chain at this event. Store it: with it you can prove your history up to this
     * event.
     */
    chain_head: string;
  };
};

/** An event and the attempts to deliver it. */
export type AccountEvent = {
  /** The id: evt_ and a UUIDv7. */
  id: string;
  /**
   * The number of the event, counted per partner without gaps. An endpoint with a filter does not get
   * every number: see previous_sequence.
   */
  sequence: number;
  /** When the event occurred. */
  created_at: string;
  /** The environment of the service. Not in events from before 0.7.0. Values may be added. */
  environment?: "sandbox" | "production" | (string & Record<never, never>) | undefined;
  /** The version of this API, as info.version of the description. Not in events from before 0.7.0. */
  api_version?: string | undefined;
  delivery: Delivery;
  /** One object for each endpoint that gets the event, by its number. Not in replies from before 0.7.0. */
  deliveries?: Array<EndpointDelivery> | undefined;
  /**
   * The event's line of your hash chain: chain_head is the SHA-256 of the previous chain_head, as bytes,
   * and this text. Only GET /v1/events and GET /v1/events/{event_id} have it.
   */
  line?: string | undefined;
} & AccountEventCase;

/** The credential, in its state right after the event. */
export interface EventCredential {
  /** What expires, was added or ended. Values may be added. */
  kind: "certificate" | "signing_key" | "client_secret" | "webhook_secret" | (string & Record<never, never>);
  /** The sha256, thumbprint or secret_id of the credential, as GET /v1/credentials shows it. */
  id: string;
  /** When the service stops accepting the credential. Only in credential.expiring. */
  expires_at?: string | undefined;
  /** The signing key's registered name, if it has one. Not in credential.expiring. */
  kid?: string | null | undefined;
  /**
   * From when the service accepts the credential; null if the registered date is unusable, so that the
   * service never accepts it. Not in credential.expiring.
   */
  valid_from?: string | null | undefined;
  /**
   * When the service stops accepting the credential, which can be in the future; null if no end is set.
   * Not in credential.expiring.
   */
  valid_until?: string | null | undefined;
  /** The operator's login that made the change; null if the change is older than events about changes. */
  changed_by?: string | null | undefined;
  /** The second login, which approved the change; null if such a change needs no approval. */
  approved_by?: string | null | undefined;
}

/**
 * The subject of the event in its state right after the event, and the head of your hash chain. The type
 * of the event says which subject it is.
 */
export interface EventData {
  order?: Order | undefined;
  withdrawal?: Withdrawal | undefined;
  funding?: Funding | undefined;
  credential?: EventCredential | undefined;
  settlement?: EventSettlement | undefined;
  webhook_endpoint?: EventWebhookEndpoint | undefined;
  day?: EventDay | undefined;
  /**
   * The head of your hash chain at this event. Store it: with it you can prove your history up to this
   * event.
   */
  chain_head: string;
}

/** A summary of one day. After this event, nothing can be added to the day. */
export interface EventDay {
  /** The day in Asia/Riyadh. */
  date: string;
  /** The first event of the day; null: the day has none. */
  first_sequence: number | null;
  /** The last event of the day; null: the day has none. */
  last_sequence: number | null;
  /** The balances before the day. */
  opening_balance: StatementBalance;
  /** The balances after the day. */
  closing_balance: StatementBalance;
  /** How many quotes you got. */
  quotes: number;
  /** How many orders were executed. */
  orders: number;
  /** How many refusals were bound to an Idempotency-Key. */
  refusals: number;
  /**
   * The refusals of orders that you sent in time: insufficient_inventory, and quote_expired although
   * X-Timestamp is before the end of the quote.
   */
  broken: number;
  /** A hash over every quote of the day and its reply. */
  quotes_sha256: string;
  /** A hash over every binding refusal of the day. */
  refusals_sha256: string;
  /**
   * The epoch of the operator's database. A failover, or a restore to an earlier instant, begins a new
   * epoch.
   */
  epoch: {
    /** The number of the epoch, counted from 1. */
    number: number;
    /** The timeline of the operator's database. */
    timeline: number;
    /** When the operator's service noticed the epoch. */
    began_at: string;
  };
  /** How many of these quotes were executed. Not in events from before 0.7.0. */
  quotes_executed?: number | undefined;
  /** How many of these quotes ended without an order. Not in events from before 0.7.0. */
  quotes_expired?: number | undefined;
}

/** The IBAN to which later withdrawals are paid. */
export interface EventSettlement {
  /** The new IBAN without its middle characters. */
  iban_masked: string;
  /** The SHA-256 of the whole IBAN without spaces. Compare it with your own. */
  iban_sha256: string;
  /** The operator's login that made the change; null if the change is older than events about changes. */
  changed_by: string | null;
  /** The second login, which approved the change; null if such a change needs no approval. */
  approved_by: string | null;
}

/** An endpoint that was added or removed, or got another URL or other types. */
export interface EventWebhookEndpoint {
  /** The URL of the endpoint. */
  url: string;
  /** The number of the endpoint, as GET /v1/account shows it. Not in events from before 0.7.0. */
  endpoint?: number | undefined;
  /**
   * When the endpoint was removed; null if events are sent to this URL from now on. Not in events from
   * before 0.7.0.
   */
  removed_at?: string | null | undefined;
  /** The operator's login that made the change; null if the change is older than events about changes. */
  changed_by: string | null;
  /** The second login, which approved the change; null if such a change needs no approval. */
  approved_by: string | null;
}

/** Oldest first; next_cursor is the `after` of the next page. */
export interface AccountEvents {
  /** The items of this page. */
  items: Array<AccountEvent>;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

/** Adds SAR to the caller's own account. Available only in the sandbox. */
export interface FundRequest {
  /**
   * SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string, such
   * as "10.50", means the same as the number.
   */
  readonly amount_sar: Sar | string;
}

/** SAR that were added to the account. */
export interface Funding {
  /** The id: fnd_ and a UUIDv7. */
  funding_id: string;
  /** The amount of the funding, at most 2 decimals. */
  amount_sar: Sar;
  /** When the funding was booked. */
  created_at: string;
  /** When the funding was reversed because the bank took the money back; null if it was not reversed. */
  reversed_at: string | null;
}

/** The funding, and the account's balances right after it. */
export interface FundingCreated {
  /** The id: fnd_ and a UUIDv7. */
  funding_id: string;
  /** The amount of the funding, at most 2 decimals. */
  amount_sar: Sar;
  /** When the funding was booked. */
  created_at: string;
  balances: Balances;
}

/** Newest first; stable while items are added. */
export interface Fundings {
  /** The items of this page. */
  items: Array<Funding>;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

/** The service can serve requests. */
export interface Health {
  /** The service and its database work. */
  status: "ok";
}

/** Your limits on quantities, request rate, open quotes and stored records, and the market hours. */
export interface Limits {
  /** The gold of one quote. */
  gold_grams: {
    /** Grams of gold, at most 4 decimals. */
    step: Grams;
    /** Grams of gold, at most 4 decimals. */
    minimum: Grams;
    /** Grams of gold, at most 4 decimals. */
    maximum: Grams;
  };
  /** The amount of one quote, funding or withdrawal. */
  amount_sar: {
    /** SAR, at most 2 decimals. */
    step: Sar;
    /** SAR, at most 2 decimals. */
    minimum: Sar;
    /** SAR, at most 2 decimals. */
    maximum: Sar;
  };
  /** The smallest quotes at the present prices; null while there is no price. */
  smallest_trade: {
    /** The least that you can buy. */
    buy: {
      /** Grams of gold, at most 4 decimals. */
      gold_grams: Grams;
      /** What this gold costs or brings. */
      amount_sar: Sar;
    };
    /** The least that you can sell. */
    sell: {
      /** Grams of gold, at most 4 decimals. */
      gold_grams: Grams;
      /** What this gold costs or brings. */
      amount_sar: Sar;
    };
  } | null;
  /** How many seconds a quote is firm. */
  quote_ttl_seconds: number;
  /** Your request rate. */
  rate_limit: {
    /** How many requests a second you may send on average. */
    requests_per_second: number;
    /** How many requests you may send at once. */
    burst: number;
  };
  /** The limit of your streams of prices and events, together. */
  streams: {
    /** How many streams you can have open at once. */
    maximum: number;
  };
  /**
   * Limits on your open quotes (firm, not yet executed) by number and by grams, and how many are open now.
   * A null maximum means no limit; null in place of the object means unlimited.
   */
  open_quotes: {
    /** How many quotes may be open; null means no limit. */
    maximum_quotes: number | null;
    /** How many quotes are open. */
    quotes: number;
    /** How many grams the open quotes may have together; null means no limit. */
    maximum_gold_grams: Grams | null;
    /** The grams of the open quotes. */
    gold_grams: Grams;
  } | null;
  /**
   * Your daily limit (Riyadh time) on stored records that move no money or gold: quotes, binding refusals,
   * probes, replays, webhook tests and redeliveries. A quote stops counting when it is executed. Null
   * means unlimited.
   */
  daily_records: {
    /** How many records may be stored per day. */
    maximum_records: number;
    /** How many records count today. */
    records: number;
    /** When the count starts again at 0. */
    resets_at: string;
  } | null;
  /**
   * Your daily limit (Riyadh time) on what you buy minus what you sell. Open quotes count as if they were
   * executed; only quotes are refused. Null means unlimited.
   */
  net_position: {
    /** The largest net position of a day, in either direction. */
    maximum_gold_grams: Grams;
    /** How many grams you can still buy today. */
    buy_gold_grams: Grams;
    /** How many grams you can still sell today. */
    sell_gold_grams: Grams;
    /** When the day ends and both start again at the maximum. */
    resets_at: string;
  } | null;
  /**
   * Your daily limits (Riyadh time) on withdrawals. Those that ended without a payment count, too. A null
   * maximum means no limit; null in place of the object means unlimited.
   */
  daily_withdrawals: {
    /** How many withdrawals you may request per day; null: any number. */
    maximum_withdrawals: number | null;
    /** How many you requested today. */
    withdrawals: number;
    /** How much SAR you may request per day; null: any amount. */
    maximum_amount_sar: Sar | null;
    /** How much you requested today. */
    amount_sar: Sar;
    /** When both start again at 0. */
    resets_at: string;
  } | null;
  /**
   * The operator's daily limit on what all partners buy minus what they sell. A side that is open may
   * still refuse a large quote. Null means unlimited.
   */
  exposure: {
    /** Whether the operator still sells gold to partners today. */
    buy: boolean;
    /** Whether the operator still buys gold from partners today. */
    sell: boolean;
  } | null;
  /** When the market is open. */
  market_hours: {
    /** Whether the market never closes. */
    always_open: boolean;
    /** The time zone of the sessions. */
    time_zone: "Asia/Riyadh";
    /** The opening hours of each day; empty if the market is always open. */
    sessions: Array<{
      /** The day of the week. */
      day: "sunday" | "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday";
      /** When the market opens, as HH:MM. */
      opens: string;
      /** When the market closes, as HH:MM; 24:00 is the end of the day. */
      closes: string;
    }>;
    /**
     * When the market was closed outside its hours because the price jumped; it stays closed until the
     * operator opens it. Null: it was not.
     */
    halted_at: string | null;
  };
}

/** An executed order. */
export interface Order {
  /** The id: ord_ and a UUIDv7. */
  order_id: string;
  /** The id: qt_ and a UUIDv7. */
  quote_id: string;
  /** From your point of view: buy pays SAR for gold, sell gives gold for SAR. */
  side: "buy" | "sell";
  /** The gold that moved, in grams, at most 4 decimals. */
  gold_grams: Grams;
  /** SAR per gram, at most 4 decimals. */
  price_per_gram_sar: SarPerGram;
  /** The SAR that moved, at most 2 decimals. */
  total_sar: Sar;
  /** An order is executed completely, or it does not exist. Values may be added. */
  status: "executed" | (string & Record<never, never>);
  /** When the order was booked. */
  executed_at: string;
  /** Your own reference; absent if you sent none. */
  reference?: string | undefined;
  /** Your own customer, account or desk; absent if you sent none. */
  account_label?: string | undefined;
  /** The list of bars that was in force when the order was executed. Absent for orders before 0.4.0. */
  reserves_list_id?: string | undefined;
}

/** The order, and the account's balances right after it. */
export interface OrderCreated extends Order {
  balances: Balances;
}

/**
 * Executes a firm quote. If you omit `reference` or `account_label`, the order inherits it from the
 * quote.
 */
export interface OrderRequest {
  /** One of your open quotes. */
  readonly quote_id: string;
  /** Your own reference, such as the number of your customer's order. It need not be unique. */
  readonly reference?: string | undefined;
  /** Your own customer, account or desk. All labels share your one balance. */
  readonly account_label?: string | undefined;
}

/** Newest first; stable while items are added. */
export interface Orders {
  /** The items of this page. */
  items: Array<Order>;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

/** The prices of the last 24 hours, minute by minute. */
export interface PriceHistory {
  /** The currency of both prices. */
  currency: "SAR";
  /** The prices are for one gram. */
  unit: "gram";
  /** The purity of the gold. */
  purity: "24K";
  /**
   * Oldest first. A minute without a new price has no bar; the last price before it was still valid. The
   * bar of the current minute can still change.
   */
  bars: Array<{
    /** The beginning of the minute. */
    begins_at: string;
    /** SAR per gram that a partner paid. */
    buy_price: {
      /** The first price of the minute. */
      first: SarPerGram;
      /** The highest price of the minute. */
      highest: SarPerGram;
      /** The lowest price of the minute. */
      lowest: SarPerGram;
      /** The last price of the minute. */
      last: SarPerGram;
    };
    /** SAR per gram that a partner received. */
    sell_price: {
      /** The first price of the minute. */
      first: SarPerGram;
      /** The highest price of the minute. */
      highest: SarPerGram;
      /** The lowest price of the minute. */
      lowest: SarPerGram;
      /** The last price of the minute. */
      last: SarPerGram;
    };
  }>;
}

/** Indicative prices; a quote is firm. */
export interface Prices {
  /** The currency of both prices. */
  currency: "SAR";
  /** The prices are for one gram. */
  unit: "gram";
  /** The purity of the gold. */
  purity: "24K";
  /** SAR per gram that you pay; above the sell price. */
  buy_price: SarPerGram;
  /** SAR per gram that you receive. */
  sell_price: SarPerGram;
  /** When the prices were set. */
  as_of: string;
  /** Quotes are given only while the market is open. */
  market: "open" | "closed";
}

/** One step of the verification. */
export interface ProbeStep {
  /** Whether this step succeeded; null if it was not reached. */
  ok: boolean | null;
  /** What the service found. */
  detail: string;
}

/** What is right and wrong with a signed request, step by step. */
export interface ProbeVerdict {
  /**
   * Whether an order signed like this would pass. A valid probe spends the nonce; an invalid probe does
   * not.
   */
  valid: boolean;
  /**
   * The checks of an order: X-Timestamp's form and window; X-Nonce's form, and that it is fresh;
   * X-JWS-Signature's form and protected header; its key; the signature, checked only if all others are
   * correct. If a mistake is named, the failed step says what to do.
   */
  steps: {
    timestamp: ProbeStep;
    nonce: ProbeStep;
    header: ProbeStep;
    key: ProbeStep;
    signature: ProbeStep;
  };
  /** X-Timestamp minus the service's time; null if the timestamp cannot be read. */
  clock_offset_seconds: number | null;
  /**
   * The string over which the service verifies the signature; null if X-Timestamp or X-Nonce is malformed.
   */
  canonical_string: string | null;
  /** SHA-256 of canonical_string in lower-case hex; null if there is none. */
  canonical_sha256: string | null;
  /**
   * The common mistake that explains the failure. It is proven, not guessed: one of your keys made this
   * signature over the string that the mistake produces. null: no common mistake explains it.
   */
  mistake:
    | "path_not_url"
    | "wrong_host"
    | "explicit_port"
    | "upper_case_hex"
    | "upper_case_host"
    | "crlf"
    | "trailing_newline"
    | "payload_base64url"
    | "der_signature"
    | "milliseconds"
    | "body_reserialised"
    | null;
}

/** A firm price for 60 seconds, for one order. It reserves neither funds nor gold. */
export interface Quote {
  /** The id: qt_ and a UUIDv7. */
  quote_id: string;
  /** From your point of view: buy pays SAR for gold, sell gives gold for SAR. */
  side: "buy" | "sell";
  /** Grams of gold, at most 4 decimals. */
  gold_grams: Grams;
  /** SAR per gram, at most 4 decimals. */
  price_per_gram_sar: SarPerGram;
  /** The SAR that the order moves, rounded up to the halala for a buy and down for a sell. */
  total_sar: Sar;
  /** Only an open quote can be executed. Values may be added. */
  status: "open" | "executed" | "expired" | (string & Record<never, never>);
  /** When the quote was made. */
  created_at: string;
  /** Until when the price is firm. */
  expires_at: string;
  /** Your own reference; absent if you sent none. */
  reference?: string | undefined;
  /** Your own customer, account or desk; absent if you sent none. */
  account_label?: string | undefined;
}

/** Exactly one of gold_grams and amount_sar. */
export type QuoteRequest =
  & {
    /** From your point of view: buy pays SAR for gold, sell gives gold for SAR. */
    readonly side: "buy" | "sell";
    /** Your own reference, such as the number of your customer's order. It need not be unique. */
    readonly reference?: string | undefined;
    /** Your own customer, account or desk. All labels share your one balance. */
    readonly account_label?: string | undefined;
  }
  & ({
    /**
     * Grams of 24K gold, at most 4 decimals. A value outside your limits gets 422 limit_exceeded. A decimal
     * string, such as "10.50", means the same as the number.
     */
    readonly gold_grams: Grams | string;
    readonly amount_sar?: undefined;
  } | {
    /**
     * SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string, such
     * as "10.50", means the same as the number.
     */
    readonly amount_sar: Sar | string;
    readonly gold_grams?: undefined;
  });

/** The requested signing key. */
export interface RequestedSigningKey {
  /** The type of the key. */
  kty: string;
  /** The curve of the key. */
  crv: string;
  /** The x coordinate of the public key. */
  x: string;
  /** The y coordinate of the public key. */
  y: string;
  /** Your own name for the key. */
  kid?: string | undefined;
}

/** The requested webhook endpoint. */
export interface RequestedWebhookEndpoint {
  /** Where events are to be sent. */
  url: string;
  /** The types that it gets. Without it: all. */
  types?: Array<string> | undefined;
}

/** The bars behind the gold, as published at one instant. */
export interface Reserves {
  /** Every bar in the vault. */
  bars: Array<{
    /** The serial number on the bar. */
    serial: string;
    /** Who made the bar. */
    refiner: string;
    /** Where the bar is. */
    vault: string;
    /** The bar's weight in grams, at most 4 decimals. */
    gross_grams: Grams;
    /** Parts of gold in 1,000. */
    fineness: number;
    /** The gold in the bar: its weight times its fineness, in grams. */
    fine_grams: Grams;
  }>;
  /** Gold in all bars. */
  fine_grams: Grams;
  /** Gold owed to all partners; never more than fine_grams. */
  owed_grams: Grams;
  /** fine_grams divided by owed_grams, rounded down to 4 decimals; null if nothing is owed. */
  coverage: number | null;
  /** The instant of every figure here. The reply stays unchanged for at least an hour. */
  as_of: string;
  /** The list of bars in force at as_of. */
  reserves_list_id: string;
}

/** The bars that were in the vault between two changes of the vault. A list never changes. */
export interface ReservesList {
  /**
   * The id of a list of bars: lst_ and its number. GET /v1/reserves/lists/{reserves_list_id} gives the
   * list.
   */
  reserves_list_id: string;
  /** When the list came into force. */
  created_at: string;
  /** Every bar of the list, sorted by serial. */
  bars: Array<{
    /** The serial number on the bar. */
    serial: string;
    /** Who made the bar. */
    refiner: string;
    /** Where the bar is. */
    vault: string;
    /** The bar's weight in grams, at most 4 decimals. */
    gross_grams: Grams;
    /** Parts of gold in 1,000. */
    fineness: number;
    /** The gold in the bar: its weight times its fineness, in grams. */
    fine_grams: Grams;
  }>;
  /** Gold in all bars of the list. */
  fine_grams: Grams;
  /** The sha256 of the previous list; 64 zeros for the first list. */
  previous_sha256: string;
  /** SHA-256 of the bars and previous_sha256, as the guide to reserves describes. */
  sha256: string;
}

/** The public key as a JWK. */
export interface SigningKeyRequest {
  /** The type of the key. */
  readonly kty: "EC";
  /** The curve of the key. */
  readonly crv: "P-256";
  /** The x coordinate of the public key. */
  readonly x: string;
  /** The y coordinate of the public key. */
  readonly y: string;
  /** Your own name for the key. */
  readonly kid?: string | undefined;
}

/** A simulated bank transfer to your account. */
export interface SimulateDepositRequest {
  /**
   * SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string, such
   * as "10.50", means the same as the number.
   */
  readonly amount_sar: Sar | string;
}

/** One of your fundings that came from a simulated bank transfer. */
export interface SimulateDepositReversalRequest {
  /** The funding. */
  readonly funding_id: string;
}

/** An event that otherwise only the operator's people or the calendar cause. */
export interface SimulateEventRequest {
  /**
   * credential.added: a client secret that nobody knows is registered for you, and ends in 90 days.
   * credential.expiring: such a secret is registered that ends in a day. credential.ended: such a secret
   * ends now. settlement.changed, webhook_endpoint.changed: your IBAN or your webhook URL is registered
   * again and stays the same. day.closed: your newest past day that is open is closed.
   */
  readonly type:
    | "credential.added"
    | "credential.expiring"
    | "credential.ended"
    | "settlement.changed"
    | "webhook_endpoint.changed"
    | "day.closed";
}

/** What happens to your next requests. */
export interface SimulateFailureRequest {
  /**
   * rate_limited, unavailable, timeout: the request is not executed and gets 429 rate_limited, 503
   * service_unavailable or 504 upstream_timeout. refused: the request is not executed and gets the `code`.
   * hang: the request is executed, and its reply comes after `seconds`. lost_reply: the request is
   * executed, and the service closes the connection instead of replying; you get 503 upstream_unavailable
   * from the proxy.
   */
  readonly kind: "rate_limited" | "unavailable" | "timeout" | "refused" | "hang" | "lost_reply";
  /**
   * Only with refused. The next request to an operation that documents this code gets it; other requests
   * are served.
   */
  readonly code?:
    | "invalid_request"
    | "idempotency_key_missing"
    | "idempotency_key_invalid"
    | "timestamp_invalid"
    | "nonce_invalid"
    | "path_not_allowed"
    | "method_not_allowed"
    | "request_timeout"
    | "body_too_large"
    | "uri_too_long"
    | "unsupported_media_type"
    | "header_too_large"
    | "token_missing"
    | "token_invalid"
    | "token_expired"
    | "token_certificate_mismatch"
    | "signature_missing"
    | "signature_invalid"
    | "timestamp_out_of_window"
    | "certificate_unknown"
    | "certificate_revoked"
    | "certificate_expired"
    | "ip_not_allowed"
    | "partner_suspended"
    | "idempotency_request_in_progress"
    | "withdrawal_outcome_unreachable"
    | "open_changes_exceeded"
    | "exposure_exceeded"
    | "market_closed"
    | "rate_limited"
    | "open_quotes_exceeded"
    | "daily_budget_exceeded"
    | "net_position_exceeded"
    | "internal_error"
    | "price_unavailable"
    | "service_unavailable"
    | "upstream_unavailable"
    | "upstream_timeout"
    | undefined;
  /** Only with hang. */
  readonly seconds?: number | undefined;
  /** How many requests. */
  readonly count?: number | undefined;
}

/** A state of the market, which only you see. */
export interface SimulateMarketRequest {
  /**
   * closed: quotes get market_closed. price_stale: quotes get price_unavailable. vault_short: buy orders
   * get insufficient_inventory. withdrawals_spent: withdrawals get withdrawal_limit_exceeded. normal: ends
   * the simulation.
   */
  readonly state: "closed" | "price_stale" | "vault_short" | "withdrawals_spent" | "normal";
  /** For how long. */
  readonly seconds?: number | undefined;
}

/** A change of prices, which only you see. */
export interface SimulatePricesRequest {
  /** By how many percent your prices rise, or fall if the value is negative. Must not be 0. */
  readonly percent: number;
  /** For how long. */
  readonly seconds?: number | undefined;
}

/** One of your quotes, which expires now. */
export interface SimulateQuoteExpiryRequest {
  /** The quote. */
  readonly quote_id: string;
}

/** How your next events are delivered to your webhook endpoint. */
export interface SimulateWebhooksRequest {
  /**
   * twice: each event is sent twice. late: each event is sent `seconds` late. out_of_order: every other
   * event, beginning with the next one, is sent 5 seconds late, so that the event after it overtakes it.
   * other_secret: the first attempt of each event is signed with the other secret alone.
   */
  readonly kind: "twice" | "late" | "out_of_order" | "other_secret";
  /** How many events. */
  readonly count?: number | undefined;
  /** Only with late. */
  readonly seconds?: number | undefined;
}

/** One of your withdrawals, and the status that it should reach. */
export interface SimulateWithdrawalRequest {
  /** The withdrawal. */
  readonly withdrawal_id: string;
  /** The status to reach. The withdrawal also takes all earlier steps, each with its event. */
  readonly outcome: "approved" | "submitted" | "paid" | "rejected" | "returned";
}

/** The event that happened, without its data. */
export interface SimulatedEvent {
  /** The event. */
  id: string;
  /** Its type. Values may be added. */
  type:
    | "credential.added"
    | "credential.expiring"
    | "credential.ended"
    | "settlement.changed"
    | "webhook_endpoint.changed"
    | "day.closed"
    | (string & Record<never, never>);
  /** Its number among your events. */
  sequence: number;
  /** When it happened. */
  created_at: string;
}

/** Your active simulations; a member is null if there is no such simulation. */
export interface Simulations {
  /** The state of the market that is simulated; null: none. */
  market: {
    /** The state of your market. Values may be added. */
    state:
      | "closed"
      | "price_stale"
      | "vault_short"
      | "withdrawals_spent"
      | "normal"
      | (string & Record<never, never>);
    /** When the simulation ends by itself. */
    until: string;
  } | null;
  /** The change of prices that is simulated; null: none. */
  prices: {
    /** By how much your prices are higher, or lower if negative. */
    percent: number;
    /** When the simulation ends by itself. */
    until: string;
  } | null;
  /** What happens to your next requests; null: nothing. */
  failure: {
    /** What happens to the requests. Values may be added. */
    kind:
      | "rate_limited"
      | "unavailable"
      | "timeout"
      | "refused"
      | "hang"
      | "lost_reply"
      | (string & Record<never, never>);
    /** The error code that they get; null: they are executed. */
    code: string | null;
    /** How long a reply is delayed; null: not at all. */
    seconds: number | null;
    /** How many more requests it affects. */
    remaining: number;
    /** When the simulation ends by itself. */
    until: string;
  } | null;
  /** What happens to the delivery of your next events; null: nothing. */
  webhooks: {
    /** What happens to the events. Values may be added. */
    kind: "twice" | "late" | "out_of_order" | "other_secret" | (string & Record<never, never>);
    /** How long an event is delayed; null: not at all. */
    seconds: number | null;
    /** How many more events it affects. */
    remaining: number;
    /** When the simulation ends by itself. */
    until: string;
  } | null;
}

/** Every posting between two days. */
export interface Statement {
  /** The first day. */
  from: string;
  /** The last day. */
  to: string;
  /** The time zone of the days. */
  time_zone: "Asia/Riyadh";
  /** The balances before the first day. */
  opening_balance: StatementBalance;
  /** The balances after the last day, or the current balances if that day has not ended. */
  closing_balance: StatementBalance;
  /** Every posting, oldest first: opening balance and changes add up to the closing balance. */
  postings: Array<
    {
      /** When the posting was booked. */
      posted_at: string;
      /** The order, funding or withdrawal that caused the posting. */
      id: string;
      /** What caused the posting, such as order.executed or withdrawal.returned. */
      type: string;
      account: "available_sar" | "held_sar";
      /** In the account's unit; negative for a decrease. */
      change: Sar;
      /** In the account's unit. */
      balance_after: Sar;
      /** The reference of the order or withdrawal; absent if it has none. Empty in CSV. */
      reference?: string | undefined;
      /** Your own customer, account or desk; absent if you sent none. */
      account_label?: string | undefined;
      /** The list of bars that the order names; absent for other postings and for orders before 0.4.0. */
      reserves_list_id?: string | undefined;
    } | {
      /** When the posting was booked. */
      posted_at: string;
      /** The order, funding or withdrawal that caused the posting. */
      id: string;
      /** What caused the posting, such as order.executed or withdrawal.returned. */
      type: string;
      account: "gold_grams";
      /** In the account's unit; negative for a decrease. */
      change: Grams;
      /** In the account's unit. */
      balance_after: Grams;
      /** The reference of the order or withdrawal; absent if it has none. Empty in CSV. */
      reference?: string | undefined;
      /** Your own customer, account or desk; absent if you sent none. */
      account_label?: string | undefined;
      /** The list of bars that the order names; absent for other postings and for orders before 0.4.0. */
      reserves_list_id?: string | undefined;
    }
  >;
}

/** The account's three balances. */
export interface StatementBalance {
  /** SAR that can be traded or withdrawn. */
  available_sar: Sar;
  /** SAR of withdrawals that are not yet paid. */
  held_sar: Sar;
  /** Gold in grams, at most 4 decimals. */
  gold_grams: Grams;
}

/** An endpoint that gets your events. */
export interface WebhookEndpoint {
  /** The number of the endpoint, from 1. It never becomes the number of another endpoint. */
  endpoint: number;
  /** Where your events are sent. */
  url: string;
  /** The types of events that the endpoint gets; null: all. It gets webhook.test in any case. */
  types: Array<string> | null;
  /**
   * A sequence number. Of the events up to it that the endpoint gets, each was delivered, is retried on
   * its own, or is parked.
   */
  delivered_to: number;
  /**
   * working: the last attempt was accepted. failing: the last attempts failed. disabled: your endpoint
   * answered 410; request a test event to enable it. Values may be added.
   */
  status: "working" | "failing" | "disabled" | (string & Record<never, never>);
  /** How many attempts failed since the last accepted one. */
  failures: number;
  /** Until when nothing is sent after failed attempts; null if events are sent. */
  rests_until: string | null;
  /** When your endpoint was disabled; null if it is not. */
  disabled_at: string | null;
}

/** A further webhook endpoint. */
export interface WebhookEndpointRequest {
  /** Where events are to be sent. */
  readonly url: string;
  /** The types of events that the endpoint gets. Without it: all. */
  readonly types?:
    | Array<
      | "order.executed"
      | "withdrawal.created"
      | "withdrawal.approved"
      | "withdrawal.submitted"
      | "withdrawal.paid"
      | "withdrawal.rejected"
      | "withdrawal.returned"
      | "withdrawal.cancelled"
      | "funding.completed"
      | "funding.reversed"
      | "credential.expiring"
      | "credential.added"
      | "credential.ended"
      | "settlement.changed"
      | "webhook_endpoint.changed"
      | "day.closed"
      | "webhook.test"
    >
    | undefined;
}

/** An event. Types may be added; acknowledge types that you do not know. */
export type WebhookEvent = {
  /** The id: evt_ and a UUIDv7. */
  id: string;
  /**
   * The number of the event, counted per partner without gaps. An endpoint with a filter does not get
   * every number: see previous_sequence.
   */
  sequence: number;
  /** When the event occurred. */
  created_at: string;
  /** The environment of the service. Not in events from before 0.7.0. Values may be added. */
  environment?: "sandbox" | "production" | (string & Record<never, never>) | undefined;
  /** The version of this API, as info.version of the description. Not in events from before 0.7.0. */
  api_version?: string | undefined;
  /**
   * The number of the event before this one among those that this endpoint gets. Process this event after
   * that one. Null: process it at once, because there is none before it, or because the types of the
   * endpoint have changed since. Without a filter it is sequence - 1. Only in webhooks of 0.7.0 and later,
   * not in the event stream nor in GET /v1/events.
   */
  previous_sequence?: number | null | undefined;
  /**
   * The client_id of the partner whose endpoint this is: yours. Refuse an event that names another one.
   * Only in webhooks of 0.7.0 and later, not in the event stream nor in GET /v1/events.
   */
  client_id?: string | undefined;
} & AccountEventCase;

/** An outgoing payment. If it is rejected, returned or cancelled, the amount is available again. */
export interface Withdrawal {
  /** The id: wd_ and a UUIDv7. */
  withdrawal_id: string;
  /** The SAR to pay out, at most 2 decimals. */
  amount_sar: Sar;
  /** Your own reference, or null if you sent none. */
  reference: string | null;
  /** The first and last four characters of the IBAN that was registered at the time of the request. */
  iban_masked: string;
  /**
   * pending_approval: the operator has not decided. approved, submitted: on its way to the bank. paid:
   * done. rejected, returned: the amount is available again. cancelled: you cancelled it, and the amount
   * is available again. Values may be added.
   */
  status:
    | "pending_approval"
    | "approved"
    | "submitted"
    | "paid"
    | "rejected"
    | "returned"
    | "cancelled"
    | (string & Record<never, never>);
  /** When you requested the withdrawal. */
  created_at: string;
  /** Your own customer, account or desk; absent if you sent none. */
  account_label?: string | undefined;
  /**
   * The reference of the payment at the banks (EndToEndId), with which your bank finds it; null until the
   * payment is submitted.
   */
  bank_reference: string | null;
  /** The day on which the operator's bank is to pay, in Asia/Riyadh; null until the payment is submitted. */
  expected_on: string | null;
}

/** The withdrawal, and the account's balances right after the request. */
export interface WithdrawalCreated {
  /** The id: wd_ and a UUIDv7. */
  withdrawal_id: string;
  /** The SAR to pay out, at most 2 decimals. */
  amount_sar: Sar;
  /** Your own reference, or null if you sent none. */
  reference: string | null;
  /** The first and last four characters of the IBAN that was registered at the time of the request. */
  iban_masked: string;
  /**
   * pending_approval: the operator has not decided. approved, submitted: on its way to the bank. paid:
   * done. rejected, returned: the amount is available again. cancelled: you cancelled it, and the amount
   * is available again. Values may be added.
   */
  status:
    | "pending_approval"
    | "approved"
    | "submitted"
    | "paid"
    | "rejected"
    | "returned"
    | "cancelled"
    | (string & Record<never, never>);
  /** When you requested the withdrawal. */
  created_at: string;
  /** Your own customer, account or desk; absent if you sent none. */
  account_label?: string | undefined;
  balances: Balances;
}

/** Pays SAR out to the registered IBAN, once the operator has approved it. */
export interface WithdrawalRequest {
  /**
   * SAR, at most 2 decimals. A value outside your limits gets 422 limit_exceeded. A decimal string, such
   * as "10.50", means the same as the number.
   */
  readonly amount_sar: Sar | string;
  /**
   * Your own reference. It is sent to the bank with the transfer, so it has 35 characters at most (a UUID
   * fits without its hyphens). You can use a reference again only after its withdrawal was rejected,
   * returned or cancelled.
   */
  readonly reference?: string | undefined;
  /** Your own customer, account or desk. All labels share your one balance. */
  readonly account_label?: string | undefined;
}

/** Newest first; stable while items are added. */
export interface Withdrawals {
  /** The items of this page. */
  items: Array<Withdrawal>;
  /** The cursor of the next page; null on the last page. */
  next_cursor: string | null;
}

/** Which part of the last 24 hours. */
export interface PriceHistoryQuery {
  /**
   * Only bars that begin strictly later. RFC 3339 with any offset; decimals after the third are cut. A
   * date is the beginning of that day in Asia/Riyadh.
   */
  readonly after?: string | undefined;
}

/**
 * Which part of a list. With reference or account_label, a page searches 10,000 of your event numbers,
 * so it can have few items or none although next_cursor is set. Continue until next_cursor is null.
 */
export interface FilteredListQuery {
  /** The maximum number of items in the page. */
  readonly limit?: number | string | undefined;
  /** cursor must be the next_cursor of the previous page, unchanged. */
  readonly cursor?: string | undefined;
  /**
   * Only items that were created strictly later. RFC 3339 with any offset; decimals after the third are
   * cut. A date is the beginning of that day in Asia/Riyadh.
   */
  readonly created_after?: string | undefined;
  /**
   * Only items that were created strictly earlier. RFC 3339 with any offset; decimals after the third are
   * cut. A date is the beginning of that day in Asia/Riyadh.
   */
  readonly created_before?: string | undefined;
  /** Only items that were created with this key, to find the result of a write whose reply was lost. */
  readonly idempotency_key?: string | undefined;
  /** Only items with this reference. The text must match exactly, in every code point. */
  readonly reference?: string | undefined;
  /** Only items with this account_label. The text must match exactly, in every code point. */
  readonly account_label?: string | undefined;
}

/** Selects a part of a list. */
export interface ListQuery {
  /** The maximum number of items in the page. */
  readonly limit?: number | string | undefined;
  /** cursor must be the next_cursor of the previous page, unchanged. */
  readonly cursor?: string | undefined;
  /**
   * Only items that were created strictly later. RFC 3339 with any offset; decimals after the third are
   * cut. A date is the beginning of that day in Asia/Riyadh.
   */
  readonly created_after?: string | undefined;
  /**
   * Only items that were created strictly earlier. RFC 3339 with any offset; decimals after the third are
   * cut. A date is the beginning of that day in Asia/Riyadh.
   */
  readonly created_before?: string | undefined;
  /** Only items that were created with this key, to find the result of a write whose reply was lost. */
  readonly idempotency_key?: string | undefined;
}

/** `at`: any past instant. If you omit it, the reply has the current balances. */
export interface BalancesQuery {
  /**
   * A past instant. If you omit it, the reply has the current balances. RFC 3339 with any offset; decimals
   * after the third are cut. A date is the beginning of that day in Asia/Riyadh.
   */
  readonly at?: string | undefined;
}

/** Where to continue reading. */
export interface EventsQuery {
  /** Only events after this sequence number. */
  readonly after?: number | string | undefined;
  /** The maximum number of items in the page. */
  readonly limit?: number | string | undefined;
}

/** Where to continue reading. */
export interface EventStreamQuery {
  /** Only events after this sequence number. */
  readonly after?: number | string | undefined;
}

/** Days in Asia/Riyadh, both included. A day that has not ended is included up to now. */
export interface StatementQuery {
  /** The first day. The span has no limit. */
  readonly from: string;
  /** The last day. For one day, send the same date as in `from`. */
  readonly to: string;
}

/** The reply of each operation, by the operation's name in the OpenAPI document. */
export interface Replies {
  probeSignature: ProbeVerdict;
  getAccount: Account;
  getCredentials: Credentials;
  requestChange: AccountChange;
  getChanges: AccountChanges;
  getChange: AccountChange;
  getPrices: Prices;
  getPriceHistory: PriceHistory;
  createQuote: Quote;
  getQuote: Quote;
  createOrder: OrderCreated;
  listOrders: Orders;
  getOrder: Order;
  fundSandbox: FundingCreated;
  createWithdrawal: WithdrawalCreated;
  cancelWithdrawal: WithdrawalCreated;
  listWithdrawals: Withdrawals;
  getWithdrawal: Withdrawal;
  listFundings: Fundings;
  getFunding: Funding;
  getBalances: Balances;
  listEvents: AccountEvents;
  getEvent: AccountEvent;
  redeliverEvent: AccountEvent;
  testWebhook: AccountEvent;
  getStatement: Statement;
  getReserves: Reserves;
  getChainKey: ChainKey;
  getReservesList: ReservesList;
  getLimits: Limits;
  simulateWithdrawal: Withdrawal;
  simulateDeposit: Funding;
  simulateDepositReversal: Funding;
  simulateQuoteExpiry: Quote;
  simulateEvent: SimulatedEvent;
  simulateMarket: Simulations;
  simulatePrices: Simulations;
  simulateFailure: Simulations;
  simulateWebhooks: Simulations;
  getSimulations: Simulations;
  resetSimulations: Simulations;
  getHealth: Health;
}
