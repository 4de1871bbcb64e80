import { createRateLimiter } from "../admission/rate/rate_limiter.ts";
import { shareRates } from "../admission/rate/share_rates.ts";
import { openSharedRates, type SharedRates } from "../admission/rate/shared_rates.ts";
import { readOperatorKeys } from "../admission/registry/operator_keys.ts";
import { openRegistry, type Registry } from "../admission/registry/registry.ts";
import { requirePepper } from "../admission/token/pepper.ts";
import { createTokenAuthority } from "../admission/token/token_authority.ts";
import { recordUse } from "../admission/usage/record_use.ts";
import { startUsageRecorder } from "../admission/usage/usage_recorder.ts";
import { openBooking } from "../booking/booking.ts";
import { openEventNotices } from "../booking/outbox/event_notices.ts";
import { startPriceTicker } from "../booking/trading/price_ticker.ts";
import { about, type Config } from "../settings/config.ts";
import { untilAwake } from "../database/awake.ts";
import { requireDurability } from "../database/durability.ts";
import { type HeadKeeper, openHeadKeeper } from "../database/keep_heads.ts";
import { requireLogin } from "../database/own_login.ts";
import { closePools, connect, openPools, type Pools } from "../database/pools.ts";
import type { Query } from "../database/query.ts";
import { requireSchema } from "../database/schema_version.ts";
import { openWriteProbe, type WriteProbe } from "../database/write_probe.ts";
import { type Delivery, startDelivering } from "../delivery/delivery.ts";
import type { Deps } from "../routes/deps.ts";
import { readKeys } from "../settings/key_source.ts";
import { createClockAlarm } from "../operations/clock_alarm.ts";
import type { Log } from "../operations/log.ts";
import { createMetrics, type Metrics } from "../operations/metrics.ts";
import { watchProcess } from "../operations/process_metrics.ts";
import { openRandomPool } from "../operations/random_pool.ts";
import { createRefusalLines } from "../operations/refusal_lines.ts";
import { openReads } from "../reads/reads.ts";
import { openSealing } from "../settings/sealing.ts";

export interface Assembly {
  readonly deps: Deps;
  /** Set if this process also delivers webhooks. It may be stopped before the rest. */
  readonly delivery: Delivery | undefined;
  /** Stops the background tasks and closes the database connections. */
  stop(): Promise<void>;
}

/** Creates the real components over one database. The caller serves them on a socket. */
export async function assemble(config: Config, log: Log): Promise<Assembly> {
  let writes: WriteProbe | undefined;
  const metrics = createMetrics();
  const own = watchProcess(metrics);
  const pools = openPools(
    config,
    () => writes?.requirePossible(),
    (pool, ms) => metrics.observeSeconds("gold_database_wait_seconds", ms / 1000, { pool }),
  );
  let registry: Registry | undefined;
  let rates: SharedRates | undefined;
  try {
    warnWithoutStandby(config, log);
    await about("DATABASE_URL", untilAwake(pools.reads));
    await about("DATABASE_URL", requireDurability(pools.probe, config.standby));
    await about("DATABASE_URL", requireSchema(pools.reads));
    await requireOwnLogins(pools, config);
    const monotonicMs = () => performance.now();
    const [[pepper], sealing] = await Promise.all([
      about("PEPPER_SOURCE", readKeys(config.pepperSource)),
      about("SEALING_KEY_SOURCE", openSealing(() => readKeys(config.sealingKeySource), monotonicMs)),
    ]);
    const operatorKeys = await readOperatorKeys(config, log, pools.registry);
    registry = await openRegistry(pools.registry, monotonicMs, log, operatorKeys);
    requireSameDeployment(registry, config);
    await about("PEPPER_SOURCE", requirePepper(pools.registry, pepper!));
    const tokens = createTokenAuthority(registry, sealing, config.publicBaseUrl, log);
    await about("SEALING_KEY_SOURCE", tokens.check(registry.now()));
    const notices = openEventNotices(pools.notices);
    const heads = await openHeads(config, { sql: pools.probe, monotonicMs, log });
    writes = await openWriteProbe({ sql: pools.probe, standby: config.standby, heads, monotonicMs, log });
    const { isFresh, snapshot } = registry;
    // Do not notify of events of a partner without a webhook URL. If its URL was set after the last snapshot,
    // the workers find its events by their own poll.
    const booking = openBooking(
      pools,
      config.lanes,
      (client) => {
        if (!isFresh() || snapshot().receivers.has(client)) notices.notify(client);
      },
      writes,
      metrics,
    );
    const reads = openReads(pools.reads, pools.holding);
    // Export 0 before the first error, so that an alert sees the increase.
    metrics.count("gold_unexpected_errors_total", {}, 0);
    showWrites(metrics, writes, heads);
    for (const [pool, { waiting }] of Object.entries(pools)) {
      metrics.gauge("gold_database_waiting", waiting, { pool });
    }
    metrics.gauge("gold_malformed_rows", () => registry!.malformedRows());
    metrics.gauge("gold_bookings_waiting", () => booking.waiting());
    metrics.gauge("gold_commits_waiting_seconds", () => booking.oldestSeconds());
    const share = shareRates(pools.registry, crypto.randomUUID());
    const limiter = rates = openSharedRates(createRateLimiter(), share, monotonicMs);
    metrics.gauge("gold_rate_limiter_clients", () => limiter.clients());
    const failures = createRateLimiter<string>();
    metrics.gauge("gold_failing_certificates", () => failures.clients());
    const refusalLines = createRefusalLines(log);
    const random = openRandomPool();
    const usage = startUsageRecorder((uses) => recordUse(pools.registry, uses));
    const ticker = await startPriceTicker({
      sql: pools.ticker,
      allow: config.priceSourceAllow,
      now: registry.now,
      random,
      log,
      metrics,
    });
    const delivery = config.role === "all"
      ? startDelivering({ config, registry, writes, sealing, usage, log, metrics, monotonicMs, random })
      : undefined;
    return {
      delivery,
      deps: {
        config,
        registry,
        tokens,
        limiter,
        failures,
        usage,
        booking,
        reads,
        writes,
        log,
        refusalLines,
        metrics,
        clockAlarm: createClockAlarm(log, metrics, monotonicMs),
        now: registry.now,
        monotonicMs,
        random,
        pepper: pepper!,
      },
      async stop() {
        ticker.stop();
        own.stop();
        refusalLines.stop();
        await delivery?.stop();
        registry?.stop();
        rates?.stop();
        writes?.stop();
        await usage.stop();
        await closePools(pools);
      },
    };
  } catch (error) {
    own.stop();
    registry?.stop();
    rates?.stop();
    writes?.stop();
    await closePools(pools);
    throw error;
  }
}

/** Opens the file of heads. With HEADS_FILE=off, logs a warning at each start in production. */
export async function openHeads(
  { environment, headsFile: file }: Pick<Config, "environment" | "headsFile">,
  parts: { readonly sql: Query; readonly monotonicMs: () => number; readonly log: Log },
): Promise<HeadKeeper | undefined> {
  if (file !== undefined) return await about("HEADS_FILE", openHeadKeeper({ file, ...parts }));
  if (environment === "production") {
    parts.log("warn", "HEADS_FILE is off: nobody notices a restore that lost records", {
      setting: "HEADS_FILE",
    });
  }
  return undefined;
}

/**
 * Shows three gauges, each 1 or 0: whether writes can be committed, and whether a missing standby or missing
 * records prevent it. Then the age of the file of heads; NaN without the file.
 */
export function showWrites(metrics: Metrics, writes: WriteProbe, heads: HeadKeeper | undefined): void {
  metrics.gauge("gold_records_missing", () => writes.fault() === "records_missing" ? 1 : 0);
  metrics.gauge("gold_heads_age_seconds", () => heads?.ageSeconds() ?? NaN);
  metrics.gauge("gold_writes_possible", () => writes.fault() === undefined ? 1 : 0);
  metrics.gauge("gold_standby_missing", () => writes.fault() === "no_standby" ? 1 : 0);
}

/** Logs a warning at each start in production with HA=off. */
export function warnWithoutStandby(
  { environment, standby }: Pick<Config, "environment" | "standby">,
  log: Log,
): void {
  if (environment === "sandbox" || standby) return;
  log("warn", "HA is off: if the database's server is lost, acknowledged orders are lost", { setting: "HA" });
}

/** Throws if a login may not do its work, because the price would only become stale and webhooks wait. */
async function requireOwnLogins(pools: Pools, config: Config): Promise<void> {
  await about("TICKER_DATABASE_URL", untilAwake(pools.ticker));
  await about("TICKER_DATABASE_URL", requireLogin(pools.ticker, "gold_ticker", "tick_price"));
  if (config.role === "all") {
    const delivery = connect(config.deliveryDatabaseUrl, 1, { process: "delivery" });
    await about("DELIVERY_DATABASE_URL", requireLogin(delivery, "gold_delivery", "claim_receivers"))
      .finally(() => delivery.end({ timeout: 5 }));
  }
}

/** Refuses the database of another deployment: the service would sell that deployment's gold. */
export function requireSameDeployment(
  registry: Registry,
  config: Pick<Config, "environment" | "publicBaseUrl">,
): void {
  const { environment, publicBaseUrl } = registry.snapshot();
  if (environment === config.environment && publicBaseUrl === config.publicBaseUrl) return;
  throw new Error(
    `DATABASE_URL is a ${environment} database for ${publicBaseUrl}; got GOLD_ENV=${config.environment} and ` +
      `PUBLIC_BASE_URL=${config.publicBaseUrl}. Correct the setting that is wrong.`,
  );
}
