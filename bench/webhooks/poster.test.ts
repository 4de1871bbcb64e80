import { describe, it } from "node:test";
import { testCertificate, testReceiver } from "@gold-partner/server/testing";
import { newWebhookSecret, parseWebhookSecret, verifyWebhook } from "@gold-partner/protocol";
import { assertEquals, assertRejects } from "@std/assert";
import { createPoster } from "./poster.ts";

const secret = newWebhookSecret((length) => crypto.getRandomValues(new Uint8Array(length)));
const post = { id: "evt_01978c5e-0000-7000-8000-000000000000", body: '{"type":"webhook.test"}' };

describe("createPoster()", () => {
  it("sends verifiable events over one kept-alive connection, and rejects any status but 200", async () => {
    const receiver = await testReceiver();
    try {
      const { ca } = testCertificate();
      const send = createPoster({ ca, secret, connectionsEach: 1 });
      receiver.answer(200);
      await Promise.all([1, 2, 3].map(() => send({ ...post, url: receiver.url })));
      for (const { body, headers } of receiver.deliveries) {
        const nowSeconds = Date.now() / 1000;
        assertEquals(verifyWebhook(body, headers, [parseWebhookSecret(secret)], { nowSeconds }).id, post.id);
        assertEquals(body, post.body);
      }
      assertEquals([receiver.deliveries.length, receiver.connections()], [3, 1]);
      receiver.answer(500);
      await assertRejects(() => send({ ...post, url: receiver.url }), Error, "answered 500");
    } finally {
      await receiver.stop();
    }
  });
});
