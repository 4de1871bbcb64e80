import { pgSchema } from "drizzle-orm/pg-core";

/** Everything that the service owns in a database lives in this one schema. */
export const gold = pgSchema("gold");

export const side = gold.enum("side", ["buy", "sell"]);
export const asset = gold.enum("asset", ["SAR", "XAU"]);

/**
 * The chart of accounts. A transfer moves value from its debit account to its credit account; every account has one asset.
 * bank: SAR outside; available, held: a client's SAR; house: the gold house's SAR from trading.
 * bars: gold as bars; vault: gold that is free to sell; gold: a client's gold.
 */
export const book = gold.enum("book", ["bank", "available", "held", "house", "bars", "vault", "gold"]);

/** Where a withdrawal stands. Its steps are legal by a check of their table. */
export const withdrawalStatus = gold.enum("withdrawal_status", [
  "pending_approval",
  "approved",
  "submitted",
  "paid",
  "rejected",
  "returned",
]);
