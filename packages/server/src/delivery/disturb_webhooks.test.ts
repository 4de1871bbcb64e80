import { newWebhookSecret, parseWebhookSecret } from "@gold-partner/protocol";
import { randomBytes } from "node:crypto";
import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import { createDisturbances, type DisturbanceOf } from "./disturb_webhooks.ts";
import type { OpenSecret, Waiting } from "./held_endpoint.ts";

const secretOf = () => parseWebhookSecret(newWebhookSecret((length) => new Uint8Array(randomBytes(length))));
const open = (id: number): OpenSecret => ({ id, retireAtMs: Infinity, secret: secretOf() });
const event = (more: Partial<Waiting> = {}): Waiting => ({
  sequence: 5,
  id: "",
  body: "",
  tries: 0,
  ticket: null,
  follows: 4,
  takenMs: 0,
  ...more,
});
const UNTIL = "2026-01-31T09:30:00.000Z";
const NOW = Date.parse(UNTIL) - 1;

describe("createDisturbances()", () => {
  const foreign = secretOf();
  const armed = (kind: "twice" | "late" | "out_of_order" | "other_secret", seconds: number | null = null) =>
    createDisturbances(
      (client) => client === 7 ? { kind, seconds, from: 5, count: 3, until: UNTIL } : undefined,
      () => NOW,
      foreign,
    );
  const disturbed = (of: DisturbanceOf, ...events: Waiting[]) =>
    events.map((each) => of(7, each) !== undefined);

  it("changes the first attempt of each event of the simulation, and no other attempt", () => {
    const numbers = [4, 5, 7, 8].map((sequence) => event({ sequence }));
    assertEquals(disturbed(armed("twice"), ...numbers), [false, true, true, false]);
    assertEquals(disturbed(armed("twice"), event({ tries: 1 })), [false]);
    assertEquals(armed("twice")(8, event()), undefined);
  });

  it("changes nothing from the end of the simulation on", () => {
    const ended = createDisturbances(
      () => ({ kind: "twice", seconds: null, from: 5, count: 3, until: UNTIL }),
      () => NOW + 1,
      foreign,
    );
    assertEquals(ended(7, event()), undefined);
  });

  it("delays an event, unless the event comes from the retry table", () => {
    const waits = (of: DisturbanceOf) => [5, 6, 7].map((sequence) => of(7, event({ sequence }))!.waitMs);
    assertEquals(waits(armed("late", 20)), [20_000, 20_000, 20_000]);
    assertEquals(waits(armed("out_of_order")), [5000, 0, 5000]);
    assertEquals(armed("late", 20)(7, event({ ticket: "now" }))!.waitMs, 0);
  });

  it("signs with the older secret during an overlap, otherwise with a random secret", () => {
    const { signsWith } = armed("other_secret")(7, event())!;
    const [newer, older] = [open(2), open(1)];
    assertEquals(signsWith!([newer, older]), [older.secret]);
    assertEquals(signsWith!([newer]), [foreign]);
    assertEquals(armed("twice")(7, event())!.signsWith, undefined);
  });
});
