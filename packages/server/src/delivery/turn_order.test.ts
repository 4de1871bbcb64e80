import { describe, it } from "node:test";
import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { HeldEndpoint } from "./held_endpoint.ts";
import { TurnOrder } from "./turn_order.ts";
import { SECRET } from "./worker_fixture.ts";

const NOW_MS = 1000;

/** An endpoint with this many queued events. */
function endpoint(client: number, events: number, failures = 0): HeldEndpoint {
  const row = {
    ...{ client, partner: client, number: 1, url: "", tenure: 1 },
    ...{ passed: "0", failures, disabled: false, secrets: [] },
  };
  const held = new HeldEndpoint(row, NOW_MS);
  held.secrets = [{ id: 1, retireAtMs: Infinity, secret: SECRET }];
  const events_ = Array.from({ length: events }, (_, n) => ({
    client,
    sequence: `${n + 1}`,
    id: `${n}`,
    body: "{}",
    tries: 0,
    ticket: null,
    follows: `${n}`,
  }));
  held.add(events_, NOW_MS);
  return held;
}

/** Returns the clients in the order of their turns, until no endpoint can send or `most` turns were taken. */
function turns(order: TurnOrder, most = Infinity): number[] {
  const clients: number[] = [];
  for (let held; clients.length < most && (held = order.next(NOW_MS));) {
    order.begin(held);
    held.next(NOW_MS);
    order.offer(held, NOW_MS);
    clients.push(held.client);
  }
  return clients;
}

describe("TurnOrder", () => {
  it("alternates between endpoints event by event, up to each endpoint's window", () => {
    const order = new TurnOrder();
    for (const [client, events] of [[1, 9], [2, 2], [3, 3]]) order.offer(endpoint(client!, events!), NOW_MS);
    assertEquals(turns(order), [1, 2, 3, 1, 2, 3, 1, 3, 1]);
  });

  it("gives failing endpoints every other turn, and one attempt at a time", () => {
    const order = new TurnOrder();
    for (const client of [1, 2]) order.offer(endpoint(client, 9), NOW_MS);
    for (const client of [8, 9]) order.offer(endpoint(client, 9, 1), NOW_MS);
    assertEquals(turns(order), [8, 1, 9, 2, 1, 2, 1, 2, 1, 2]);
  });

  it("limits failing endpoints to half of the attempts, and all attempts to 1,024", () => {
    const order = new TurnOrder();
    for (let client = 1; client <= 900; client++) order.offer(endpoint(client, 9, 3), NOW_MS);
    assertEquals(turns(order).length, 512);
    for (let client = 1001; client <= 2000; client++) order.offer(endpoint(client, 9), NOW_MS);
    assertEquals(turns(order).filter((client) => client < 1000), []);
    assertEquals(order.inFlight, 1024);
  });

  it("keeps free capacity for another endpoint when many endpoints use their whole share", () => {
    const order = new TurnOrder();
    const all = Array.from({ length: 200 }, (_, client) => endpoint(client, 64));
    for (const held of all) {
      for (let n = 0; n < 5; n++) held.pace.noteSuccess();
      order.offer(held, NOW_MS);
    }
    turns(order);
    assert(order.inFlight < 1024 && order.inFlight > 900, `${order.inFlight}`);
    assertLessOrEqual(Math.max(...all.map(({ inFlight }) => inFlight)), 6);
    order.offer(endpoint(999, 9), NOW_MS);
    assertEquals(turns(order, 1), [999]);
  });

  it("frees the place of an ended attempt even if its endpoint has begun to fail meanwhile", () => {
    const order = new TurnOrder();
    const held = endpoint(1, 9);
    order.offer(held, NOW_MS);
    const place = order.begin(order.next(NOW_MS)!);
    held.pace.noteFailure(NOW_MS, NOW_MS, 0);
    order.end(held, place);
    assertEquals([order.inFlight, held.inFlight], [0, 0]);
    for (let client = 1001; client <= 1600; client++) order.offer(endpoint(client, 9, 1), NOW_MS);
    assertEquals(turns(order).length, 512);
  });

  it("skips an endpoint that began to rest while it waited for its turn", () => {
    const order = new TurnOrder();
    const [resting, well] = [endpoint(1, 9), endpoint(2, 1)];
    for (const held of [resting, well]) order.offer(held, NOW_MS);
    resting.pace.rest(NOW_MS, 1000);
    assertEquals(turns(order), [2]);
  });
});
