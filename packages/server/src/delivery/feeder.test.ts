import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { EventRow, Want } from "./delivery_store.ts";
import { Feeder } from "./feeder.ts";
import { HeldEndpoint } from "./held_endpoint.ts";
import { SECRET } from "./worker_fixture.ts";

const row = {
  client: 1,
  partner: 1,
  number: 1,
  url: "https://one.example/",
  tenure: 3,
  passed: "0",
  failures: 0,
  disabled: false,
  secrets: [],
};

/**
 * Feeds one endpoint from a database that returns `extra` events more than the room, or fewer if negative.
 */
async function feed(extra: number): Promise<HeldEndpoint> {
  const endpoint = new HeldEndpoint(row, 0);
  endpoint.secrets = [{ id: 1, retireAtMs: 5000, secret: SECRET }];
  const take = ([{ room }]: readonly [Want]): Promise<EventRow[]> =>
    Promise.resolve(Array.from({ length: room + extra }, (_, n) => ({
      client: 1,
      sequence: `${n + 1}`,
      id: `${n + 1}`,
      body: "{}",
      tries: 0,
      ticket: null,
      follows: `${n}`,
    })));
  const feeder = new Feeder({
    store: { take: (wants) => take(wants as readonly [Want]) },
    monotonicMs: () => 0,
    waiting: () => 0,
    mayTake: () => true,
    onFed: () => {},
    onRefused: () => {},
  });
  feeder.ask(endpoint);
  await feeder.pump();
  return endpoint;
}

describe("Feeder", () => {
  it("asks again only if the database returned at least as many events as there was room for", async () => {
    // Expect more events than there is room for. The database selects webhook tests and retries separately,
    // each with its own limit.
    const found = await Promise.all([-1, 0, 2].map(async (extra) => (await feed(extra)).mayHaveMore));
    assertEquals(found, [false, true, true]);
  });
});
