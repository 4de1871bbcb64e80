import { openHeads, requireSameDeployment, showWrites, warnWithoutStandby } from "./assembly.ts";
import { openRegistry, type Registry } from "../admission/registry/registry.ts";
import { recordUse } from "../admission/usage/record_use.ts";
import { startUsageRecorder } from "../admission/usage/usage_recorder.ts";
import { about, type DeliveryConfig } from "../settings/config.ts";
import { untilAwake } from "../database/awake.ts";
import { requireDurability } from "../database/durability.ts";
import { requireLogin } from "../database/own_login.ts";
import { connect } from "../database/pools.ts";
import { requireSchema } from "../database/schema_version.ts";
import { openWriteProbe, type WriteProbe } from "../database/write_probe.ts";
import { type Delivery, startDelivering } from "../delivery/delivery.ts";
import { readKeys } from "../settings/key_source.ts";
import { addressText, endListener, listen } from "../http/listener.ts";
import { createLog } from "../operations/log.ts";
import { createMetrics } from "../operations/metrics.ts";
import { watchProcess } from "../operations/process_metrics.ts";
import { createMetricsServer, createOperationsServer } from "../operations/operations_server.ts";
import { openRandomPool } from "../operations/random_pool.ts";
import { openSealing } from "../settings/sealing.ts";
import type { Service } from "./service.ts";

const CONNECTIONS = 2;

/** Runs delivery in a separate process. Partners cannot reach it, and no order waits for it. */
export async function startDelivery(config: DeliveryConfig, write: (line: string) => void): Promise<Service> {
  const log = createLog(write, () => new Date());
  const { deliveryDatabaseUrl } = config;
  const sql = connect(deliveryDatabaseUrl, CONNECTIONS, { process: "delivery", commitsLocally: true });
  const probe = connect(deliveryDatabaseUrl, 1, { process: "delivery" });
  const metrics = createMetrics();
  const own = watchProcess(metrics);
  let stopping = false;
  let registry: Registry | undefined;
  let writes: WriteProbe | undefined;
  // A fresh registry means that the database answers, because this process reads the registry every second.
  const isReady = () => Promise.resolve(!stopping && registry!.isFresh());
  const operations = createOperationsServer({ metrics, isReady });
  const scraped = createMetricsServer(metrics);
  const monotonicMs = () => performance.now();
  const usage = startUsageRecorder((uses) => recordUse(sql, uses));
  let delivery: Delivery;
  try {
    warnWithoutStandby(config, log);
    await about("DELIVERY_DATABASE_URL", untilAwake(sql));
    await about("DELIVERY_DATABASE_URL", requireDurability(probe, config.standby));
    await about("DELIVERY_DATABASE_URL", requireSchema(sql));
    await about("DELIVERY_DATABASE_URL", requireLogin(sql, "gold_delivery", "claim_receivers"));
    const sealing = await about(
      "SEALING_KEY_SOURCE",
      openSealing(() => readKeys(config.sealingKeySource), monotonicMs),
    );
    // Without the operators' keys: delivery uses none of the rows that need two signatures.
    registry = await openRegistry(sql, monotonicMs, log);
    const heads = await openHeads(config, { sql: probe, monotonicMs, log });
    writes = await openWriteProbe({ sql: probe, standby: config.standby, heads, monotonicMs, log });
    showWrites(metrics, writes, heads);
    const { malformedRows } = registry;
    metrics.gauge("gold_malformed_rows", malformedRows);
    requireSameDeployment(registry, config);
    await about("OPERATIONS_LISTEN", listen(operations, config.operationsListen));
    if (config.metricsListen) await about("METRICS_LISTEN", listen(scraped, config.metricsListen));
    const random = openRandomPool();
    delivery = startDelivering({
      config,
      registry,
      writes,
      sealing,
      usage,
      log,
      metrics,
      monotonicMs,
      random,
    });
  } catch (error) {
    own.stop();
    await Promise.all([operations, scraped].map(endListener));
    registry?.stop();
    writes?.stop();
    await usage.stop();
    await Promise.all([sql.end({ timeout: 5 }), probe.end({ timeout: 5 })]);
    throw error;
  }
  log("info", "delivering", {
    address: addressText(config.operationsListen),
    role: "delivery",
    pid: process.pid,
  });

  const leave = async () => {
    stopping = true;
    log("info", "stopping", { pid: process.pid });
    own.stop();
    await delivery.stop();
    registry.stop();
    writes.stop();
    await usage.stop();
    await Promise.all([sql.end({ timeout: 5 }), probe.end({ timeout: 5 })]);
    await Promise.all([operations, scraped].map(endListener));
    log("info", "stopped", { pid: process.pid });
  };
  let left: Promise<void> | undefined;
  return { stop: () => left ??= leave() };
}
