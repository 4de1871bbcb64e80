import { PRICE_MAX_PIPS } from "@gold-partner/protocol";
import type { PriceSource } from "./price_source.ts";

/** A step of the walk is at most this many parts in a million. */
const STEP_PPM = 200;
const LOWEST_PIPS = 10_000n;
const HIGHEST_PIPS = PRICE_MAX_PIPS / 10n;

/** A random walk from the current price. `draw` gives two bytes a step; the same bytes give the same walk. */
export function simulatedSource(draw: () => Uint8Array): PriceSource {
  return {
    next: ({ midPips }) => Promise.resolve({ midPips: stepFrom(midPips, draw()), asOf: null }),
  };
}

function stepFrom(midPips: bigint, [high = 0, low = 0]: Uint8Array): bigint {
  const ppm = (high * 256 + low) % (2 * STEP_PPM + 1) - STEP_PPM;
  const next = midPips + midPips * BigInt(ppm) / 1_000_000n;
  return next < LOWEST_PIPS ? LOWEST_PIPS : next > HIGHEST_PIPS ? HIGHEST_PIPS : next;
}
