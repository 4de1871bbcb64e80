import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { Webhook, WebhookVerificationError as PublicError } from "standardwebhooks";
import { deliveryOf, describedEvents } from "./delivery_fixture.ts";
import { toPlain } from "./plain_value_fixture.ts";
import { verifyWebhook, WebhookVerificationError } from "./webhook.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

seedTests(import.meta.url);

const event = fc.constantFrom(...describedEvents()).chain((one) =>
  fc.record({
    sequence: fc.integer({ min: 1, max: 999_999_999_999_999 }),
    note: fc.string({ unit: "grapheme", maxLength: 60 }),
  }).map((more) => ({ ...one, ...more }))
);
const secret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map((key) =>
  `whsec_${Buffer.from(key).toString("base64")}`
);
const age = fc.integer({ min: -200, max: 200 });
const part = fc.constantFrom("body", "webhook-id", "webhook-timestamp", "webhook-signature");
const nowSeconds = () => Math.floor(Date.now() / 1000); // the clock of the standardwebhooks package cannot be set

describe("Standard Webhooks' own package and verifyWebhook()", () => {
  it("read the same event with either secret from a delivery that two secrets signed (500 cases)", () => {
    const same = fc.property(event, secret, secret, age, (sent, older, newer, age) => {
      const { body, headers } = deliveryOf(sent, [older, newer], { timestamp: nowSeconds() - age });
      for (const each of [older, newer]) {
        const theirs = new Webhook(each).verify(body, headers);
        assertEquals(toPlain(verifyWebhook(body, headers, each).event), theirs);
        assertEquals(theirs, sent);
      }
    });
    fc.assert(same, { numRuns: 500 });
  });
  it("reject every delivery with one changed character (1,000 cases)", () => {
    const none = fc.property(event, secret, age, part, fc.nat(), fc.nat(), (...drawn) => {
      const [sent, key, age, part, at, to] = drawn;
      const delivery = deliveryOf(sent, [key], { timestamp: nowSeconds() - age });
      const texts: Record<string, string> = { body: delivery.body, ...delivery.headers };
      texts[part] = changed(texts[part]!, at, to);
      const { body, ...headers } = texts;
      // A changed timestamp may be another valid time, or not a number. Both packages must refuse it.
      assertThrows(() => verifyWebhook(body!, headers, key), WebhookVerificationError);
      assertThrows(() => new Webhook(key).verify(body!, headers as never), PublicError);
    });
    fc.assert(none, { numRuns: 1000 });
  });
});

/** Replaces the character at `at` by another visible character. */
function changed(text: string, at: number, to: number): string {
  const place = at % text.length;
  const first = text.charCodeAt(place);
  const other = 0x21 + (to % 94);
  return text.slice(0, place) + String.fromCharCode(other === first ? other ^ 1 : other) +
    text.slice(place + 1);
}
