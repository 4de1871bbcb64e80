// The replies as interfaces of their own, so that a reader of the package needs no schema library. They are those that the
// service's schemas infer, with exact quantities; a test holds them equal.
import type { ProbeMistake } from "@gold-partner/protocol";
import type { Grams, Sar, SarPerGram } from "./quantity.ts";

export interface Health {
  status: "ok";
}

/** Indicative: a quote is firm. */
export interface Prices {
  currency: "SAR";
  unit: "gram";
  purity: "24K";
  /** What you pay; above the sell price. */
  buy_price: SarPerGram;
  /** What you receive. */
  sell_price: SarPerGram;
  as_of: string;
  market: "open" | "closed";
}

/** The account at one instant. */
export interface Balances {
  sar: {
    /** Can be traded or withdrawn. */
    available: Sar;
    /** Of withdrawals that are not yet paid. */
    held: Sar;
  };
  gold: { grams: Grams };
  as_of: string;
}

/** A price that is firm for a minute, for one order. It holds neither funds nor gold. */
export interface Quote {
  quote_id: string;
  side: "buy" | "sell";
  gold_grams: Grams;
  price_per_gram_sar: SarPerGram;
  /** What the order moves: of a buy rounded up to the halala, of a sell down. */
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

/** Money on its way out. Rejected or returned, it is available again. */
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

/** Money that came in. */
export interface Funding {
  funding_id: string;
  amount_sar: Sar;
  created_at: string;
  /** When the bank took it back; null: it stands. */
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
  /** The order, funding or withdrawal that moved it. */
  id: string;
  /** What moved it, as in order.executed or withdrawal.returned. */
  type: string;
  account: Account;
  /** Negative where it went down. */
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

/** The bars behind the gold. */
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

/** What you may ask for, and how often. */
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
  /** Records of a day that execute nothing, such as quotes and binding refusals. null: unlimited. */
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

/** When a credential is accepted, and when it last was. */
export interface CredentialLife {
  not_before: string;
  /** null: not planned. */
  retire_at: string | null;
  /** To the minute; null: never. */
  last_used_at: string | null;
}

/** Your credentials, never their values. */
export interface Credentials {
  certificates: ({ sha256: string; expires_at: string; revoked_at: string | null } & CredentialLife)[];
  signing_keys: ({ kid: string; thumbprint: string } & CredentialLife)[];
  client_secrets: ({ secret_id: string } & CredentialLife)[];
  webhook_secrets: ({ secret_id: string } & CredentialLife)[];
}

/** A credential that ends soon; `id` as `Credentials` has it. */
export interface ExpiringCredential {
  kind: "certificate" | "signing_key" | "client_secret" | "webhook_secret";
  id: string;
  expires_at: string;
}

/** The attempts to deliver an event to your endpoint. */
export interface Delivery {
  /** parked: given up; redeliver it by hand. */
  status: "pending" | "delivered" | "parked";
  next_attempt_at: string | null;
  attempts: {
    attempted_at: string;
    /** null: no HTTP reply came. */
    http_status: number | null;
    duration_ms: number;
  }[];
}

export interface ProbeStep {
  /** null: not reached. */
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
  /** What the service verifies the signature over. */
  canonical_string: string | null;
  canonical_sha256: string | null;
  /** The usual mistake that explains the failure. */
  mistake: ProbeMistake | null;
}
