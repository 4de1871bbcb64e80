// Sends one order at a time through the real API to an otherwise idle service. Measures the time from the
// reply 201 to the arrival of the event at the partner.
import { setTimeout as sleep } from "node:timers/promises";
import { type TestReceiver, testReceiver } from "@gold-partner/server/testing";
import { BenchPartner } from "../envoy/partner.ts";
import type { Plan, Round } from "../harness.ts";
import { Connection } from "../orders/connection.ts";
import type { WebhookStack } from "./stack.ts";

export const MEDIAN = "from the 201 to the arrival of the event, median";
const PERCENTILE_99 = "from the 201 to the arrival of the event, 99th percentile";
const ORDERS = 100;
const ROUND_SHARE = 0.5;
/** Time for the service to record what it has delivered, and to become idle. */
const PAUSE_MS = 20;
const CREATED = 201;

export async function measureLatency(stack: WebhookStack, { rounds }: Plan): Promise<Round[]> {
  const receiver = await testReceiver({ certificate: stack.receiverCertificate });
  try {
    await stack.setWebhook(receiver.url);
    const partner = await BenchPartner.open(stack.credentials, stack.socket);
    // Wait for the event of the funding, whose delivery opens the first connection.
    await receiver.awaitDeliveries(1);
    const measured: Round[] = [];
    for (let round = 0; round < Math.ceil(rounds * ROUND_SHARE); round++) {
      const waitsMs = (await orderOneByOne(stack, partner, receiver)).sort((left, right) => left - right);
      const sample = (share: number) => ({ operations: 1, wallMs: waitsMs[Math.ceil(ORDERS * share) - 1]! });
      measured.push({ [MEDIAN]: sample(0.5), [PERCENTILE_99]: sample(0.99) });
    }
    return measured;
  } finally {
    await receiver.stop();
  }
}

async function orderOneByOne(
  { socket }: WebhookStack,
  partner: BenchPartner,
  receiver: TestReceiver,
): Promise<number[]> {
  const requests = await partner.orderRequests(ORDERS);
  const connection = new Connection(socket);
  const waitsMs: number[] = [];
  try {
    for (const request of requests) {
      receiver.deliveries.length = 0;
      const { status, body } = await connection.ask(request);
      const answeredMs = performance.now();
      if (status !== CREATED) throw new Error(`An order got status ${status}: ${body}`);
      const { order_id } = JSON.parse(body) as { order_id: string };
      // Count 0 if the event arrived before the order's reply.
      waitsMs.push(Math.max(0, await arrivalMs(receiver, order_id) - answeredMs));
      await sleep(PAUSE_MS);
    }
  } finally {
    connection.close();
  }
  return waitsMs;
}

async function arrivalMs(receiver: TestReceiver, orderId: string): Promise<number> {
  for (let count = 1;; count++) {
    const found = (await receiver.awaitDeliveries(count)).find(({ body }) => body.includes(orderId));
    if (found) return found.receivedMs;
  }
}
