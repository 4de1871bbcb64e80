// What is counted beside k6's own metrics. Each is a sum over all processes; what must be 0 or above is said in service_levels.ts.
import { Counter } from "k6/metrics";

/** Orders that were executed, as this side was told, each once. */
export const ordersAccepted = new Counter("orders_accepted");
/** Raised by each accepted order, lowered in the end by what the books executed. */
export const ordersUnaccounted = new Counter("orders_unaccounted");
/** The partner's balances against its records, in the end. */
export const booksDifferences = new Counter("books_differences");
/** Writes that were done twice under one key, and quotes that the books executed twice. */
export const doubleExecutions = new Counter("double_executions");
/** Repeats under the same key that got the first reply's bytes. */
export const repliesReplayed = new Counter("replays_answered");
/** Other requests under a used key that were refused. */
export const conflicts = new Counter("conflicts");
/** Requests sent again as they were, and refused. */
export const replaysRefused = new Counter("replays_refused");
/** Nonces that were let in more than once. */
export const nonceDoubleAccepted = new Counter("nonce_double_accepted");
/** Raised by the winner of each race for a nonce, lowered by its first contender. */
export const raceSurplusWinners = new Counter("race_surplus_winners");
/** Refused though Retry-After was over. */
export const obeyedInVain = new Counter("obeyed_in_vain");
/** Requests that did not count as coming from this partner's certificate. */
export const certificateMismatches = new Counter("certificate_mismatches");
/** What was not expected, by step and code. */
export const refusals = new Counter("refusals");
