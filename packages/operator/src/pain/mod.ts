/**
 * Writes withdrawals as the file that the operator's bank takes. These are pure functions: files, the clock
 * and the database stay outside.
 */
export { dayInRiyadh, type PaymentBatch, writePaymentInitiation } from "./payment_initiation.ts";
export { compactUuid } from "./payment_text.ts";
