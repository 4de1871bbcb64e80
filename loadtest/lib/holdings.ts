// What a partner holds, as the service tells it. Quantities are read from their source text to whole minor units: a float never
// touches one.

interface Holdings {
  readonly halalas: bigint;
  readonly tenthMilligrams: bigint;
}

/** Rows of source texts: side, total_sar, gold_grams and quote_id of an order, amount_sar of the others. */
export interface Executed {
  readonly orders: readonly (readonly string[])[];
  readonly fundings: readonly (readonly string[])[];
  readonly withdrawals: readonly (readonly string[])[];
}

/** What is available, as GET /v1/balances says. */
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

/** Orders beyond the first of each quote, which is executed once. */
export const repeatsOf = ({ orders }: Executed): number =>
  orders.length - new Set(orders.map(([, , , quote]) => quote)).size;

/** As the service writes them: `752.25`, `-1`, never with an exponent. */
export function minorUnits(source: string, decimals: number): bigint {
  const [, minus, whole, fraction = ""] = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(source) ?? [];
  if (whole === undefined || fraction.length > decimals) {
    throw new Error(
      `"${source}" is no number of at most ${decimals} decimals: the reply is not what the service documents.`,
    );
  }
  const units = BigInt(whole + fraction.padEnd(decimals, "0"));
  return minus ? -units : units;
}

/** The source texts of a member, in the order of the items; one that is a string loses its quotes. */
export function sourcesOf(body: string, member: string): string[] {
  const values = new RegExp(`"${member}":(?:"([^"]*)"|([^,}\\]]+))`, "g");
  return Array.from(body.matchAll(values), ([, text, source]) => text ?? source!);
}
