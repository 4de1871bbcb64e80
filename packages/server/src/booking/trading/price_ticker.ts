import { type Prices, pricesFromMid } from "@gold-partner/protocol";
import type { Query } from "../../database/query.ts";
import type { AllowList } from "../../http/outbound/allow_list.ts";
import type { Registry } from "../../admission/registry/registry.ts";
import type { Log } from "../../operations/log.ts";
import type { Metrics } from "../../operations/metrics.ts";
import {
  fixedSource,
  type PriceSource,
  SourceError,
  type SourcePrice,
  type StandingPrice,
} from "./price_source.ts";
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

/** A source's price, with the buy and sell prices after the spread. */
type Tick = SourcePrice & Prices;

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
  metrics.gauge("gold_market_halted", () => halted ? 1 : 0);
  const report = (source: string, outcome: string) => {
    metrics.count("gold_price_ticks_total", { source, outcome });
    if ((outcome !== "ok") === failing) return;
    failing = !failing;
    log("warn", failing ? "the price source fails" : "the price source gives prices again", {
      code: outcome,
    });
  };
  const ask = async (standing: StandingPrice): Promise<Tick | undefined> => {
    try {
      const next = await sources[standing.source]?.next(standing, stopping.signal);
      const tick = next && { ...next, ...pricesFromMid(next.midPips, standing.spreadBasisPoints) };
      report(standing.source, "ok");
      return tick;
    } catch (error) {
      if (!stopping.signal.aborted) {
        report(standing.source, error instanceof SourceError ? error.reason : "out_of_range");
      }
      return undefined;
    }
  };
  const noteHalt = (haltedAt: Date | null) => {
    if ((haltedAt !== null) === halted) return;
    halted = haltedAt !== null;
    if (halted) log("error", "the circuit breaker closed the market", { code: "market_halted" });
    else log("warn", "the market is open again");
  };
  const tick = async () => {
    const [row] = await sql`
      select source, url, mid::text, spread_basis_points::text as spread, ticked_at, ticked_at::text as ticked_at_text, halted_at
      from gold.current_price`;
    if (!row) return;
    noteHalt(row.halted_at);
    const next = await ask({
      source: row.source,
      url: row.url,
      midPips: BigInt(row.mid),
      spreadBasisPoints: BigInt(row.spread),
      asOf: row.ticked_at.getTime() === 0 ? undefined : row.ticked_at,
    });
    if (!next) return;
    await sql`select gold.tick_price(${row.ticked_at_text}::text::timestamptz, ${row.url}::text, ${row.spread}::text::int, ${`${next.midPips}`}::text::bigint,
      ${`${next.buyPricePips}`}::text::bigint, ${`${next.sellPricePips}`}::text::bigint, ${next.asOf}::text::timestamptz)`;
  };
  await tick().catch(() => {});
  let underWay = false;
  const timer = setInterval(() => {
    if (underWay) return;
    underWay = true;
    void tick().catch(() => {}).finally(() => underWay = false);
  }, TICK_MS);
  return {
    stop() {
      clearInterval(timer);
      stopping.abort();
    },
  };
}
