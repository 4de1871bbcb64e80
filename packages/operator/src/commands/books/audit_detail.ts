import { formatGrams, formatHalalas, formatPrice } from "@gold-partner/protocol";

/**
 * Members of an audit row's detail that are stored in minor units, fineness in tenths. Each entry has the
 * name and the format with which other commands print the value.
 */
const QUANTITIES: Readonly<Record<string, readonly [name: string, format: (minorUnits: bigint) => string]>> =
  {
    amount: ["amount_sar", formatHalalas],
    gross: ["gross_grams", formatGrams],
    fine: ["fine_grams", formatGrams],
    maximum_grams: ["maximum_grams", formatGrams],
    open_grams: ["open_grams", formatGrams],
    net_grams: ["net_grams", formatGrams],
    daily_withdrawn: ["daily_withdrawn", formatHalalas],
    exposure: ["exposure", formatGrams],
    grams: ["grams", formatGrams],
    fineness: ["fineness", (tenths) => `${tenths / 10n}.${tenths % 10n}`],
    mid: ["mid_price", formatPrice],
    earlier_mid: ["earlier_mid_price", formatPrice],
    buy: ["buy_price", formatPrice],
    sell: ["sell_price", formatPrice],
  };

/**
 * Returns an audit row's detail with quantities as decimals. This text is only for printing: the audit's hash
 * chain covers the detail as stored.
 */
export function describeDetail(stored: string): string {
  return JSON.stringify(describe(JSON.parse(stored)));
}

function describe(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(describe);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const [shown, format] = QUANTITIES[name] ?? [name];
      // Accept a string of digits, too, because large quantities are stored as strings.
      const isWhole = Number.isSafeInteger(inner) || typeof inner === "string" && /^[0-9]+$/.test(inner);
      return format && isWhole ? [shown, format(BigInt(inner as number | string))] : [name, describe(inner)];
    }),
  );
}
