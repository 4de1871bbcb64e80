// Sends one order at a time through the real API to an otherwise idle service. Measures the time from the
// reply 201 to the arrival of the event at the partner.
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../testing/statistics.ts";
import { type TestReceiver, testReceiver } from "@gold-partner/server/testing";
import type { Plan, Round } from "../harness.ts";
import type { PartnerRequests } from "../../prove/stage/trader.ts";
import { memberOf, requireReply, Wire } from "../../prove/stage/wire.ts";
import { openPartner, prepareOrders } from "../partner.ts";
import type { WebhookStack } from "./stack.ts";

export const MEDIAN = "from the 201 to the arrival of the event, median";
const PERCENTILE_99 = "from the 201 to the arrival of the event, 99th percentile";
const ORDERS = 100;
const ROUND_SHARE = 0.5;
/** Time for the service to record what it has delivered, and to become idle. */
const PAUSE_MS = 20;

export async function measureLatency(stack: WebhookStack, { rounds }: Plan): Promise<Round[]> {
  const receiver = await testReceiver({ certificate: stack.receiverCertificate });
  try {
    await stack.setWebhook(receiver.url);
    const partner = await openPartner(stack.credentials, stack.socket);
    // Wait for the event of the funding, whose delivery opens the first connection.
    await receiver.awaitDeliveries(1);
    const measured: Round[] = [];
    for (let round = 0; round < Math.ceil(rounds * ROUND_SHARE); round++) {
      const waitsMs = await orderOneByOne(stack, partner, receiver);
      const sample = (share: number) => ({ operations: 1, wallMs: percentile(waitsMs, share) });
      measured.push({ [MEDIAN]: sample(0.5), [PERCENTILE_99]: sample(0.99) });
    }
    return measured;
  } finally {
    await receiver.stop();
  }
}

async function orderOneByOne(
  { socket }: WebhookStack,
  partner: PartnerRequests,
  receiver: TestReceiver,
): Promise<number[]> {
  const requests = await prepareOrders(partner, socket, ORDERS);
  const wire = await Wire.open(socket);
  const waitsMs: number[] = [];
  try {
    for (const request of requests) {
      receiver.deliveries.length = 0;
      const reply = await wire.send(request);
      const answeredMs = performance.now();
      const orderId = memberOf(requireReply("an order", reply), "order_id");
      // Count 0 if the event arrived before the order's reply.
      waitsMs.push(Math.max(0, await arrivalMs(receiver, orderId) - answeredMs));
      await sleep(PAUSE_MS);
    }
  } finally {
    wire.close();
  }
  return waitsMs;
}

async function arrivalMs(receiver: TestReceiver, orderId: string): Promise<number> {
  for (let count = 1;; count++) {
    const found = (await receiver.awaitDeliveries(count)).find(({ body }) => body.includes(orderId));
    if (found) return found.receivedMs;
  }
}
