import type { Grams, Sar } from "./quantity.ts";

/** Gold to trade, or the amount to trade for; a quantity, or its decimal text as in `"1.5"`. */
export type QuoteRequest =
  & { readonly side: "buy" | "sell" }
  & (
    | { readonly gold_grams: Grams | string; readonly amount_sar?: undefined }
    | { readonly amount_sar: Sar | string; readonly gold_grams?: undefined }
  );

export interface OrderRequest {
  /** Of an open quote of yours. */
  readonly quote_id: string;
}

/** Always to the registered IBAN. */
export interface WithdrawalRequest {
  readonly amount_sar: Sar | string;
  /** Your own; it travels with the transfer, and no two live withdrawals have the same. */
  readonly reference?: string | undefined;
}

export interface FundRequest {
  readonly amount_sar: Sar | string;
}

/** Which part of a list. */
export interface ListQuery {
  /** Only what was made strictly later than this instant, as in 2026-01-31T09:30:00.000Z. */
  readonly created_after?: string | undefined;
  /** Only what was made strictly earlier. */
  readonly created_before?: string | undefined;
  /** Only what was made under this key. */
  readonly idempotency_key?: string | undefined;
  /** Items that are fetched at a time, from 1 to 200; 50 where it is left out. */
  readonly limit?: number | undefined;
}

export interface EventsQuery {
  /** Only events after this sequence number. */
  readonly after?: number | undefined;
  /** Events that are fetched at a time, from 1 to 200; 50 where it is left out. */
  readonly limit?: number | undefined;
}

/** Days of Asia/Riyadh, both included, as in 2026-01-31. */
export interface StatementQuery {
  readonly from: string;
  readonly to: string;
}

export interface CallOptions {
  /** Ends the call, its tries and its pauses. */
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * Makes the write happen once, however often it is called with it. A random one is made for each call; give one of your own,
   * stored beforehand, where the write must also survive a crash of your program.
   */
  readonly idempotencyKey?: string | undefined;
}
