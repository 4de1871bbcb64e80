import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { after, before, describe, it } from "node:test";
import type { WebhookEvent, Withdrawal } from "@gold-partner/client";
import { assert, assertEquals } from "@std/assert";
import { newWebhookSecret, openApiDocument, parseWebhookSecret, signWebhook } from "@gold-partner/protocol";
import { type DemoReceiver, openDemoReceiver } from "./demo_receiver.ts";
import { findFreePort } from "./postgres/mod.ts";
import { testCertificate } from "@gold-partner/server/testing";

describe("openDemoReceiver()", () => {
  const newSecret = () => newWebhookSecret((length) => crypto.getRandomValues(new Uint8Array(length)));
  const [secret, foreign] = [newSecret(), newSecret()];
  let port: number;
  let receiver: DemoReceiver;
  const plan = () => ({
    ...{ port, certificate: testCertificate(), secret },
    clientId: described("webhook.test").client_id!,
  });
  before(async () => {
    port = await findFreePort();
    receiver = (await openDemoReceiver({ ...plan(), timeoutMs: 120_000 }))!;
  });
  after(() => receiver.stop());

  async function deliver(event: WebhookEvent, signedBy = secret, at = port): Promise<number | undefined> {
    const [id, timestamp, body] = [event.id, Math.floor(Date.now() / 1000), JSON.stringify(event)];
    const signature = signWebhook({ id, timestamp, body }, [parseWebhookSecret(signedBy)]);
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    const { ca } = testCertificate();
    const outgoing = request(`https://localhost:${at}/webhooks`, {
      method: "POST",
      headers,
      ca,
      agent: false,
    });
    outgoing.end(body);
    const [reply] = await once(outgoing, "response") as [IncomingMessage];
    reply.resume();
    return reply.statusCode;
  }

  const { webhooks } = openApiDocument({
    baseUrl: "https://localhost",
    environment: "sandbox",
  }) as unknown as {
    webhooks: Record<string, {
      post: {
        requestBody: { content: { "application/json": { examples: { event: { value: WebhookEvent } } } } };
      };
    }>;
  };
  /** Returns the example event of this type from the service's OpenAPI description. */
  const described = (type: string) =>
    Object.values(webhooks).map(({ post }) =>
      post.requestBody.content["application/json"].examples.event.value
    ).find((event) => event.type === type)!;
  const ordered = (order_id: string) => {
    const event = described("order.executed") as Extract<WebhookEvent, { type: "order.executed" }>;
    return { ...event, data: { ...event.data, order: { ...event.data.order, order_id } } };
  };
  const [first, second, third] = [1, 2, 3].map((n) => `ord_01a1fb55-243c-7b8a-b456-bdf2d27cea6${n}`) as [
    string,
    string,
    string,
  ];

  it("reports when an order's event arrived, before or during the wait for it", async () => {
    const startedMs = performance.now();
    assertEquals(await deliver(ordered(first)), 204);
    assert((await receiver.awaitEvent(first))! > startedMs);
    const later = receiver.awaitEvent(second);
    await deliver(ordered(second));
    assert((await later)! > startedMs);
  });

  it("reports when a withdrawal's event arrived, and accepts other events silently", async () => {
    const event = described("withdrawal.created") as WebhookEvent & {
      data: { withdrawal: Withdrawal };
    };
    assertEquals(await deliver(event), 204);
    assert(await receiver.awaitEvent(event.data.withdrawal.withdrawal_id));
    assertEquals(await deliver(described("funding.completed")), 204);
  });

  it("rejects an event that another secret signed or of another partner, and waits no longer than its limit", async () => {
    const own = { ...plan(), port: await findFreePort(), timeoutMs: 20 };
    const impatient = (await openDemoReceiver(own))!;
    assertEquals(await deliver(ordered(third), foreign, own.port), 400);
    assertEquals(await deliver({ ...ordered(third), client_id: "sbx_other" }, secret, own.port), 400);
    assertEquals(await impatient.awaitEvent(third), undefined);
    await impatient.stop();
  });

  it("returns undefined if another program already listens on the port", async () => {
    assertEquals(await openDemoReceiver(plan()), undefined);
  });
});
