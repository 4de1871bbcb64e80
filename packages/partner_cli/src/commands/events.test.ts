import { describe, it } from "node:test";
import type { AccountEvent, Delivery } from "@gold-partner/client";
import { assertEquals } from "@std/assert";
import { eventRow } from "./events.ts";

const AT = "2026-11-30T12:00:00.000Z";
const delivered = {
  ...{ status: "delivered", next_attempt_at: null },
  attempts: [{ attempted_at: AT, http_status: 204, duration_ms: 8, cause: null }],
} satisfies Delivery;
const failing = {
  ...{ status: "pending", next_attempt_at: AT },
  attempts: [{ attempted_at: AT, http_status: null, duration_ms: 8, cause: "dns" }],
} satisfies Delivery;
const waiting = { status: "pending", next_attempt_at: null, attempts: [] } satisfies Delivery;

const rowOf = (more: Partial<AccountEvent>) => {
  const event = {
    type: "webhook.test",
    id: "evt_1",
    sequence: 7,
    created_at: AT,
    data: {},
    delivery: waiting,
  };
  const { delivery, attempts, last_answer, next_attempt_at } = eventRow(
    { ...event, ...more } as unknown as AccountEvent,
  );
  return [delivery, attempts, last_answer, next_attempt_at];
};

describe("eventRow()", () => {
  it("shows the delivery to one endpoint without its number", () => {
    const shown = ["delivered", 1, 204, null];
    assertEquals(rowOf({ delivery: delivered }), shown);
    assertEquals(rowOf({ delivery: delivered, deliveries: [{ endpoint: 1, ...delivered }] }), shown);
    assertEquals(rowOf({ deliveries: [{ endpoint: 3, ...delivered }] }), shown);
  });

  it("shows the delivery to each endpoint with its number", () => {
    const deliveries = [delivered, failing, waiting].map((one, index) => ({
      endpoint: 2 * index + 1,
      ...one,
    }));
    assertEquals(rowOf({ deliveries }), [
      "1: delivered, 3: pending, 5: pending",
      "1: 1, 3: 1, 5: 0",
      "1: 204, 3: dns, 5: -",
      `1: -, 3: ${AT}, 5: -`,
    ]);
  });

  it("shows no delivery of an event that no endpoint gets", () => {
    assertEquals(rowOf({ deliveries: [] }), [null, null, null, null]);
  });
});
