import { requireSameDeployment } from "./assembly.ts";
import { openRegistry, type Registry } from "./admission/registry/registry.ts";
import { startSealer } from "./booking/outbox/sealer.ts";
import { about, type DeliveryConfig } from "./config.ts";
import { requireDurability } from "./database/durability.ts";
import { connect } from "./database/pools.ts";
import { addressText, endListener, listen } from "./listener.ts";
import { createLog } from "./operations/log.ts";
import { createMetrics } from "./operations/metrics.ts";
import { createOperationsServer } from "./operations/operations_server.ts";
import type { Service } from "./service.ts";

const CONNECTIONS = 2;

/** What runs after the commit, in a process of its own: no partner reaches it, and no order waits for it. */
export async function startDelivery(config: DeliveryConfig, write: (line: string) => void): Promise<Service> {
  const log = createLog(write, () => new Date());
  const sql = connect(config.databaseUrl, CONNECTIONS);
  const metrics = createMetrics();
  let stopping = false;
  let registry: Registry | undefined;
  // The registry is read every second over the same connections, so its age says whether the database is there.
  const isReady = () => Promise.resolve(!stopping && registry!.isFresh());
  const operations = createOperationsServer({ metrics, isReady });
  try {
    await about("DATABASE_URL", requireDurability(sql, config.standby));
    registry = await openRegistry(sql, () => performance.now());
    requireSameDeployment(registry, config);
    await about("OPERATIONS_LISTEN", listen(operations, config.operationsListen));
  } catch (error) {
    registry?.stop();
    await sql.end({ timeout: 5 });
    throw error;
  }
  const sealer = startSealer(sql);
  log("info", "delivering", {
    address: addressText(config.operationsListen),
    role: "delivery",
    pid: process.pid,
  });

  const leave = async () => {
    stopping = true;
    log("info", "stopping", { pid: process.pid });
    sealer.stop();
    registry.stop();
    await sql.end({ timeout: 5 });
    await endListener(operations);
    log("info", "stopped", { pid: process.pid });
  };
  let left: Promise<void> | undefined;
  return { stop: () => left ??= leave() };
}
