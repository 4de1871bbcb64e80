import { randomUUID } from "node:crypto";
import { newWebhookSecret, parseWebhookSecret } from "@gold-partner/protocol";
import type { Registry } from "../admission/registry/registry.ts";
import type { Snapshot } from "../admission/registry/snapshot.ts";
import type { UsageRecorder } from "../admission/usage/usage_recorder.ts";
import { startSealer } from "../booking/outbox/sealer.ts";
import type { DeliveryConfig } from "../settings/config.ts";
import { connect } from "../database/pools.ts";
import type { WriteProbe } from "../database/write_probe.ts";
import { errorFields, type Log } from "../operations/log.ts";
import type { Metrics } from "../operations/metrics.ts";
import type { Sealing } from "../settings/sealing.ts";
import { startAttemptsKeeper } from "./attempts_keeper.ts";
import { LOST_MS, showDatabase } from "./database_figures.ts";
import { createDeliveryReport } from "./delivery_report.ts";
import { openDeliveryStore } from "./delivery_store.ts";
import { CLOSING_TIMEOUT_MS, startDayCloser } from "./closing/day_closer.ts";
import { startExpiryNotices } from "./expiry/expiry_notices.ts";
import { createDisturbances } from "./disturb_webhooks.ts";
import { createSecretOpener } from "./open_secrets.ts";
import { createResolver } from "../http/outbound/resolve_host.ts";
import { createSender } from "./send/sender.ts";
import { DeliveryWorker } from "./worker.ts";

/** Reports a failed round of upkeep. The next round does its work, if the cause is gone by then. */
const logFailure = (log: Log, event: string) => (error: unknown): void =>
  log("warn", event, errorFields(error));

export interface Delivery {
  /** Waits for in-flight attempts. A second call waits for the first. */
  stop(): Promise<void>;
}

interface DeliveryParts {
  readonly config: Pick<
    DeliveryConfig,
    "deliveryDatabaseUrl" | "webhookRetries" | "webhookCa" | "webhookDns"
  >;
  readonly registry: Registry;
  readonly writes: WriteProbe;
  readonly sealing: Sealing;
  readonly usage: UsageRecorder;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly monotonicMs: () => number;
  readonly random: (length: number) => Uint8Array;
}

const CONNECTIONS = 4;

/**
 * Starts the work that no request waits for. It seals hash chains, sends webhooks, notifies partners of
 * credentials that end soon, closes their days, creates and drops the partitions of attempts, and shows
 * the figures of the whole database.
 */
export function startDelivering(parts: DeliveryParts): Delivery {
  const { config, registry, writes, sealing, usage, log, metrics, monotonicMs, random } = parts;
  // Wait for the standby at commits, and send no statement while writes are impossible. Otherwise a partner
  // could learn of an event that a failover undoes.
  const connectAs = (connections: number, options: Parameters<typeof connect>[2]) =>
    connect(config.deliveryDatabaseUrl, connections, { process: "delivery", ...options });
  const work = connectAs(CONNECTIONS, { gate: writes.requirePossible });
  const beat = connectAs(1, {
    commitsLocally: true,
    onNotify: (channel, client) => {
      if (channel === "gold_event") worker.wake(Number(client));
      else {
        worker.look();
        // The partner may have requested simulations. Without this refresh, the worker would learn of them
        // only from the registry's next poll, up to a second later.
        void registry.refresh().catch(() => {});
      }
    },
  });
  let known = registry.snapshot();
  const snapshot = (): Snapshot => known = registry.isFresh() ? registry.snapshot() : known;
  const publicIdOf = (client: number) =>
    [...snapshot().partners.values()].find(({ id }) => id === client)?.publicId;
  const sender = createSender({
    rules: () => ({ loopbackReceivers: snapshot().loopbackReceivers, ports: snapshot().webhookPorts }),
    ca: config.webhookCa,
    resolve: config.webhookDns.length > 0 ? createResolver(config.webhookDns) : undefined,
    nowMs: registry.now,
  });
  const worker = new DeliveryWorker({
    store: openDeliveryStore({ work, beat }, randomUUID()),
    sender,
    schedule: config.webhookRetries,
    openSecrets: createSecretOpener(sealing, publicIdOf, log),
    now: registry.now,
    monotonicMs,
    random: () => new DataView(random(4).buffer).getUint32(0) / 2 ** 32,
    report: createDeliveryReport({ log, metrics, usage, publicIdOf, refresh: registry.refresh }),
    disturbanceOf: createDisturbances(
      (client) => snapshot().disturbed.get(client),
      registry.now,
      parseWebhookSecret(newWebhookSecret(random)),
    ),
  });
  metrics.gauge("gold_webhook_in_flight", () => worker.inFlight);
  metrics.gauge("gold_webhook_endpoints_held", () => worker.held);
  const upkeep = [
    startSealer(work),
    startExpiryNotices(work, logFailure(log, "expiry notices not posted")),
    startDayCloser(() =>
      connectAs(1, { gate: writes.requirePossible, statementTimeoutMs: CLOSING_TIMEOUT_MS })
    ),
    startAttemptsKeeper(work, logFailure(log, "partitions of attempts not kept")),
    showDatabase(connectAs(1, { idleTimeoutMs: LOST_MS }), metrics, monotonicMs),
  ];
  const leave = async () => {
    for (const one of upkeep) one.stop();
    await worker.stop();
    sender.stop();
    await Promise.all([work.end({ timeout: 5 }), beat.end({ timeout: 5 })]);
  };
  let left: Promise<void> | undefined;
  return { stop: () => left ??= leave() };
}
