import { afterEach, beforeEach, describe, it } from "node:test";
import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import fc from "fast-check";
import { answered, pause, SECRET, Stage, TEST_TRIES } from "./worker_fixture.ts";
import { seedTests } from "../../../../tools/testing/seed.ts";

seedTests(import.meta.url);

describe("DeliveryWorker", () => {
  let stage: Stage;
  beforeEach(() => void (stage = new Stage()));
  afterEach(() => stage.stop());
  const sequencesOf = (client: number) =>
    stage.sent.filter((sent) => sent.client === client).map(({ sequence }) => sequence);
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  it("sends every event once, by sequence number, and moves the mark past all events", async () => {
    stage.add(1, 100);
    stage.add(2, 3);
    stage.start();
    await stage.until(() => stage.isDone());
    assertEquals([sequencesOf(1), sequencesOf(2)], [upTo(100), upTo(3)]);
    assertEquals(stage.settled.length, 103);
    assertEquals(stage.broken, []);
  });

  it("sends an event after its notification, or without a notification at the next heartbeat", async () => {
    const partner = stage.add(1, 1);
    // Set a rare heartbeat, which does not help if a notification is missed.
    const notified = stage.start("one", { beatMs: 60_000 });
    await stage.until(() => stage.isDone());
    partner.events = 2;
    notified.wake(1);
    await stage.until(() => stage.isDone());
    const unknown = stage.add(2, 1);
    notified.wake(2);
    await stage.until(() => unknown.passed === 1);
    assertEquals(stage.calls.renew, 1);
    await notified.stop();
    stage.start("two");
    await stage.until(() => stage.calls.renew > 3);
    partner.events = 3;
    await stage.until(() => stage.isDone());
  });

  it("retries failed events until delivered or parked, while other events continue", async () => {
    const partner = stage.add(1, 40);
    stage.answer = ({ sequence }, time) =>
      sequence % 10 === 0 && time < 3 || sequence === 35 ? answered(500) : answered(200);
    stage.start();
    await stage.until(() => partner.passed === 40);
    await stage.until(() => (stage.pass(20), stage.isDone()));
    const counts = [10, 20, 30, 40, 35, 1].map((sequence) =>
      sequencesOf(1).filter((one) => one === sequence).length
    );
    assertEquals(counts, [3, 3, 3, 3, 3, 1]);
    assertEquals([...partner.retries].filter(([, { state }]) => state === "parked").map(([one]) => one), [
      35,
    ]);
  });

  it("lets a failing endpoint rest, and then tries a single event", async () => {
    const partner = stage.add(1, 1000);
    let works = false;
    stage.answer = () => answered(works ? 200 : 500);
    stage.start();
    await stage.until(() => partner.restsUntilMs > stage.nowMs() && partner.worker === null);
    const before = stage.sent.length;
    assertLessOrEqual(before, 10);
    await pause(50);
    assertEquals(stage.sent.length, before);
    stage.pass(1100);
    await stage.until(() => partner.worker === null && stage.sent.length > before);
    assertEquals([stage.sent.length, partner.failures], [before + 1, 6]);
    works = true;
    stage.pass(61_000);
    await stage.until(() => partner.passed === 1000);
    assertEquals(stage.twiceAtOnce, 0);
  });

  it("sends nothing more to an endpoint that answered 410, not even queued events", async () => {
    const partner = stage.add(1, 100);
    stage.answer = ({ sequence }) => answered(sequence === 20 ? 410 : 200);
    stage.start();
    await stage.until(() => partner.disabled && partner.worker === null);
    const before = stage.sent.length;
    stage.pass(5000);
    await pause(50);
    assertEquals(stage.sent.length, before);
    assertEquals(partner.retries.get(20)?.state, "due");
  });

  it("enables an endpoint when a test is delivered, and then sends the waiting events", async () => {
    const partner = stage.add(1, 10);
    partner.disabled = true;
    partner.events = 11;
    partner.retries.set(11, { tries: TEST_TRIES, dueMs: 0, state: "due" });
    stage.start();
    await stage.until(() => stage.isDone());
    assertEquals(sequencesOf(1)[0], 11);
    assertEquals(sequencesOf(1).slice(1), upTo(10));
    assertEquals(partner.disabled, false);
  });

  it("delays no other endpoint when one endpoint hangs", async () => {
    stage.add(1, 1000);
    stage.add(2, 1000);
    stage.answer = ({ client }) => client === 1 ? stage.never : answered(200);
    const worker = stage.start("one");
    await stage.until(() => stage.partners.get(2)!.passed === 1000);
    assertEquals(worker.inFlight, 4);
  });

  it("keeps capacity for other endpoints when a hundred endpoints begin to hang at once", async () => {
    for (let client = 1; client <= 100; client++) stage.add(client, 2000);
    let hangs = false;
    stage.answer = ({ client }) => hangs && client <= 100 ? stage.never : answered(200);
    const worker = stage.start();
    await stage.until(() => [...stage.partners.values()].every(({ passed }) => passed > 100));
    // By now every endpoint has the largest window.
    hangs = true;
    await pause(200);
    assertLessOrEqual(worker.inFlight, 1024);
    const late = stage.add(101, 200);
    worker.wake(101);
    await stage.until(() => late.passed === 200);
    assertLessOrEqual(stage.mostInFlight, 1024);
  });

  it("queues at most 4,096 events in memory, however many wait in the database", async () => {
    for (let client = 1; client <= 300; client++) stage.add(client, 1_000_000);
    stage.answer = () => pause(5).then(() => answered(200));
    const worker = stage.start();
    let most = 0;
    await stage.until(() => {
      most = Math.max(most, worker.waiting);
      return stage.sent.length > 5000;
    });
    assertLessOrEqual(most, 4096);
    for (const partner of stage.partners.values()) partner.events = 0;
  });

  it("shares the endpoints with another worker, and sends no event twice", async () => {
    for (let client = 1; client <= 20; client++) stage.add(client, 50);
    const workers = [stage.start("one"), stage.start("two")];
    for (let client = 1; client <= 20; client++) for (const worker of workers) worker.wake(client);
    await stage.until(() => stage.isDone());
    assertEquals([stage.sent.length, stage.twiceAtOnce], [1000, 0]);
  });

  it("limits its claims for another worker's endpoint, and claims it soon after its release", async () => {
    const partner = stage.add(1, 1);
    stage.start("holder", { beatMs: 60_000 });
    await stage.until(() => partner.worker === "holder" && stage.isDone());
    const other = stage.start("other", { beatMs: 60_000 });
    await stage.until(() => stage.calls.renew === 2);
    await pause(20);
    const before = stage.calls.claim;
    const beganMs = performance.now();
    let sent = 0;
    for (; sent < 100; await pause(2)) other.wake(1), sent++;
    // Allow two claims per pause, because a notification that arrives during a claim needs another claim.
    const mostClaims = 2 * ((performance.now() - beganMs) / 50 + 1);
    assertLessOrEqual(stage.calls.claim - before, mostClaims, `${sent} notifications were sent`);
    // Send a notification during the pause before the worker's next claim. No notification follows.
    other.wake(1);
    partner.worker = null;
    partner.events = 2;
    other.wake(1);
    await stage.until(() => stage.isDone());
    assertEquals(partner.worker, "other");
  });

  it("takes over a dead worker's endpoints, and sends the dead worker's unsettled events again", async () => {
    stage.add(1, 10);
    stage.answer = ({ worker }) => worker === "dead" ? stage.never : answered(200);
    stage.start("dead", { beatMs: 1_000_000 });
    await stage.until(() => stage.sent.length === 4);
    stage.start("one");
    await pause(50);
    assertEquals(stage.sent.length, 4);
    stage.pass(6000);
    await stage.until(() => stage.isDone());
    assertEquals(sequencesOf(1), [...upTo(4), ...upTo(10)]);
  });

  it("continues after a database outage, and settles the attempts that finished during it", async () => {
    const partner = stage.add(1, 500);
    stage.answer = () => pause(1).then(() => answered(200));
    const worker = stage.start();
    await stage.until(() => partner.passed > 50);
    stage.away = true;
    await stage.until(() => worker.waiting === 0 && worker.inFlight === 0);
    const [sent, settled] = [stage.sent.length, stage.settled.length];
    assert(sent > settled);
    await pause(50);
    assertEquals(stage.sent.length, sent, "no new event is sent while the database is unavailable");
    stage.away = false;
    await stage.until(() => stage.isDone());
    assertEquals(sequencesOf(1), upTo(500));
  });

  it("starts no attempt after four seconds without a heartbeat", async () => {
    stage.add(1, 100);
    const open: (() => void)[] = [];
    stage.answer = () => new Promise((resolve) => open.push(() => resolve(answered(200))));
    const worker = stage.start();
    await stage.until(() => open.length === 4 && worker.waiting >= 4);
    stage.away = true;
    stage.pass(4001);
    for (const one of open) one();
    await pause(50);
    assertEquals(stage.sent.length, 4);
    stage.away = false;
    stage.answer = () => answered(200);
    await stage.until(() => stage.isDone());
    assertEquals(sequencesOf(1), upTo(100));
  });

  it("notices a lost endpoint at the next heartbeat, even with nothing to settle", async () => {
    const partner = stage.add(1, 3);
    stage.start("one", { beatMs: 1000 });
    await stage.until(() => stage.isDone());
    // Make a replay. Without the heartbeat, the worker would notice it only after five seconds, when it
    // releases the idle endpoint. The fixture's time does not advance by five seconds in this test.
    Object.assign(partner, { passed: 0, worker: null });
    await stage.until(() => stage.isDone());
    assertEquals(sequencesOf(1), [...upTo(3), ...upTo(3)]);
  });

  it("sends none of its queued events after another worker has claimed the endpoint", async () => {
    const partner = stage.add(1, 20);
    const open: (() => void)[] = [];
    stage.answer = ({ worker }) =>
      worker === "two" ? answered(200) : new Promise((resolve) => open.push(() => resolve(answered(200))));
    const one = stage.start("one");
    await stage.until(() => open.length === 4 && one.waiting >= 4);
    stage.start("two");
    stage.give(partner, "two");
    await stage.until(() => stage.isDone() && one.held === 0);
    for (const each of open) each();
    await pause(50);
    assertEquals(stage.sent.filter(({ worker }) => worker === "one").length, 4);
    assertEquals(partner.passed, 20);
  });

  it("drops an endpoint that it lost to a replay, and does not move its mark again", async () => {
    const partner = stage.add(1, 100);
    const open: (() => void)[] = [];
    stage.answer = () => new Promise((resolve) => open.push(() => resolve(answered(200))));
    stage.start();
    await stage.until(() => open.length === 4);
    // Make a replay: the mark goes back to 0, and no worker holds the endpoint.
    partner.passed = 0;
    partner.worker = null;
    await stage.until(() => stage.sent.length > 4);
    partner.passed = 0;
    stage.answer = () => answered(200);
    for (const one of open) one();
    await stage.until(() => stage.isDone());
    assertEquals(sequencesOf(1).slice(4), [...upTo(4), ...upTo(100).slice(4)]);
  });

  it("rests an endpoint whose secrets cannot be decrypted, and serves the others", async () => {
    const shut = stage.add(1, 5);
    stage.add(2, 5);
    let opens = false;
    const worker = stage.start("one", {
      openSecrets: async (client) =>
        client === 2 || opens ? [{ id: 1, retireAtMs: Infinity, secret: SECRET }] : [],
    });
    await stage.until(() => stage.partners.get(2)!.passed === 5 && shut.worker === null);
    assertEquals([sequencesOf(1), shut.failures], [[], 0]);
    opens = true;
    stage.pass(61_000);
    await stage.until(() => stage.isDone());
    assert(worker.held <= 2);
  });

  it("serves the others when the database refuses one partner's events or attempts", async () => {
    const [torn, well] = [stage.add(1, 5), stage.add(2, 50)];
    stage.refuses = (call, client) => call === "take" && client === 1;
    stage.start();
    await stage.until(() => well.passed === 50 && torn.worker === null);
    assertEquals([sequencesOf(1), torn.failures, stage.broken.length], [[], 0, 1]);
    stage.refuses = (call, client) => call === "settle" && client === 1;
    well.events = 100;
    stage.pass(61_000);
    await stage.until(() => well.passed === 100 && stage.broken.length > 1);
    assertEquals(torn.passed, 0);
    stage.refuses = () => false;
    // Check that events that were sent and not settled are sent again, but not at once.
    const beats = stage.calls.renew;
    await stage.until(() => stage.calls.renew > beats + 20);
    const sent = sequencesOf(1).length;
    assertEquals([torn.passed, sent <= 5], [0, true]);
    stage.pass(61_000);
    await stage.until(() => stage.isDone());
  });

  it("settles the other endpoints while one is locked, and the locked one after the lock ends", async () => {
    const [torn, well] = [stage.add(1, 2000), stage.add(2, 5000)];
    stage.answer = async ({ client, sequence }) => answered(client === 1 && sequence === 7 ? 500 : 200);
    stage.locked = 1;
    stage.start();
    await stage.until(() => well.passed === 5000);
    assertEquals([torn.passed, stage.broken.length], [0, 0]);
    // Allow 1,024 events beyond the settled mark, and up to 64 events of a last read.
    assertEquals(sequencesOf(1).length <= 1024 + 64, true);
    stage.locked = undefined;
    stage.pass(1001);
    await stage.until(() => torn.passed === 2000);
    assertEquals([...torn.retries.keys()], [7]);
    assertEquals(new Set(sequencesOf(1)).size, 2000);
    assertEquals(sequencesOf(1).length, 2000);
  });

  it("releases an endpoint after five seconds without work", async () => {
    const partner = stage.add(1, 1);
    const worker = stage.start();
    await stage.until(() => stage.isDone());
    assertEquals([partner.worker, worker.held], ["one", 1]);
    stage.pass(5001);
    await stage.until(() => partner.worker === null);
    await stage.until(() => worker.held === 0);
  });

  it("claims an endpoint again at once if an event arrives during its release", async () => {
    const partner = stage.add(1, 1);
    const store = stage.store("one");
    let gaveBack = false;
    // Set a long pause between heartbeats. The worker then sends only two in this test: one when it starts,
    // and one because of look().
    const worker = stage.start("one", {
      beatMs: 60_000,
      store: {
        ...store,
        async settle(attempts, entries) {
          const gone = await store.settle(attempts, entries);
          if (gone.length > 0 && !gaveBack) {
            gaveBack = true;
            partner.events = 2;
            worker.wake(1);
          }
          return gone;
        },
      },
    });
    await stage.until(() => stage.isDone());
    stage.pass(5001);
    worker.look();
    await stage.until(() => partner.passed === 2);
    assertEquals([gaveBack, stage.calls.renew], [true, 2]);
  });

  it("finishes and settles in-flight attempts when it stops, and releases its endpoints", async () => {
    const partner = stage.add(1, 100);
    const open: (() => void)[] = [];
    stage.answer = () => new Promise((resolve) => open.push(() => resolve(answered(200))));
    const worker = stage.start();
    await stage.until(() => open.length === 4);
    const stopped = worker.stop();
    await pause(30);
    assertEquals([stage.sent.length, partner.worker], [4, "one"]);
    for (const one of open) one();
    await stopped;
    assertEquals([stage.sent.length, partner.passed, partner.worker], [4, 4, null]);
  });

  it("delivers or parks every event despite failing receivers, outages and other workers", async () => {
    const outcome = fc.constantFrom(200, 200, 200, 500, 429, 410);
    const partner = fc.record({ events: fc.nat(40), outcomes: fc.array(outcome, { maxLength: 30 }) });
    const mishap = fc.constantFrom("away", "taken", "second worker", "time", "nothing");
    await fc.assert(
      fc.asyncProperty(
        fc.array(partner, { minLength: 1, maxLength: 4 }),
        fc.array(mishap, { maxLength: 8 }),
        async (partners, mishaps) => {
          const fixture = new Stage();
          partners.forEach(({ events }, index) => fixture.add(index + 1, events));
          const queues = partners.map(({ outcomes }) => [...outcomes]);
          fixture.answer = ({ client }) =>
            answered(queues[client - 1]!.shift() ?? 200, { retryAfterSeconds: client % 2 });
          fixture.start("one");
          for (const what of mishaps) {
            await pause(5);
            if (what === "away") {
              fixture.away = true;
              await pause(15);
              fixture.away = false;
            }
            if (what === "taken") { for (const one of fixture.partners.values()) one.worker = null; }
            if (what === "second worker") fixture.start(`two ${performance.now()}`);
            if (what === "time") fixture.pass(3000);
          }
          await fixture.until(() => (fixture.pass(20), fixture.endWaits(), fixture.isDone()));
          await fixture.stop();
          for (const [client, { events, passed, retries }] of fixture.partners) {
            assertEquals(passed, events);
            for (let sequence = 1; sequence <= events; sequence++) {
              const arrived = fixture.delivered.has(`${client} ${sequence}`);
              assert(arrived || retries.get(sequence)?.state === "parked", `${client} ${sequence}`);
            }
          }
          assertEquals(fixture.broken, []);
        },
      ),
      { numRuns: 60 },
    );
  });
});
