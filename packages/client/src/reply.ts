// The replies as plain interfaces, so that a reader of this package needs no schema library. They equal the
// types that the service's schemas infer, with a Quantity in place of each quantity's number. A test checks
// that.
import type { ProbeMistake } from "@gold-partner/protocol";
import type { Grams, Sar, SarPerGram } from "./quantity.ts";

export interface Health {
  status: "ok";
}

/** Indicative prices. Only a quote is firm. */
export interface Prices {
  currency: "SAR";
  unit: "gram";
  purity: "24K";
  /** The price that you pay. It is above the sell price. */
  buy_price: SarPerGram;
  /** The price that you receive. */
  sell_price: SarPerGram;
  as_of: string;
  market: "open" | "closed";
}

/** The account at one instant. */
export interface Balances {
  sar: {
    /** Can be traded or withdrawn. */
    available: Sar;
    /** Held for withdrawals that are not paid yet. */
    held: Sar;
  };
  gold: { grams: Grams };
  as_of: string;
}

/** A price that is firm for a minute, for one order. It reserves neither funds nor gold. */
export interface Quote {
  quote_id: string;
  side: "buy" | "sell";
  gold_grams: Grams;
  price_per_gram_sar: SarPerGram;
  /** The amount that the order moves. A buy rounds up to the halala, a sell rounds down. */
  total_sar: Sar;
  status: "open" | "executed" | "expired";
  created_at: string;
  expires_at: string;
}

/** An executed order. */
export interface Order {
  order_id: string;
  quote_id: string;
  side: "buy" | "sell";
  gold_grams: Grams;
  price_per_gram_sar: SarPerGram;
  total_sar: Sar;
  status: "executed";
  executed_at: string;
}

/** The order and the account right after it. */
export interface PlacedOrder extends Order {
  balances: Balances;
}

export type WithdrawalStatus =
  | "pending_approval"
  | "approved"
  | "submitted"
  | "paid"
  | "rejected"
  | "returned";

/** A withdrawal of SAR. After it is rejected or returned, the amount is available again. */
export interface Withdrawal {
  withdrawal_id: string;
  amount_sar: Sar;
  reference: string | null;
  iban_masked: string;
  status: WithdrawalStatus;
  created_at: string;
}

/** The withdrawal and the account right after it. */
export interface CreatedWithdrawal extends Withdrawal {
  balances: Balances;
}

/** A payment of SAR into the account. */
export interface Funding {
  funding_id: string;
  amount_sar: Sar;
  created_at: string;
  /** When the bank took the payment back. null: it did not. */
  reversed_at: string | null;
}

/** The funding and the account right after it. */
export interface SandboxFunding {
  funding_id: string;
  amount_sar: Sar;
  created_at: string;
  balances: Balances;
}

export interface StatementBalance {
  available_sar: Sar;
  held_sar: Sar;
  gold_grams: Grams;
}

interface PostingOf<Account extends string, Change> {
  posted_at: string;
  /** The id of the order, funding or withdrawal that caused the posting. */
  id: string;
  /** The kind of event that caused the posting, such as order.executed or withdrawal.returned. */
  type: string;
  account: Account;
  /** Negative when the balance went down. */
  change: Change;
  balance_after: Change;
}

export type Posting = PostingOf<"available_sar" | "held_sar", Sar> | PostingOf<"gold_grams", Grams>;

/** Every posting between two days; opening balance and changes add up to the closing balance. */
export interface Statement {
  from: string;
  to: string;
  time_zone: "Asia/Riyadh";
  opening_balance: StatementBalance;
  closing_balance: StatementBalance;
  /** Oldest first. */
  postings: Posting[];
}

/** The bars in the vault, and the gold that is owed to all partners. */
export interface Reserves {
  bars: {
    serial: string;
    refiner: string;
    vault: string;
    gross_grams: Grams;
    /** Parts of gold in 1,000. */
    fineness: number;
    fine_grams: Grams;
  }[];
  fine_grams: Grams;
  /** Never more than fine_grams. */
  owed_grams: Grams;
  /** fine_grams / owed_grams, rounded down to 4 decimals; null where nothing is owed. */
  coverage: number | null;
  as_of: string;
}

interface Bounds<Quantity> {
  step: Quantity;
  minimum: Quantity;
  maximum: Quantity;
}

/** The quantities that you may ask for, your request rate and quotas, and the market's hours. */
export interface Limits {
  gold_grams: Bounds<Grams>;
  amount_sar: Bounds<Sar>;
  quote_ttl_seconds: number;
  rate_limit: { requests_per_second: number; burst: number };
  /** Firm quotes that are not executed yet. null means unlimited, as does a null maximum. */
  open_quotes: {
    maximum_quotes: number | null;
    quotes: number;
    maximum_gold_grams: Grams | null;
    gold_grams: Grams;
  } | null;
  /**
   * Today's stored records that execute nothing, such as quotes that are not executed and refusals that are
   * stored with their Idempotency-Key. null: unlimited.
   */
  daily_records: { maximum_records: number; records: number; resets_at: string } | null;
  market_hours: {
    always_open: boolean;
    time_zone: "Asia/Riyadh";
    /** Empty where the market is always open. */
    sessions: {
      day: "sunday" | "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday";
      opens: string;
      closes: string;
    }[];
  };
}

/** When a credential is accepted, and when it was last used. */
export interface CredentialLife {
  not_before: string;
  /** When the credential stops being accepted. null: not planned. */
  retire_at: string | null;
  /** Exact to the minute. null: never used. */
  last_used_at: string | null;
}

/** Your credentials, without their secret values. */
export interface Credentials {
  certificates: ({ sha256: string; expires_at: string; revoked_at: string | null } & CredentialLife)[];
  signing_keys: ({ kid: string; thumbprint: string } & CredentialLife)[];
  client_secrets: ({ secret_id: string } & CredentialLife)[];
  webhook_secrets: ({ secret_id: string } & CredentialLife)[];
}

/** A credential that expires soon. `id` is its sha256, thumbprint or secret_id in `Credentials`. */
export interface ExpiringCredential {
  kind: "certificate" | "signing_key" | "client_secret" | "webhook_secret";
  id: string;
  expires_at: string;
}

/** The attempts to deliver an event to your endpoint. */
export interface Delivery {
  /** parked: the service gave up. Send the event again with `redeliverEvent()`. */
  status: "pending" | "delivered" | "parked";
  next_attempt_at: string | null;
  attempts: {
    attempted_at: string;
    /** null: no HTTP reply arrived. */
    http_status: number | null;
    duration_ms: number;
  }[];
}

export interface ProbeStep {
  /** null: the service did not reach this step. */
  ok: boolean | null;
  detail: string;
}

/** What is right and wrong with a signature, step by step. */
export interface ProbeVerdict {
  valid: boolean;
  steps: {
    timestamp: ProbeStep;
    nonce: ProbeStep;
    header: ProbeStep;
    key: ProbeStep;
    signature: ProbeStep;
  };
  /** X-Timestamp minus the service's time. */
  clock_offset_seconds: number | null;
  /** The text over which the service verifies the signature. */
  canonical_string: string | null;
  canonical_sha256: string | null;
  /** The usual mistake that explains the failure. */
  mistake: ProbeMistake | null;
}
