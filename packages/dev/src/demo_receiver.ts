import { setTimeout as sleep } from "node:timers/promises";
import { verifyWebhook } from "@gold-partner/client";
import type { ServerCertificate } from "./authorities.ts";
import { type Delivery, testReceiver } from "@gold-partner/server/testing";

/** The demo partner's webhook receiver. It listens only while the demo runs. */
export interface DemoReceiver {
  /**
   * Returns the time, by `performance.now()`, at which the event `order.executed` or `withdrawal.created`
   * with this id arrived with a valid signature. Returns undefined if none arrives within the time limit.
   */
  awaitEvent(id: string): Promise<number | undefined>;
  stop(): Promise<void>;
}

interface ReceiverPlan {
  readonly port: number;
  readonly certificate: ServerCertificate;
  /** `whsec_…` */
  readonly secret: string;
  /** The demo partner's. */
  readonly clientId: string;
  /** Default: 15 s. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 15_000;
const POLL_MS = 2;

/**
 * Returns undefined if another program already listens on the port, because that program then receives the
 * events.
 */
export async function openDemoReceiver(
  { port, certificate, secret, clientId, timeoutMs = TIMEOUT_MS }: ReceiverPlan,
): Promise<DemoReceiver | undefined> {
  const receiver = await testReceiver({ port, certificate }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE") return undefined;
    throw error;
  });
  if (!receiver) return undefined;
  const arrivedMs = new Map<string, number>();
  receiver.answer((delivery) => {
    const ids = readIds(delivery, secret, clientId);
    for (const id of ids ?? []) arrivedMs.set(id, delivery.receivedMs);
    return ids ? 204 : 400;
  });
  return {
    async awaitEvent(id) {
      const untilMs = performance.now() + timeoutMs;
      while (!arrivedMs.has(id) && performance.now() < untilMs) await sleep(POLL_MS);
      return arrivedMs.get(id);
    },
    stop: () => receiver.stop(),
  };
}

/**
 * Returns a list with the order's id for `order.executed`, or with the withdrawal's id for
 * `withdrawal.created`. The list is empty for every other event. Returns undefined if the signature does not
 * verify, or the event is for another partner.
 */
function readIds({ body, headers }: Delivery, secret: string, clientId: string): string[] | undefined {
  try {
    const { event } = verifyWebhook(body, headers, secret, { clientId });
    if (event.type === "order.executed") return [event.data.order.order_id];
    return event.type === "withdrawal.created" ? [event.data.withdrawal.withdrawal_id] : [];
  } catch {
    return undefined;
  }
}
