import type { Grams, Sar } from "./quantity.ts";

/** The gold to trade, or the amount to trade for. Each is a Quantity or its decimal text, such as `"1.5"`. */
export type QuoteRequest =
  & { readonly side: "buy" | "sell" }
  & (
    | { readonly gold_grams: Grams | string; readonly amount_sar?: undefined }
    | { readonly amount_sar: Sar | string; readonly gold_grams?: undefined }
  );

export interface OrderRequest {
  /** The id of an open quote of yours. */
  readonly quote_id: string;
}

/** A withdrawal is always paid to your registered IBAN. */
export interface WithdrawalRequest {
  readonly amount_sar: Sar | string;
  /**
   * Your own reference, at most 35 characters. It is sent with the bank transfer. Two withdrawals that are
   * neither rejected nor returned cannot have the same reference.
   */
  readonly reference?: string | undefined;
}

export interface FundRequest {
  readonly amount_sar: Sar | string;
}

/** Selects a part of a list. */
export interface ListQuery {
  /** Only items that were created strictly after this instant, such as 2026-01-31T09:30:00.000Z. */
  readonly created_after?: string | undefined;
  /** Only items that were created strictly before this instant. */
  readonly created_before?: string | undefined;
  /** Only items that were created with this Idempotency-Key. */
  readonly idempotency_key?: string | undefined;
  /** Items per page, from 1 to 200. Default: 50. */
  readonly limit?: number | undefined;
}

export interface EventsQuery {
  /** Only events after this sequence number. */
  readonly after?: number | undefined;
  /** Events per page, from 1 to 200. Default: 50. */
  readonly limit?: number | undefined;
}

/** The first and the last day, both included, in Asia/Riyadh. A day is written as 2026-01-31. */
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
   * The write is executed once, however often you call it with this key. By default each call makes a random
   * key. If your program must be able to repeat the write after a crash, choose a key and store it before the
   * call.
   */
  readonly idempotencyKey?: string | undefined;
}
