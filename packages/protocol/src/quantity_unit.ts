/** The unit of a quantity: money, gold, or the price of a gram of gold. */
export type QuantityUnit = "SAR" | "g" | "SAR/g";

const PRICES = new Set(["price_per_gram_sar", "buy_price", "sell_price"]);
const UNITS: Readonly<Record<string, QuantityUnit>> = { sar: "SAR", grams: "g" };

/**
 * Returns the unit of the numbers in a member of a request or a reply. It follows from the member's name, so
 * the rule also covers members that are added later.
 *
 * @param name The member's name.
 * @returns Undefined for a member that holds no quantity.
 * @example
 * ```ts
 * import { unitOfMember } from "@gold-partner/protocol";
 *
 * console.log(unitOfMember("total_sar"), unitOfMember("sequence")); // SAR undefined
 * ```
 */
export function unitOfMember(name: string): QuantityUnit | undefined {
  if (PRICES.has(name)) return "SAR/g";
  const word = name.slice(name.lastIndexOf("_") + 1);
  return Object.hasOwn(UNITS, word) ? UNITS[word] : undefined;
}
