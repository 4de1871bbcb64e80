// Computes a partner's SAR and gold from the service's replies. Quantities are read from their source text
// into whole minor units, because a float could lose digits.

interface Holdings {
  readonly halalas: bigint;
  readonly tenthMilligrams: bigint;
}

/**
 * Rows of source texts. An order has side, total_sar, gold_grams and quote_id. The others have amount_sar.
 */
export interface Executed {
  readonly orders: readonly (readonly string[])[];
  readonly fundings: readonly (readonly string[])[];
  readonly withdrawals: readonly (readonly string[])[];
}

/** Reads the available SAR and gold from the body of GET /v1/balances. */
export function holdingsOf(balances: string): Holdings {
  return {
    halalas: minorUnits(sourcesOf(balances, "available")[0] ?? "", 2),
    tenthMilligrams: minorUnits(sourcesOf(balances, "grams")[0] ?? "", 4),
  };
}

export function holdingsAfter(opening: Holdings, { orders, fundings, withdrawals }: Executed): Holdings {
  let { halalas, tenthMilligrams } = opening;
  for (const [side, total = "", grams = ""] of orders) {
    const isBuy = side === "buy";
    halalas += isBuy ? -minorUnits(total, 2) : minorUnits(total, 2);
    tenthMilligrams += isBuy ? minorUnits(grams, 4) : -minorUnits(grams, 4);
  }
  for (const [amount = ""] of fundings) halalas += minorUnits(amount, 2);
  for (const [amount = ""] of withdrawals) halalas -= minorUnits(amount, 2);
  return { halalas, tenthMilligrams };
}

/**
 * Counts the orders that executed a quote again. The count must be 0, because the service must execute a
 * quote only once.
 */
export const repeatsOf = ({ orders }: Executed): number =>
  orders.length - new Set(orders.map(([, , , quote]) => quote)).size;

/** Reads a number as the service writes it, such as `752.25` or `-1`, never with an exponent. */
export function minorUnits(source: string, decimals: number): bigint {
  const [, minus, whole, fraction = ""] = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(source) ?? [];
  if (whole === undefined || fraction.length > decimals) {
    throw new Error(
      `"${source}" is not a number with at most ${decimals} decimals. The reply differs from the API's documentation.`,
    );
  }
  const units = BigInt(whole + fraction.padEnd(decimals, "0"));
  return minus ? -units : units;
}

/**
 * Returns the source texts of a member, in the order of the items.
 * String values are returned without their quotes.
 */
export function sourcesOf(body: string, member: string): string[] {
  const values = new RegExp(`"${member}":(?:"([^"]*)"|([^,}\\]]+))`, "g");
  return Array.from(body.matchAll(values), ([, text, source]) => text ?? source!);
}
