import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { InDoubtError } from "./lane.ts";
import { busy, failure, gate, item, ok, scripted } from "./lane_trial.ts";
import type { Outcome } from "./outcome.ts";

describe("Lane, when something fails", () => {
  describe("a bad item", () => {
    it("fails alone: the batch was rolled back, and each runs once by itself", async () => {
      const first = gate();
      const { lane, calls } = scripted(async (call, number) => {
        if (number === 1) await first.opened;
        if (call.names.includes("bad")) throw failure("22P02");
        return ok(call);
      });
      const sent = [item(9), item(1, "good"), item(2, "bad"), item(3, "fine")].map((one) => lane.submit(one));
      const settled = Promise.allSettled(sent);
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

    it("leaves the lane free for what comes next", async () => {
      const { lane, bodies } = scripted((call) => {
        if (call.names.includes("bad")) throw failure("XX000");
        return ok(call);
      });
      await assertRejects(() => lane.submit(item(1, "bad")), Error, "XX000");
      assertEquals(await bodies(item(1)), ["1"]);
    });
  });

  describe("what fails in passing", () => {
    it("is sent again after a deadlock or a serialization failure, as if for the first time", async () => {
      const { calls, bodies } = scripted((call, number) => {
        if (number < 3) throw failure(number === 1 ? "40P01" : "40001");
        return ok(call);
      });
      assertEquals(await bodies(item(1)), ["1"]);
      assertEquals(calls.map(({ settle }) => settle), [false, false, false]);
    });

    it("asks for its result after a lost connection, for nobody knows whether the commit came first", async () => {
      const { calls, bodies } = scripted((call, number) => {
        if (number === 1) throw failure("CONNECTION_CLOSED");
        return ok(call);
      });
      assertEquals(await bodies(item(1)), ["1"]);
      assertEquals(calls.map(({ settle }) => settle), [false, true]);
    });

    it("goes on asking where the client is busy meanwhile: the lost transaction may hold it still", async () => {
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

    it("is a replay where the database says so: it knows which request spent a nonce", async () => {
      const reused: Outcome = { outcome: "nonce_reused", status: null, body: null };
      const { lane } = scripted((_, number) => {
        if (number === 1) throw failure("CONNECTION_CLOSED");
        return [reused];
      });
      assertEquals(await lane.submit(item(1)), reused);
    });

    it("goes on asking where a bad item then breaks the batch up", async () => {
      const first = gate();
      const { lane, calls } = scripted(async (call, number) => {
        if (number === 1) await first.opened;
        if (number === 2) throw failure("57P01");
        if (call.names.includes("bad")) throw failure("22P02");
        return ok(call);
      });
      const settled = Promise.allSettled(
        [item(9), item(1, "good"), item(2, "bad")].map((one) => lane.submit(one)),
      );
      first.open();
      assertEquals((await settled).map(({ status }) => status), ["fulfilled", "fulfilled", "rejected"]);
      assertEquals(calls.find(({ names, wait }) => wait && names[0] === "good")?.settle, true);
    });

    it("is in doubt, and says so, where the connection is lost again and again", async () => {
      const { lane, calls } = scripted(() => {
        throw failure("CONNECTION_CLOSED");
      });
      await assertRejects(() => lane.submit(item(1)), InDoubtError);
      assertEquals(calls.map(({ settle }) => settle), [false, true, true, true]);
    });

    it("stays in doubt where the database is away after a lost connection, or the lock stays taken", async () => {
      for (const code of ["ECONNREFUSED", "55P03"]) {
        const { lane } = scripted((_, number) => {
          throw failure(number === 1 ? "ECONNRESET" : code);
        }, { waits: true });
        await assertRejects(() => lane.submit(item(1)), InDoubtError);
      }
    });

    it("is given up after four attempts", async () => {
      const { lane, calls } = scripted(() => {
        throw failure("40P01");
      });
      await assertRejects(() => lane.submit(item(1)), Error, "40P01");
      assertEquals(calls.length, 4);
    });

    it("is refused at once where the database is not there: nothing was sent, nothing piles up", async () => {
      for (const code of ["ECONNREFUSED", "53300", "53100", "service_unavailable"]) {
        const { lane, calls } = scripted(() => {
          throw failure(code);
        });
        await assertRejects(() => lane.submit(item(1)), Error, code);
        assertEquals(calls.length, 1, code);
      }
    });

    it("is in doubt at once where a statement or its wait for the standby was cancelled: to ask again could find what is not replicated", async () => {
      for (const code of ["57014", "COMMIT_UNREPLICATED"]) {
        const { lane, calls } = scripted(() => {
          throw failure(code);
        });
        await assertRejects(() => lane.submit(item(1)), InDoubtError);
        assertEquals(calls.length, 1, code);
      }
    });

    it("is in progress elsewhere, past the time that one waits for a lock", async () => {
      const { lane, calls } = scripted((call) => {
        if (call.wait) throw failure("55P03");
        return [busy];
      });
      assertEquals((await lane.submit(item(1))).outcome, "idempotency_request_in_progress");
      assertEquals(calls.length, 2);
    });

    it("is in progress elsewhere at the first attempt, in a lane that always waits", async () => {
      const { lane, calls } = scripted(() => {
        throw failure("55P03");
      }, { waits: true });
      assertEquals((await lane.submit(item(1))).outcome, "idempotency_request_in_progress");
      assertEquals(calls.map(({ wait }) => wait), [true]);
    });
  });
});
