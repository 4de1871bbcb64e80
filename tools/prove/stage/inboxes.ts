import { type Delivery, type TestReceiver, testReceiver } from "@gold-partner/server/testing";
import type { Deployment } from "./deployment.ts";
import { findFault } from "./standard_webhooks_fixture.ts";
import type { Trader } from "./trader.ts";

/** One delivery of an event to its partner. A repeated delivery is another arrival. */
export interface Arrival {
  /** By `performance.now()`. */
  readonly atMs: number;
  readonly id: string;
  readonly sequence: number;
  /** The order of an `order.executed` event. */
  readonly orderId: string | undefined;
  readonly signatures: number;
  /** The partner's secrets by which the signature verifies. */
  readonly signedBy: readonly string[];
}

/** The webhook receiver of one partner. It accepts every delivery. */
export class Inbox {
  readonly trader: Trader;
  readonly arrivals: Arrival[] = [];
  /** The secrets with which the partner verifies. */
  secrets: readonly string[];
  /** How long the receiver waits before it answers. */
  delayMs = 0;
  readonly #receiver: TestReceiver;
  #held: Promise<void> | undefined;

  constructor(trader: Trader, receiver: TestReceiver) {
    this.trader = trader;
    this.secrets = [trader.credentials.webhook_secret];
    this.#receiver = receiver;
    receiver.answer(async (delivery) => {
      // Delete the delivery, because the arrival below is the only record that is needed.
      receiver.deliveries.length = 0;
      this.arrivals.push(read(delivery, this.secrets));
      await this.#held;
      return { status: 204, delayMs: this.delayMs };
    });
  }

  /** Makes every later delivery wait for its answer until the returned function is called. */
  holdAnswers(): () => void {
    let letGo = () => {};
    this.#held = new Promise((resolve) => letGo = resolve);
    return letGo;
  }

  async stop(): Promise<void> {
    await this.#receiver.stop();
  }
}

/**
 * Opens a real receiver for each of the partners. The receivers stop with the deployment. `front` returns the
 * port of a proxy in front of a receiver's port.
 */
export async function openInboxes(
  deployment: Deployment,
  traders: readonly Trader[] = deployment.traders,
  front: (port: number) => Promise<number> = (port) => Promise.resolve(port),
): Promise<Inbox[]> {
  const inboxes: Inbox[] = [];
  deployment.onStop(async () => void await Promise.all(inboxes.map((inbox) => inbox.stop())));
  for (const trader of traders) {
    const receiver = await testReceiver({ certificate: deployment.receiverCertificate });
    inboxes.push(new Inbox(trader, receiver));
    const url = Object.assign(new URL(receiver.url), { port: `${await front(receiver.port)}` }).href;
    await deployment.operator("partner set", trader.clientId, "--webhook", url);
  }
  return inboxes;
}

function read({ id, headers, body, receivedMs }: Delivery, secrets: readonly string[]): Arrival {
  const event = JSON.parse(body) as { id: string; sequence: number; data: { order?: { order_id: string } } };
  return {
    atMs: receivedMs,
    id,
    sequence: event.sequence,
    orderId: event.data.order?.order_id,
    signatures: `${headers["webhook-signature"]}`.split(" ").length,
    signedBy: event.id === id
      ? secrets.filter((secret) => findFault(secret, body, headers) === undefined)
      : [],
  };
}
