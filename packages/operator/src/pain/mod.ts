/** Withdrawals as the file that the house's bank takes. Pure functions: files, the clock and the database stay outside. */
export { dayInRiyadh, type PaymentBatch, writePaymentInitiation } from "./payment_initiation.ts";
export { compactUuid } from "./payment_text.ts";
