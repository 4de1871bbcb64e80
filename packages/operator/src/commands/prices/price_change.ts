import { formatPrice } from "@gold-partner/protocol";
import type { Invocation } from "../../command.ts";

/** How a proposal changes the mid price, compared with the price and the band of this moment. */
export interface PriceChange {
  /** The new mid price in SAR per gram. */
  readonly price: string;
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
  return { price: formatPrice(midPips), percent, isOutsideBand, sentence: `${change} ${band}` };
}

/** Whether the http source was set and has not given a price yet. */
export const isAwaited = (tickedAt: Date) => tickedAt.getTime() === 0;
