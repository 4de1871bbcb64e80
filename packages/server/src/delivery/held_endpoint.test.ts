import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import type { EventRow } from "./delivery_store.ts";
import { HeldEndpoint } from "./held_endpoint.ts";
import { SECRET } from "./worker_fixture.ts";

const NOW_MS = 1000;
const row = {
  client: 1,
  partner: 1,
  number: 1,
  url: "https://one.example/",
  tenure: 3,
  passed: "10",
  failures: 0,
  disabled: false,
  secrets: [],
};
const event = (sequence: number, changes: Partial<EventRow> = {}): EventRow => ({
  client: 1,
  sequence: `${sequence}`,
  id: `${sequence}`,
  body: "{}",
  tries: 0,
  ticket: null,
  follows: changes.ticket ? null : `${sequence - 1}`,
  ...changes,
});

function held(changes: Partial<typeof row> = {}): HeldEndpoint {
  const endpoint = new HeldEndpoint({ ...row, ...changes }, NOW_MS);
  endpoint.secrets = [{ id: 1, retireAtMs: 5000, secret: SECRET }];
  return endpoint;
}
const heldEvents = (endpoint: HeldEndpoint, nowMs = NOW_MS) => {
  const sequences: number[] = [];
  for (let next = endpoint.next(nowMs); next; next = endpoint.next(nowMs)) sequences.push(next.sequence);
  return sequences;
};

describe("HeldEndpoint", () => {
  it("queues retries first, then new events by sequence number, whatever order they are read in", () => {
    const endpoint = held();
    const ticket = "2026-01-01";
    endpoint.add([event(13), event(4, { ticket }), event(11), event(3, { ticket }), event(12)], NOW_MS);
    assertEquals([endpoint.takenTo, heldEvents(endpoint)], [13, [3, 4, 11, 12, 13]]);
  });

  it("counts events without a body as finished and does not queue them", () => {
    const endpoint = held();
    endpoint.add([event(11, { body: null }), event(12), event(13, { body: null })], NOW_MS);
    assertEquals([heldEvents(endpoint), endpoint.progress.passed], [[12], 11]);
    endpoint.progress.finish(11, 12);
    assertEquals(endpoint.progress.passed, 13);
  });

  it("counts the events between two that it takes as finished with the later one", () => {
    const endpoint = held();
    const rows = [event(15, { follows: "10" }), event(20, { body: null, follows: "15" }), event(21)];
    endpoint.add(rows, NOW_MS);
    endpoint.progress.finish(10, 15);
    assertEquals(endpoint.progress.passed, 20);
    endpoint.empty();
    assertEquals([endpoint.takenTo, heldEvents(endpoint)], [10, []]);
    endpoint.add([event(16)], NOW_MS);
    assertEquals(heldEvents(endpoint), [], "a read from before the queue was emptied");
  });

  it("has room for up to twice its window while fewer events than its window are queued", () => {
    const endpoint = held();
    assertEquals(endpoint.room(NOW_MS), 8);
    endpoint.add([11, 12, 13].map((sequence) => event(sequence)), NOW_MS);
    assertEquals(endpoint.room(NOW_MS), 5);
    endpoint.add([event(14)], NOW_MS);
    assertEquals(endpoint.room(NOW_MS), 0);
    endpoint.next(NOW_MS);
    endpoint.mayHaveMore = false;
    assertEquals(endpoint.room(NOW_MS), 0);
  });

  it("reads new events again after empty(), and ignores the result of a read from before empty()", () => {
    const endpoint = held();
    endpoint.add([11, 12, 13].map((sequence) => event(sequence)), NOW_MS);
    endpoint.next(NOW_MS);
    endpoint.empty();
    assertEquals([endpoint.takenTo, endpoint.waiting, endpoint.mayHaveMore], [11, 0, true]);
    endpoint.add([event(14), event(15)], NOW_MS);
    assertEquals([endpoint.takenTo, endpoint.waiting], [11, 0]);
    endpoint.add([event(12), event(13)], NOW_MS);
    assertEquals([endpoint.takenTo, heldEvents(endpoint)], [13, [12, 13]]);
  });

  it("drops a queued retry before another worker may send it", () => {
    const endpoint = held();
    endpoint.add([event(4, { ticket: "t" }), event(11)], NOW_MS);
    assertEquals(heldEvents(endpoint, NOW_MS + 4000), [11]);
  });

  it("sends nothing without a secret, while it rests, or after it is lost", () => {
    const [bare, resting, lost] = [held(), held(), held()];
    for (const endpoint of [bare, resting, lost]) endpoint.add([event(11)], NOW_MS);
    bare.dropRetired(4999);
    assertEquals(bare.isReady(NOW_MS), true);
    bare.dropRetired(5000);
    resting.pace.rest(NOW_MS, 100);
    lost.lost = true;
    for (const endpoint of [bare, resting, lost]) {
      assertEquals([endpoint.isReady(NOW_MS), endpoint.room(NOW_MS), endpoint.next(NOW_MS)], [
        false,
        0,
        undefined,
      ]);
    }
    assertEquals(resting.isReady(NOW_MS + 100), true);
  });

  it("is released if nothing is in flight and it rests or has had no work for five seconds", () => {
    const endpoint = held();
    assertEquals(endpoint.report(NOW_MS).released, false);
    endpoint.mayHaveMore = false;
    assertEquals([endpoint.isIdle(NOW_MS + 4999), endpoint.isIdle(NOW_MS + 5000)], [false, true]);
    endpoint.pace.rest(NOW_MS, 2500.4);
    endpoint.inFlight = 1;
    assertEquals(endpoint.isIdle(NOW_MS), false);
    endpoint.inFlight = 0;
    endpoint.progress.finish(10, 11);
    endpoint.disabled = true;
    const reported = {
      client: 1,
      tenure: 3,
      from: 10,
      passed: 11,
      failures: 0,
      restMs: 2501,
      disabled: true,
      released: true,
    };
    assertEquals(endpoint.report(NOW_MS), reported);
    assertEquals(endpoint.maySend(NOW_MS + 9000), false, "the release is requested and not yet confirmed");
    // The database answers that it did not release the endpoint, because an event waits.
    endpoint.confirm(reported);
    assertEquals([endpoint.settled, endpoint.maySend(NOW_MS + 9000), endpoint.mayHaveMore], [11, true, true]);
    assertEquals(endpoint.report(NOW_MS + 9000), {
      ...reported,
      from: 11,
      restMs: null,
      released: false,
    });
  });
});
