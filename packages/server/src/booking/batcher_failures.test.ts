import { describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { InDoubtError } from "./batcher.ts";
import { busy, failure, gate, item, ok, scripted, turn } from "./batcher_fixture.ts";
import type { Outcome } from "./outcome.ts";

describe("Batcher, on database errors", () => {
  describe("a bad item", () => {
    it("fails alone, because each item is sent once by itself after the batch's rollback", async () => {
      const first = gate();
      const { outcomes, calls } = scripted(async (call, number) => {
        if (number === 1) await first.opened;
        if (call.names.includes("bad")) throw failure("22P02");
        return ok(call);
      });
      const settled = outcomes(item(9), item(1, "good"), item(2, "bad"), item(3, "fine"));
      await turn();
      first.open();
      assertEquals((await settled).map(({ status }) => status), [
        "fulfilled",
        "fulfilled",
        "rejected",
        "fulfilled",
      ]);
      assertEquals(calls.slice(1).map(({ names }) => names), [["good", "bad", "fine"], ["good"], ["bad"], [
        "fine",
      ]]);
      assertEquals(calls.slice(2).every(({ wait }) => wait), true);
    });

    it("does not block the next item", async () => {
      const { batcher, bodies } = scripted((call) => {
        if (call.names.includes("bad")) throw failure("XX000");
        return ok(call);
      });
      await assertRejects(() => batcher.submit(item(1, "bad")), Error, "XX000");
      assertEquals(await bodies(item(1)), ["1"]);
    });
  });

  describe("an item after an error", () => {
    it("is retried after a deadlock or a serialization failure, without settle", async () => {
      const { calls, bodies } = scripted((call, number) => {
        if (number < 3) throw failure(number === 1 ? "40P01" : "40001");
        return ok(call);
      });
      assertEquals(await bodies(item(1)), ["1"]);
      assertEquals(calls.map(({ settle }) => settle), [false, false, false]);
    });

    it("is retried with settle after a lost connection, because it may have been committed", async () => {
      const { calls, bodies } = scripted((call, number) => {
        if (number === 1) throw failure("CONNECTION_CLOSED");
        return ok(call);
      });
      assertEquals(await bodies(item(1)), ["1"]);
      assertEquals(calls.map(({ settle }) => settle), [false, true]);
    });

    it("keeps settle if its client is busy, as the lost transaction may still hold the lock", async () => {
      const { calls, bodies } = scripted((call, number) => {
        if (number === 1) throw failure("ECONNRESET");
        return number === 2 ? [busy] : ok(call);
      });
      assertEquals(await bodies(item(1)), ["1"]);
      assertEquals(calls.map(({ wait, settle }) => [wait, settle]), [[false, false], [false, true], [
        true,
        true,
      ]]);
    });

    it("gets the outcome nonce_reused if the database returns it after a lost connection", async () => {
      const reused: Outcome = { outcome: "nonce_reused", status: null, body: null };
      const { batcher } = scripted((_, number) => {
        if (number === 1) throw failure("CONNECTION_CLOSED");
        return [reused];
      });
      assertEquals(await batcher.submit(item(1)), reused);
    });

    it("keeps settle if the batch is then split because of a bad item", async () => {
      const first = gate();
      const { outcomes, calls } = scripted(async (call, number) => {
        if (number === 1) await first.opened;
        if (number === 2) throw failure("57P01");
        if (call.names.includes("bad")) throw failure("22P02");
        return ok(call);
      });
      const settled = outcomes(item(9), item(1, "good"), item(2, "bad"));
      await turn();
      first.open();
      assertEquals((await settled).map(({ status }) => status), ["fulfilled", "fulfilled", "rejected"]);
      assertEquals(calls.find(({ names, wait }) => wait && names[0] === "good")?.settle, true);
    });

    it("fails with InDoubtError if the connection is lost at every attempt", async () => {
      const { batcher, calls } = scripted(() => {
        throw failure("CONNECTION_CLOSED");
      });
      await assertRejects(() => batcher.submit(item(1)), InDoubtError);
      assertEquals(calls.map(({ settle }) => settle), [false, true, true, true]);
    });

    it("fails with InDoubtError if the retries find the database unreachable or the lock taken", async () => {
      for (const code of ["ECONNREFUSED", "55P03"]) {
        const { batcher } = scripted((_, number) => {
          throw failure(number === 1 ? "ECONNRESET" : code);
        }, { waits: true });
        await assertRejects(() => batcher.submit(item(1)), InDoubtError);
      }
    });

    it("fails after four attempts", async () => {
      const { batcher, calls } = scripted(() => {
        throw failure("40P01");
      });
      await assertRejects(() => batcher.submit(item(1)), Error, "40P01");
      assertEquals(calls.length, 4);
    });

    it("fails at once if the database is unreachable or full, because nothing was committed", async () => {
      for (const code of ["ECONNREFUSED", "53300", "53100", "service_unavailable"]) {
        const { batcher, calls } = scripted(() => {
          throw failure(code);
        });
        await assertRejects(() => batcher.submit(item(1)), Error, code);
        assertEquals(calls.length, 1, code);
      }
    });

    it("fails with InDoubtError at once if the statement or its standby wait was cancelled", async () => {
      for (const code of ["57014", "COMMIT_UNREPLICATED"]) {
        const { batcher, calls } = scripted(() => {
          throw failure(code);
        });
        await assertRejects(() => batcher.submit(item(1)), InDoubtError);
        assertEquals(calls.length, 1, code);
      }
    });

    it("fails with InDoubtError at the time limit, and its statement goes on", async () => {
      const commit = gate();
      let sends = 0;
      const { batcher, calls } = scripted(async (call) => {
        await commit.opened;
        sends++;
        return ok(call);
      }, { commitWaitMs: 20 });
      // The test waits for the rejection from the start: on a busy machine, it comes during the next turn.
      const failed = assertRejects(() => batcher.submit(item(1)), InDoubtError);
      await turn();
      const next = batcher.submit(item(2));
      await failed;
      assert(batcher.oldestSeconds > 0);
      // The slow statement keeps its place, so the next one is sent after it.
      assertEquals([calls.length, sends, batcher.waiting], [1, 0, 1]);
      commit.open();
      assertEquals((await next).body, "2");
      await turn();
      assertEquals([sends, batcher.oldestSeconds], [2, 0]);
    });

    it("waits 10 s at most, also if its client is busy first", async () => {
      const waits: number[] = [];
      const { setTimeout } = globalThis;
      globalThis.setTimeout = ((act: () => void, ms: number) => {
        waits.push(ms);
        return setTimeout(act, ms / 100);
      }) as typeof setTimeout;
      try {
        const { batcher } = scripted(async (call) => {
          if (call.wait) return await new Promise<never>(() => {});
          await new Promise((resolve) => setTimeout(resolve, 50));
          return [busy];
        });
        await assertRejects(() => batcher.submit(item(1)), InDoubtError);
      } finally {
        globalThis.setTimeout = setTimeout;
      }
      const [first, second] = waits.filter((ms) => ms > 1000) as [number, number];
      assert(first > 9000 && first <= 10_000, `${first}`);
      // The 50 ms before the wait for the busy client count. On a busy machine, a timer may fire early.
      assert(second < first - 20, `${second}`);
    });

    it("fails with InDoubtError at the time limit if its client stays busy", async () => {
      const { batcher } = scripted(
        (call) => call.wait ? new Promise(() => {}) : [busy],
        { commitWaitMs: 20 },
      );
      await assertRejects(() => batcher.submit(item(1)), InDoubtError);
    });

    it("gets idempotency_request_in_progress after the lock timeout", async () => {
      const { batcher, calls } = scripted((call) => {
        if (call.wait) throw failure("55P03");
        return [busy];
      });
      assertEquals((await batcher.submit(item(1))).outcome, "idempotency_request_in_progress");
      assertEquals(calls.length, 2);
    });

    it("gets idempotency_request_in_progress at once in a batcher that always waits", async () => {
      const { batcher, calls } = scripted(() => {
        throw failure("55P03");
      }, { waits: true });
      assertEquals((await batcher.submit(item(1))).outcome, "idempotency_request_in_progress");
      assertEquals(calls.map(({ wait }) => wait), [true]);
    });
  });
});
