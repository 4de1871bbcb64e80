import { pgSchema } from "drizzle-orm/pg-core";

/** The schema of the service. The partitions of `attempt` and the list of migrations are in other schemas. */
export const gold = pgSchema("gold");

export const side = gold.enum("side", ["buy", "sell"]);
export const asset = gold.enum("asset", ["SAR", "XAU"]);

/**
 * The chart of accounts. A transfer moves value from its debit account to its credit account. Every account
 * has one asset.
 * bank: the operator's bank account; funding comes from it, and withdrawals go to it.
 * available, held: a client's SAR; held is reserved for withdrawals. house: the operator's SAR from trading.
 * bars: the gold bars that the operator adds or removes. vault: gold that can be sold. gold: a client's gold.
 */
export const book = gold.enum("book", ["bank", "available", "held", "house", "bars", "vault", "gold"]);

/** The status of a withdrawal. A check constraint on `withdrawal_step` allows only valid transitions. */
export const withdrawalStatus = gold.enum("withdrawal_status", [
  "pending_approval",
  "approved",
  "submitted",
  "paid",
  "rejected",
  "returned",
  "cancelled",
]);
