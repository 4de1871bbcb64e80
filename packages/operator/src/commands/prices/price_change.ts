import { formatPrice } from "@gold-partner/protocol";
import type { Invocation } from "../../command.ts";
import { EXIT, Failure, usage } from "../../failure.ts";

/** How a proposal changes the mid price, compared with the price and the band of this moment. */
export interface PriceChange {
  readonly midPips: bigint;
  /** Null if there is no price to compare with. */
  readonly percent: number | null;
  readonly isOutsideBand: boolean;
  /** The same for people. */
  readonly sentence: string;
}

/** Returns undefined if the content of the proposal names no price. */
export async function readPriceChange(
  { mid, spread_basis_points }: Readonly<Record<string, unknown>>,
  query: Invocation["query"],
): Promise<PriceChange | undefined> {
  if (typeof mid !== "string") return undefined;
  const midPips = BigInt(mid);
  const [price] = await query`
    select mid::text, round(100.0 * (${mid}::text::bigint - mid) / mid, 2)::float8 as percent,
      ticked_at, band_basis_points is not null as has_band,
      gold.is_outside_band(${mid}::text::bigint, ${spread_basis_points as number}::int) as is_outside
    from gold.current_price`;
  const percent: number | null = price && !isAwaited(price.ticked_at) ? price.percent : null;
  const change = percent === null
    ? `The mid price becomes ${formatPrice(midPips)} SAR per gram.`
    : `The mid price changes by ${percent > 0 ? "+" : ""}${percent} %, from ${
      formatPrice(BigInt(price!.mid))
    } to ${formatPrice(midPips)} SAR per gram.`;
  const isOutsideBand: boolean = price?.is_outside ?? false;
  const band = isOutsideBand
    ? "It leaves the price band."
    : price?.has_band
    ? "It stays inside the price band."
    : "There is no price band.";
  return { midPips, percent, isOutsideBand, sentence: `${change} ${band}` };
}

/**
 * Returns whether the person must type the price of the proposal, because it leaves the price band. Throws if
 * --expect differs from the price. Throws also if --expect is missing and there is no terminal.
 */
export function mustTypePrice(
  { askText }: Invocation,
  expected: bigint | undefined,
  change: PriceChange | undefined,
): boolean {
  if (expected !== undefined) {
    if (change === undefined) {
      throw usage("--expect can be given only for a pending proposal that names a price.");
    }
    if (expected !== change.midPips) throw otherPrice(change.midPips, formatPrice(expected));
    return false;
  }
  if (!change?.isOutsideBand) return false;
  if (askText) return true;
  throw usage(
    `--expect is missing. ${change.sentence} Compare it with a price screen, and give the mid price that you approve.`,
  );
}

export async function askForPrice(
  { askText }: Invocation,
  question: string,
  { midPips }: PriceChange,
): Promise<void> {
  const typed = await askText!(
    `${question} Compare it with a price screen, and type the new mid price:`,
  );
  if (typed !== formatPrice(midPips)) throw otherPrice(midPips, typed);
}

const otherPrice = (midPips: bigint, given: string) =>
  new Failure(
    EXIT.refused,
    "refused",
    `The mid price of the proposal is ${formatPrice(midPips)}; got ${given || "nothing"}. Nothing was done.`,
  );

/** Whether the http source was set and has not given a price yet. */
export const isAwaited = (tickedAt: Date) => tickedAt.getTime() === 0;
