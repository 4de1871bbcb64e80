import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { parseWebhookSecret, signWebhook, verifyWebhook } from "./webhook.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

describe("Standard Webhooks' own package", () => {
  const key = fc.uint8Array({ minLength: 24, maxLength: 64 });
  const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
  const body = fc.string({ unit: "grapheme", maxLength: 300 });

  it("verifies what signWebhook() signs (1,000 cases)", () => {
    const nowSeconds = Math.floor(Date.now() / 1000); // the clock of standardwebhooks cannot be set
    fc.assert(
      fc.property(
        key,
        key,
        id,
        body,
        fc.integer({ min: -200, max: 200 }),
        (...[keyA, keyB, id, body, offset]) => {
          const texts = [keyA, keyB].map((one) => `whsec_${Buffer.from(one).toString("base64")}`);
          const timestamp = nowSeconds + offset;
          const headers = {
            "webhook-id": id,
            "webhook-timestamp": String(timestamp),
            "webhook-signature": signWebhook({ id, timestamp, body }, texts.map(parseWebhookSecret)),
          };
          for (const text of texts) new Webhook(text).verify(body, headers, { jsonParse: false });
        },
      ),
      { numRuns: 1000 },
    );
  });
  it("signs what verifyWebhook() verifies (1,000 cases)", () => {
    fc.assert(
      fc.property(
        key,
        id,
        body,
        fc.integer({ min: 1_000_000_000, max: 9_999_999_999 }),
        (key, id, body, timestamp) => {
          const text = `whsec_${Buffer.from(key).toString("base64")}`;
          const headers = {
            "webhook-id": id,
            "webhook-timestamp": String(timestamp),
            "webhook-signature": new Webhook(text).sign(id, new Date(timestamp * 1000), body),
          };
          const secrets = [parseWebhookSecret(text)];
          const expected = { id, timestamp };
          assertEquals(verifyWebhook(body, headers, secrets, { nowSeconds: timestamp }), expected);
          assertEquals(
            verifyWebhook(Buffer.from(body), headers, secrets, { nowSeconds: timestamp }),
            expected,
          );
        },
      ),
      { numRuns: 1000 },
    );
  });
});
