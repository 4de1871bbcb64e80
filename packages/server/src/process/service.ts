import { setTimeout as sleep } from "node:timers/promises";
import { ID_PREFIX, newId } from "@gold-partner/protocol";
import { recognize } from "../admission/recognize.ts";
import { createApp } from "./app.ts";
import { assemble } from "./assembly.ts";
import { about, type Config } from "../settings/config.ts";
import { prepareShutdown } from "../operations/graceful_shutdown.ts";
import { addressText, endListener, listen } from "../http/listener.ts";
import { openStreams } from "../streams/streams.ts";
import { createLog } from "../operations/log.ts";
import { createMetricsServer, createOperationsServer } from "../operations/operations_server.ts";
import { createPlaces } from "../http/turns/places.ts";
import { createTurns } from "../http/turns/turns.ts";
import { createWireServer } from "../http/wire/wire_server.ts";

export interface Service {
  /** Stops without losing a request, then closes everything. A second call waits for the first. */
  stop(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 15_000;
const PING_MS = 2000;

/** Creates the real components and serves them. */
export async function startService(config: Config, write: (line: string) => void): Promise<Service> {
  const log = createLog(write, () => new Date());
  const { deps, delivery, stop: dismantle } = await assemble(config, log);
  const { registry, reads, metrics, refusalLines, tokens } = deps;

  let stopping = false;
  const isReady = async () =>
    server.listening && !stopping && registry.isFresh() &&
    await Promise.race([
      Promise.all([reads.ping(), tokens.check(deps.now())]).then(() => true, () => false),
      falseAfter(PING_MS),
    ]);
  const operations = createOperationsServer({ metrics, isReady });
  const scraped = createMetricsServer(metrics);
  const places = createPlaces();
  const turns = createTurns(places, deps.monotonicMs);
  metrics.gauge("gold_requests_waiting", () => turns.waiting());
  metrics.gauge("gold_requests_running", () => turns.running());
  metrics.gauge("gold_requests_running_max", () => places.limit());
  const streams = openStreams(deps);
  const server = createWireServer({
    fetch: createApp(deps, streams).fetch,
    turns,
    recognize: (headers) => recognize(headers, deps),
    log,
    refusalLines,
    metrics,
    newRequestId: () => newId(ID_PREFIX.request, deps.now(), deps.random),
    docsUrl: config.docsUrl,
    timeoutMs: REQUEST_TIMEOUT_MS,
  });
  const shutdown = prepareShutdown(server, log);
  try {
    await about("OPERATIONS_LISTEN", listen(operations, config.operationsListen));
    if (config.metricsListen) await about("METRICS_LISTEN", listen(scraped, config.metricsListen));
    await about("LISTEN", listen(server, config.listen));
  } catch (error) {
    await Promise.all([operations, scraped].map(endListener));
    await dismantle();
    throw error;
  }
  log("info", "serving", { address: addressText(config.listen), role: config.role, pid: process.pid });

  const leave = async () => {
    stopping = true;
    log("info", "stopping", { pid: process.pid });
    shutdown.announce();
    streams.drain();
    // Give the proxy time to see that this service is not ready, and to close its idle connections. A request
    // that the proxy sends while the service closes the connection would be lost.
    await sleep(config.drainSeconds * 1000);
    await Promise.all([shutdown.close(), delivery?.stop()]);
    await dismantle();
    await Promise.all([operations, scraped].map(endListener));
    log("info", "stopped", { pid: process.pid });
  };
  let left: Promise<void> | undefined;
  return { stop: () => left ??= leave() };
}

const falseAfter = (ms: number) =>
  new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ms).unref());
