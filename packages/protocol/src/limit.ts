// Limits and windows that both the service and its clients know. The ranges of money, gold and prices are in
// quantity_range.ts.

export const BODY_MAX_BYTES = 65_536;
export const BODY_MAX_DEPTH = 32;

/** Seconds that X-Timestamp may differ from the service's clock, in both directions. */
export const TIMESTAMP_WINDOW_SECONDS = 300;
/** Seconds that a webhook's timestamp may differ from the receiver's clock, in both directions. */
export const WEBHOOK_TOLERANCE_SECONDS = 300;
/** How long an access token lives. */
export const TOKEN_TTL_SECONDS = 600;
/** How long a quote is firm. */
export const QUOTE_TTL_SECONDS = 60;

export const PAGE_DEFAULT_ITEMS = 50;
export const PAGE_MAX_ITEMS = 200;
export const CURSOR_MAX_CHARACTERS = 512;

/** The maximum length of an `errors` list. It keeps a small request from causing a large reply. */
export const FIELD_ERRORS_MAX = 20;

/** The longest text that a partner may give a record, in Unicode code points. */
export const PARTNER_TEXT_MAX_CHARACTERS = 64;
/** Control characters, line breaks, and characters that change the direction of text. */
export const UNPRINTABLE =
  "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069";
/**
 * A text that a partner may give a record: 1 to 64 code points. Unprintable characters are refused, because
 * people read these texts on terminals. It must not begin or end with a space. The database checks the
 * same form (record_members.sql).
 */
export const PARTNER_TEXT_FORM: RegExp = new RegExp(
  `^[^ ${UNPRINTABLE}](?:[^${UNPRINTABLE}]{0,62}[^ ${UNPRINTABLE}])?$`,
  "u",
);

/** The limit of ISO 20022 for a payment's reference (Max35Text). */
export const REFERENCE_MAX_CHARACTERS = 35;
/**
 * A withdrawal's reference is sent with the bank transfer, so it has only characters that banks pass on:
 * SWIFT's character set X and the underscore. It must not begin or end with a space or a slash. An empty
 * reference is the same as no reference.
 */
export const REFERENCE_FORM: RegExp =
  /^(?:[A-Za-z0-9_?:().,'+-](?:[A-Za-z0-9_?:().,'+\/ -]{0,33}[A-Za-z0-9_?:().,'+-])?)?$/;
