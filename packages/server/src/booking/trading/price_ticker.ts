import { PRICE_MAX_PIPS, pricesFromMid } from "@gold-partner/protocol";
import type { Sql } from "postgres";
import type { Reads } from "../../reads.ts";

const TICK_MS = 1000;
/** A step of the simulated walk is at most this many parts in a million. */
const STEP_PPM = 200;

/**
 * Keeps a simulated price moving. Of several services that tick at once one is heard; a fixed price stays. The first
 * tick comes before the service does: after a pause the last price is stale.
 */
export async function startPriceTicker(
  sql: Sql,
  reads: Reads,
  random: (length: number) => Uint8Array,
): Promise<{ stop(): void }> {
  const tick = async () => {
    const { source, mid, spreadBasisPoints, tickedAt } = await reads.price();
    if (source !== "simulated") return;
    const next = stepOf(mid, random(2));
    const { buyPricePips, sellPricePips } = pricesFromMid(next, BigInt(spreadBasisPoints));
    await sql`select gold.tick_price(${tickedAt}::text::timestamptz, ${`${next}`}::text::bigint, ${`${buyPricePips}`}::text::bigint,
      ${`${sellPricePips}`}::text::bigint)`;
  };
  await tick().catch(() => {});
  let underWay = false;
  const timer = setInterval(() => {
    if (underWay) return;
    underWay = true;
    void tick().catch(() => {}).finally(() => underWay = false);
  }, TICK_MS);
  return { stop: () => clearInterval(timer) };
}

function stepOf(mid: bigint, [high = 0, low = 0]: Uint8Array): bigint {
  const ppm = (high * 256 + low) % (2 * STEP_PPM + 1) - STEP_PPM;
  const next = mid + mid * BigInt(ppm) / 1_000_000n;
  const tenth = PRICE_MAX_PIPS / 10n;
  return next < 10_000n ? 10_000n : next > tenth ? tenth : next;
}
