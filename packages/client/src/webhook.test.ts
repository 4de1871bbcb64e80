import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { BODY_MAX_BYTES, WebhookError } from "@gold-partner/protocol";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import makeVectors from "../../../vectors/make/webhook.ts";
import { deliveryOf, describedEvents, NOW_SECONDS, secretOf } from "./delivery_fixture.ts";
import { toPlain } from "./plain_value_fixture.ts";
import { Quantity } from "./quantity.ts";
import { verifyWebhook, type WebhookErrorCode, WebhookVerificationError } from "./webhook.ts";

interface Arrival {
  readonly name: string;
  readonly client_id?: string;
  readonly secrets: string[];
  readonly headers: Record<string, string>;
  readonly body_utf8: string;
  readonly now_seconds: number;
  readonly reason?: WebhookErrorCode;
}

const [OLD, NEW, FOREIGN] = [secretOf(1), secretOf(2), secretOf(3)];
const now = { nowSeconds: NOW_SECONDS };
const [event] = describedEvents();
const { body, headers } = deliveryOf(event!, [OLD]);

function assertRefused(code: WebhookErrorCode, attempt: () => unknown): WebhookVerificationError {
  const error = assertThrows(attempt, WebhookVerificationError);
  assertEquals(error.code, code, `expected ${code}, got ${error.code}: ${error.message}`);
  assertMatch(error.message, /; .+\.$/, "the message must say what to do");
  return error;
}

/** Signs the body as it is, and expects that verifyWebhook() refuses it with event_invalid. */
function assertNoEvent(signed: string, id = event!.id): void {
  const delivery = deliveryOf({ id }, [OLD], { body: signed });
  assertRefused("event_invalid", () => verifyWebhook(signed, delivery.headers, OLD, now));
}

describe("verifyWebhook()", () => {
  it("returns each type of event as it was sent, with the delivery's id and time", () => {
    const events = describedEvents();
    assertEquals(events.length, 17);
    for (const sent of events) {
      const delivery = deliveryOf(sent, [OLD]);
      const expected = { id: sent.id, timestamp: NOW_SECONDS, event: sent };
      assertEquals(toPlain(verifyWebhook(delivery.body, delivery.headers, [OLD], now)), expected);
    }
  });
  it("returns money and gold as exact quantities, to the last digit", () => {
    const { order } = event!.data as { order: object };
    const numbers = '"gold_grams":0.10,"total_sar":9007199254740993.01';
    const kept = JSON.stringify({ ...order, gold_grams: undefined, total_sar: undefined }).slice(0, -1);
    const text = body.replace(JSON.stringify(order), `${kept},${numbers}}`);
    const sent = deliveryOf(event!, [OLD], { body: text });
    const { event: received } = verifyWebhook(text, sent.headers, OLD, now);
    assert(received.type === "order.executed");
    const { gold_grams, total_sar } = received.data.order;
    assertEquals([gold_grams, `${total_sar}`], [Quantity.grams("0.1"), "9007199254740993.01"]);
  });
  it("accepts the body as text or bytes, headers as Headers or a record, and one secret or several", () => {
    const shared = Buffer.from(`before${body}after`);
    const bodies = [body, Buffer.from(body), new TextEncoder().encode(body), shared.subarray(6, -5)];
    const listed = { ...headers, "Webhook-Extra": ["a", "b"], cookie: undefined };
    for (const rawBody of bodies) {
      for (const received of [headers, new Headers(headers), listed]) {
        for (const secrets of [OLD, [OLD], [NEW, OLD]]) {
          assertEquals(toPlain(verifyWebhook(rawBody, received, secrets, now).event), event);
        }
      }
    }
  });
  it("accepts event types and members that were added later", () => {
    const { type: _type, ...frame } = event!;
    const added = {
      type: "gold.delivered",
      ...frame,
      more: 1,
      data: { chain_head: frame.data.chain_head, bars: ["B1"] },
    };
    for (const sent of [added, { ...event!, more: [1] }]) {
      const delivery = deliveryOf(sent, [OLD]);
      assertEquals(toPlain(verifyWebhook(delivery.body, delivery.headers, OLD, now).event), sent);
    }
  });
  it("rejects a signed body that is not an event of this service", () => {
    const others = [null, [], 1, "text", {}, { hello: 1 }, { ...event!, sequence: 0 }, {
      ...event!,
      type: 5,
    }];
    for (const other of others) assertNoEvent(JSON.stringify(other));
    for (const text of ["", "{", `\ufeff${body}`, `${body}x`]) assertNoEvent(text);
    assertNoEvent(JSON.stringify({ ...event!, data: { chain_head: event!.data.chain_head } }));
    assertNoEvent(body, "evt_019c1364-6eb8-7020-90c0-f0601000cb90");
  });
  it("rejects signed bytes that a text decoder would drop or replace", () => {
    const note = Buffer.concat([
      Buffer.from('{"note":"'),
      Buffer.of(0xff),
      Buffer.from(`",${body.slice(1)}`),
    ]);
    for (const bytes of [note, Buffer.from(`\ufeff${body}`)]) {
      const delivery = deliveryOf(event!, [OLD], { body: bytes });
      assertRefused("event_invalid", () => verifyWebhook(bytes, delivery.headers, OLD, now));
    }
  });
  it("rejects each invalid vector with its code, and accepts the signature of each valid vector", () => {
    const arrivals = makeVectors().cases.filter((one) => "headers" in one) as unknown as Arrival[];
    const codes = arrivals.map(({ name, client_id, secrets, headers, body_utf8, now_seconds, reason }) => {
      const options = { nowSeconds: now_seconds, clientId: client_id };
      const attempt = () => verifyWebhook(body_utf8, headers, secrets, options);
      // Most bodies of the vectors are not events. verifyWebhook() reports that only after it has verified the
      // signature.
      const isEvent = "data" in JSON.parse(body_utf8);
      const expected = reason ?? (isEvent ? undefined : "event_invalid");
      if (expected === undefined) attempt();
      else assertEquals(assertRefused(expected, attempt).code, expected, name);
      return expected;
    });
    assertEquals(new Set(codes).size, 9);
  });
  it("rejects a body that is longer than any delivery, even with a correct signature", () => {
    for (const [length, code] of [[BODY_MAX_BYTES, "event_invalid"], [BODY_MAX_BYTES + 1, "body_too_long"]]) {
      const long = " ".repeat(length as number);
      const delivery = deliveryOf(event!, [OLD], { body: long });
      for (const rawBody of [long, Buffer.from(long)]) {
        const verify = () => verifyWebhook(rawBody, delivery.headers, OLD, now);
        assertRefused(code as WebhookErrorCode, verify);
      }
    }
  });
  it("tolerates a clock difference of 300 s in either direction by default", () => {
    const at = (offset: number) => {
      const delivery = deliveryOf(event!, [OLD], { timestamp: Math.floor(Date.now() / 1000) + offset });
      return (options?: { toleranceSeconds: number }) =>
        verifyWebhook(delivery.body, delivery.headers, OLD, options);
    };
    at(-290)();
    assertRefused("timestamp_too_new", () => at(310)());
    at(-310)({ toleranceSeconds: 400 });
  });
  it("rejects malformed secrets, and says what to pass", () => {
    const wrong: [WebhookErrorCode, unknown][] = [
      ["argument_invalid", []],
      ["argument_invalid", undefined],
      ["argument_invalid", { secret: OLD }],
      ["secret_invalid", ""],
      ["secret_invalid", `${OLD}\n`],
      ["secret_invalid", [OLD, "whsec_short"]],
      ["secret_invalid", [undefined]],
    ];
    for (const [code, secrets] of wrong) {
      const error = assertRefused(code, () => verifyWebhook(body, headers, secrets as never, now));
      assertMatch(error.message, /whsec_/);
    }
  });
  it("rejects a parsed body and missing headers", () => {
    for (const parsed of [event, undefined, null, 5]) {
      assertRefused("argument_invalid", () => verifyWebhook(parsed as never, headers, OLD, now));
    }
    for (const none of [undefined, null, {}]) {
      assertRefused("header_missing", () => verifyWebhook(body, none as never, OLD, now));
    }
  });
  it("keeps the original error as the cause, and shows no secret", () => {
    const error = assertRefused("signature_mismatch", () => verifyWebhook(body, headers, FOREIGN, now));
    assertEquals(error.cause instanceof WebhookError, true);
    assertEquals(`${error.stack}${JSON.stringify(error)}`.includes(FOREIGN.slice(6)), false);
    assertEquals(
      String(error).startsWith("WebhookVerificationError [signature_mismatch]: No signature matches"),
      true,
    );
  });
});
