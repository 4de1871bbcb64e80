import { type Delivery, type TrialReceiver, trialReceiver } from "../trial/receiver.ts";
import type { Deployment } from "./deployment.ts";
import { findFault } from "./standard_webhooks_trial.ts";
import type { Trader } from "./trader.ts";

/** An event as it came to its partner, as often as it came. */
export interface Arrival {
  /** By `performance.now()`. */
  readonly atMs: number;
  readonly id: string;
  readonly sequence: number;
  /** Of `order.executed`. */
  readonly orderId: string | undefined;
  readonly signatures: number;
  /** Those of the partner's secrets by which it verifies. */
  readonly signedBy: readonly string[];
}

/** Where one partner's webhooks come in; each is accepted. */
export class Inbox {
  readonly trader: Trader;
  readonly arrivals: Arrival[] = [];
  /** What the partner verifies by. */
  secrets: readonly string[];
  /** How long it thinks before it answers. */
  delayMs = 0;
  readonly #receiver: TrialReceiver;
  #held: Promise<void> | undefined;

  constructor(trader: Trader, receiver: TrialReceiver) {
    this.trader = trader;
    this.secrets = [trader.credentials.webhook_secret];
    this.#receiver = receiver;
    receiver.answer(async (delivery) => {
      // What was noted is kept by nobody else.
      receiver.deliveries.length = 0;
      this.arrivals.push(read(delivery, this.secrets));
      await this.#held;
      return { status: 204, delayMs: this.delayMs };
    });
  }

  /** From now on whoever delivers waits for the answer, until it is let go. */
  holdAnswers(): () => void {
    let letGo = () => {};
    this.#held = new Promise((resolve) => letGo = resolve);
    return letGo;
  }

  async stop(): Promise<void> {
    await this.#receiver.stop();
  }
}

/** A real receiver for each partner of the deployment, from now until its end. */
export async function openInboxes(deployment: Deployment): Promise<Inbox[]> {
  const inboxes: Inbox[] = [];
  deployment.onStop(async () => void await Promise.all(inboxes.map((inbox) => inbox.stop())));
  for (const trader of deployment.traders) {
    const receiver = await trialReceiver({ certificate: deployment.receiverCertificate });
    inboxes.push(new Inbox(trader, receiver));
    await deployment.operator("partner set", trader.clientId, "--webhook", receiver.url);
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
