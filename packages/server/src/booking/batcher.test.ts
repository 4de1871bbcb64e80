import { describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { busy, done, gate, immediates, item, ok, scripted, turn } from "./batcher_fixture.ts";

describe("Batcher", () => {
  describe("batches", () => {
    it("sends a single item at once", async () => {
      const { calls, bodies } = scripted(ok);
      assertEquals(await bodies(item(1)), ["1"]);
      assertEquals(calls, [{ names: ["1"], wait: false, settle: false }]);
    });

    it("sends all items that arrived during the previous batch as one batch", async () => {
      const first = gate();
      const { calls, bodies } = scripted(async (call, number) => {
        if (number === 1) await first.opened;
        return ok(call);
      });
      const all = bodies(...[1, 2, 3, 4, 5].map((client) => item(client)));
      await turn();
      assertEquals(calls.map(({ names }) => names), [["1"]]);
      first.open();
      assertEquals(await all, ["1", "2", "3", "4", "5"]);
      assertEquals(calls.map(({ names }) => names), [["1"], ["2", "3", "4", "5"]]);
    });

    it("puts at most batchItems items into a batch", async () => {
      const { calls, bodies } = scripted(ok, { batchItems: 3 });
      await bodies(...[1, 2, 3, 4, 5, 6, 7, 8].map((client) => item(client)));
      assertEquals(calls.map(({ names }) => names.length), [1, 3, 3, 1]);
    });

    it("keeps the order of a client's items", async () => {
      const { calls, bodies } = scripted(ok, { batchItems: 3 });
      await bodies(item(9, "x"), ...["a", "b", "c", "d"].map((name) => item(1, name)));
      assertEquals(calls.flatMap(({ names }) => names), ["x", "a", "b", "c", "d"]);
    });
  });

  describe("gathering", () => {
    it("puts all items of one turn of the event loop into one batch", async () => {
      const { batcher, calls } = scripted(ok);
      await Promise.all([1, 2, 3].map((client) => batcher.submit(item(client))));
      assertEquals(calls.map(({ names }) => names), [["1", "2", "3"]]);
    });

    it("waits for announced items, whether they then come or are refused", async () => {
      const { batcher, calls } = scripted(ok, { gatherMs: 60_000 });
      const [admitted, refused] = [gate(), gate()];
      const first = batcher.submit(item(1));
      const second = batcher.expect(admitted.opened).then(() => batcher.submit(item(2)));
      const third = batcher.expect(refused.opened.then(() => Promise.reject(new Error("refused"))));
      await immediates();
      admitted.open();
      await immediates();
      assertEquals(calls, []);
      refused.open();
      await assertRejects(() => third, Error, "refused");
      assertEquals((await Promise.all([first, second])).map(({ body }) => body), ["1", "2"]);
      assertEquals(calls.map(({ names }) => names), [["1", "2"]]);
    });

    it("waits no longer than two milliseconds while announced items come and go", async () => {
      const { batcher, calls } = scripted(ok);
      const endless = gate();
      const announced = batcher.expect(endless.opened);
      const first = batcher.submit(item(1));
      const untilMs = performance.now() + 1000;
      while (calls.length === 0 && performance.now() < untilMs) await batcher.expect(turn());
      assertEquals((await first).body, "1");
      endless.open();
      await announced;
    });

    it("waits for no announced item once the batch is full", async () => {
      const { batcher, calls } = scripted(ok, { batchItems: 2 });
      const endless = gate();
      const announced = batcher.expect(endless.opened);
      const all = [batcher.submit(item(1)), batcher.submit(item(2))];
      await immediates();
      assertEquals(calls.map(({ names }) => names), [["1", "2"]]);
      await Promise.all(all);
      endless.open();
      await announced;
    });

    it("sends a second batch beside one of three items when it is full, or when that one takes 10 ms", async () => {
      const slow = gate();
      const { batcher, calls } = scripted(async (call) => {
        if (call.names.includes("1")) await slow.opened;
        return ok(call);
      }, { batchesInFlight: 2, batchItems: 4 });
      const submit = (...clients: number[]) => clients.map((client) => batcher.submit(item(client)));
      const sentMs = performance.now();
      const first = submit(1, 2, 3);
      await immediates();
      const full = submit(4, 5, 6, 7);
      await Promise.all(full);
      const few = submit(8);
      await immediates();
      if (performance.now() - sentMs < 9) assertEquals(calls.length, 2);
      await Promise.all(few);
      assert(performance.now() - sentMs >= 9);
      assertEquals(calls.map(({ names }) => names.length), [3, 4, 1]);
      slow.open();
      await Promise.all(first);
    });
  });

  describe("concurrent batches", () => {
    it("has at most batchesInFlight batches in flight", async () => {
      const open = gate();
      let inFlight = 0;
      let most = 0;
      const { bodies } = scripted(async (call) => {
        most = Math.max(most, ++inFlight);
        await open.opened;
        inFlight--;
        return ok(call);
      }, { batchesInFlight: 2 });
      const all = bodies(...[1, 2, 3, 4].map((client) => item(client)));
      await turn();
      open.open();
      await all;
      assertEquals(most, 2);
    });

    it("has a client in one batch at a time, and sends other clients' items meanwhile", async () => {
      const first = gate();
      const { calls, bodies } = scripted(async (call) => {
        if (call.names.includes("a")) await first.opened;
        return ok(call);
      }, { batchesInFlight: 2 });
      const all = bodies(item(1, "a"), item(1, "b"), item(2, "c"));
      await turn();
      assertEquals(calls.map(({ names }) => names), [["a"], ["c"]]);
      first.open();
      await all;
      assertEquals(calls.map(({ names }) => names), [["a"], ["c"], ["b"]]);
    });

    it("waits for a busy client separately, so that the next batch does not wait", async () => {
      const locked = gate();
      const { calls, bodies } = scripted(async (call) => {
        if (call.wait) {
          await locked.opened;
          return ok(call);
        }
        return call.names.map((name) => name.startsWith("busy") ? busy : done(name));
      });
      const waiting = bodies(item(1, "busy1"), item(1, "busy2"));
      assertEquals(await bodies(item(2, "free"), item(3, "free2")), ["free", "free2"]);
      assertEquals(calls.filter(({ names }) => names.includes("busy2")), []);
      locked.open();
      assertEquals(await waiting, ["busy1", "busy2"]);
      assertEquals(calls.filter(({ wait }) => wait).map(({ names }) => names), [["busy1"], ["busy2"]]);
    });

    it("returns busy if a client is still busy after the wait", async () => {
      const { batcher } = scripted(({ names }) => names.map(() => busy));
      assertEquals((await batcher.submit(item(1))).outcome, "busy");
    });
  });

  describe("the queue", () => {
    it("holds a limited number of items per client, so that one client cannot fill its queue", async () => {
      const first = gate();
      const { batcher, bodies } = scripted(async (call, number) => {
        if (number === 1) await first.opened;
        return ok(call);
      }, { clientQueueItems: 2 });
      const accepted = bodies(item(9), item(1, "a"), item(1, "b"), item(2));
      await turn();
      await assertRejects(() => batcher.submit(item(1, "c")), Error, "overloaded");
      first.open();
      assertEquals(await accepted, ["9", "a", "b", "2"]);
      assertEquals(await bodies(item(1, "c"), item(1, "d")), ["c", "d"]);
    });

    it("refuses an item at once if the queue is full, and keeps the waiting items", async () => {
      const first = gate();
      const { batcher, bodies } = scripted(async (call, number) => {
        if (number === 1) await first.opened;
        return ok(call);
      }, { queueItems: 2 });
      const accepted = bodies(item(1), item(2), item(3));
      await turn();
      assertEquals(batcher.waiting, 2);
      await assertRejects(() => batcher.submit(item(4)), Error, "overloaded");
      first.open();
      assertEquals(await accepted, ["1", "2", "3"]);
      assertEquals(batcher.waiting, 0);
      assertEquals(await bodies(item(4)), ["4"]);
    });
  });
});
