// Limits and windows that both sides know. The ranges of money, gold and prices stand in quantity_range.ts.

export const BODY_MAX_BYTES = 65_536;
export const BODY_MAX_DEPTH = 32;

/** How far X-Timestamp may be from the service's clock, either way. */
export const TIMESTAMP_WINDOW_SECONDS = 300;
/** How far a webhook's timestamp may be from the receiver's clock, either way. */
export const WEBHOOK_TOLERANCE_SECONDS = 300;
/** How long an access token lives. */
export const TOKEN_TTL_SECONDS = 600;
/** How long a quote is firm. */
export const QUOTE_TTL_SECONDS = 60;

export const PAGE_DEFAULT_ITEMS = 50;
export const PAGE_MAX_ITEMS = 200;
export const CURSOR_MAX_CHARACTERS = 512;

/** An `errors` list longer than this helps nobody and lets a small request buy a large reply. */
export const FIELD_ERRORS_MAX = 20;

/** ISO 20022's bound for a payment's references (Max35Text). */
export const REFERENCE_MAX_CHARACTERS = 35;
/**
 * A withdrawal's reference travels with the bank transfer, so it keeps to what banks pass on: SWIFT's character
 * set X and the underscore; not at either end a space or a slash. Empty is the same as none.
 */
export const REFERENCE_FORM: RegExp =
  /^(?:[A-Za-z0-9_?:().,'+-](?:[A-Za-z0-9_?:().,'+\/ -]{0,33}[A-Za-z0-9_?:().,'+-])?)?$/;
