// Counters in addition to k6's own metrics. The runner adds the values of all k6 processes.
// service_levels.ts defines which counters must be 0 and which must be above 0.
import { Counter } from "k6/metrics";

/** Executed orders according to the replies, each counted once. */
export const ordersAccepted = new Counter("orders_accepted");
/**
 * The number of accepted orders minus the number of executed orders in the books, which is subtracted at the
 * end.
 */
export const ordersUnaccounted = new Counter("orders_unaccounted");
/** 1 if the partner's final balances do not match its records. */
export const booksDifferences = new Counter("books_differences");
/** Writes executed twice under one key, and quotes that the books executed twice. */
export const doubleExecutions = new Counter("double_executions");
/** Repeats under the same key that got the first reply's bytes. */
export const repliesReplayed = new Counter("replays_answered");
/** Different requests under a used key that were refused. */
export const conflicts = new Counter("conflicts");
/** Replays of a signed request, byte for byte, that were refused. */
export const replaysRefused = new Counter("replays_refused");
/** Nonces that the service accepted more than once. */
export const nonceDoubleAccepted = new Counter("nonce_double_accepted");
/**
 * In a race for a nonce, each accepted request adds 1, and each race subtracts 1. A sum above 0 shows that a
 * race had more than one accepted request.
 */
export const raceSurplusWinners = new Counter("race_surplus_winners");
/** Requests refused although the client had waited for Retry-After. */
export const obeyedInVain = new Counter("obeyed_in_vain");
/** Requests that the service did not attribute to this partner's certificate. */
export const certificateMismatches = new Counter("certificate_mismatches");
/** Unexpected replies, tagged with step and code. */
export const refusals = new Counter("refusals");
