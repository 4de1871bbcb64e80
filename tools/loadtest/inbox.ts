import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { verifyWebhook } from "@gold-partner/client";
import { type Delivery, testReceiver } from "@gold-partner/server/testing";
import { SeenNumbers } from "../testing/seen_numbers.ts";

/** Receives the webhooks of the partners during a run. */
export interface Inbox {
  /** Returns the webhook URL for the partner with this index. */
  urlOf(partner: number): string;
  /** The number of orders of this run for which an event arrived, each counted once. */
  readonly orders: number;
  /** Deliveries whose signature was not the partner's. */
  readonly refused: number;
  stop(): Promise<void>;
}

/**
 * Opens a receiver with the certificate that `npm start` keeps for receivers on its machine. Returns
 * undefined if there is no certificate.
 */
export async function openInbox(
  stateDir: string,
  secrets: readonly string[],
  sinceMs: number,
): Promise<Inbox | undefined> {
  const read = (name: string) => readFile(join(stateDir, "pki", name), "utf8").catch(() => undefined);
  const [cert, key] = [await read("receiver.pem"), await read("receiver_key.pem")];
  if (cert === undefined || key === undefined) return undefined;
  const receiver = await testReceiver({ certificate: { cert, key } });
  const seen = secrets.map(() => new SeenNumbers());
  let [orders, refused] = [0, 0];
  receiver.answer((delivery) => {
    receiver.deliveries.length = 0;
    const partner = Number(delivery.path.slice(1));
    const event = readEvent(delivery, secrets[partner] ?? "");
    if (!event) {
      refused++;
      return 400;
    }
    // Accept events that an earlier run left undelivered, but do not count them.
    const ofThisRun = Date.parse(event.created_at) >= sinceMs && seen[partner]!.add(event.sequence);
    if (ofThisRun && event.type === "order.executed") orders++;
    return 204;
  });
  return {
    urlOf: (partner) => new URL(`/${partner}`, receiver.url).href,
    get orders() {
      return orders;
    },
    get refused() {
      return refused;
    },
    stop: () => receiver.stop(),
  };
}

function readEvent({ body, headers }: Delivery, secret: string) {
  try {
    return verifyWebhook(body, headers, secret).event;
  } catch {
    return undefined;
  }
}
