import { pricesFromMid } from "@gold-partner/protocol";
import type { Row } from "postgres";
import type { Query } from "../../database/query.ts";
import type { AllowList } from "../../settings/allow_list.ts";
import type { Registry } from "../../admission/registry/registry.ts";
import type { Log } from "../../operations/log.ts";
import type { Metrics } from "../../operations/metrics.ts";
import { fixedSource, type PriceSource, SourceError } from "./price_source.ts";
import { httpSource } from "./price_source_http.ts";
import { simulatedSource } from "./price_source_simulated.ts";

const TICK_MS = 1000;

interface PriceTickerParts {
  readonly sql: Query;
  /** Internal price feeds that requests may go to. */
  readonly allow: AllowList;
  readonly now: Registry["now"];
  readonly random: (length: number) => Uint8Array;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Why a tick stored no price; undefined for every other error, such as a database that does not answer. */
function outcomeOf(error: unknown): string | undefined {
  if (error instanceof SourceError) return error.reason;
  if (error instanceof RangeError) return "out_of_range";
  // The database judges how far a price may move; see price_band.sql.
  return (error as { readonly detail?: unknown }).detail === "outside_band" ? "outside_band" : undefined;
}

/**
 * Asks the operator's price source once a second, one request at a time, and stores its price. If several
 * services tick at once, one tick is stored. If the source gives nothing, the price becomes stale by itself.
 * After a pause of all services, the last price is stale. So the first tick ends before this function
 * returns, and the service starts with a fresh price.
 */
export async function startPriceTicker(
  { sql, allow, now, random, log, metrics }: PriceTickerParts,
): Promise<{ stop(): void }> {
  const sources: Readonly<Record<string, PriceSource>> = {
    fixed: fixedSource,
    simulated: simulatedSource(() => random(2)),
    http: httpSource({ now, allow }),
  };
  const stopping = new AbortController();
  let failing = false;
  let halted = false;
  // The alarm PriceOutsideBand counts from the first refused price on, so the counter begins at zero.
  for (const source of Object.keys(sources)) {
    metrics.count("gold_price_ticks_total", { source, outcome: "outside_band" }, 0);
  }
  const report = (source: string, outcome: string) => {
    metrics.count("gold_price_ticks_total", { source, outcome });
    if ((outcome !== "ok") === failing) return;
    failing = !failing;
    log("warn", failing ? "the price source fails" : "the price source gives prices again", {
      code: outcome,
    });
  };
  const noteHalt = (haltedAt: Date | null) => {
    if ((haltedAt !== null) === halted) return;
    halted = haltedAt !== null;
    if (halted) log("error", "the circuit breaker closed the market", { code: "market_halted" });
    else log("warn", "the market is open again");
  };
  /** Asks the source and stores its price. */
  const follow = async (row: Row): Promise<void> => {
    const spreadBasisPoints = BigInt(row.spread);
    const next = await sources[row.source]?.next({
      source: row.source,
      url: row.url,
      midPips: BigInt(row.mid),
      spreadBasisPoints,
      asOf: row.ticked_at.getTime() === 0 ? undefined : row.ticked_at,
    }, stopping.signal);
    if (!next) return;
    const { buyPricePips, sellPricePips } = pricesFromMid(next.midPips, spreadBasisPoints);
    await sql`select gold.tick_price(${row.ticked_at_text}::text::timestamptz, ${row.url}::text, ${row.spread}::text::int, ${`${next.midPips}`}::text::bigint,
      ${`${buyPricePips}`}::text::bigint, ${`${sellPricePips}`}::text::bigint, ${next.asOf}::text::timestamptz)`;
  };
  const tick = async () => {
    const [row] = await sql`
      select source, url, mid::text, spread_basis_points::text as spread, ticked_at, ticked_at::text as ticked_at_text, halted_at
      from gold.current_price`;
    if (!row) return;
    noteHalt(row.halted_at);
    const outcome = await follow(row).then(() => "ok", outcomeOf);
    if (outcome !== undefined && !stopping.signal.aborted) report(row.source, outcome);
  };
  await tick().catch(() => {});
  let ticking = false;
  const timer = setInterval(() => {
    if (ticking) return;
    ticking = true;
    void tick().catch(() => {}).finally(() => ticking = false);
  }, TICK_MS);
  return {
    stop() {
      clearInterval(timer);
      stopping.abort();
    },
  };
}
