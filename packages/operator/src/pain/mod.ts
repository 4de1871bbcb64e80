/**
 * Writes withdrawals as a payment file for the operator's bank (pain.001 of ISO 20022). These are pure
 * functions; the caller handles files, the clock and the database.
 */
export { dayInRiyadh, type PaymentBatch, writePaymentInitiation } from "./payment_initiation.ts";
export { compactUuid } from "./payment_text.ts";
