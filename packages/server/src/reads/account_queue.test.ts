import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { Refusal } from "../http/refusal.ts";
import { createAccountQueue } from "./account_queue.ts";

/** A read that ends when the test calls end(). */
function held(): { read: () => Promise<string>; begun: () => boolean; end: () => void } {
  let [begun, end] = [false, () => {}];
  const ended = new Promise<string>((resolve) => end = () => resolve("read"));
  return {
    read: () => {
      begun = true;
      return ended;
    },
    begun: () => begun,
    end: () => end(),
  };
}
const settle = () => new Promise((resolve) => setTimeout(resolve));

describe("createAccountQueue()", () => {
  it("runs one read per client at a time, in order, and other clients' reads in parallel", async () => {
    const turn = createAccountQueue(4);
    const [first, second, other] = [held(), held(), held()];
    const reads = [turn(1, first.read), turn(1, second.read), turn(2, other.read)];
    await settle();
    assertEquals([first.begun(), second.begun(), other.begun()], [true, false, true]);
    first.end();
    await settle();
    assertEquals(second.begun(), true);
    second.end();
    other.end();
    assertEquals(await Promise.all(reads), ["read", "read", "read"]);
  });

  it("refuses a read at once while the client's queue is full, and accepts reads afterwards", async () => {
    const turn = createAccountQueue(2);
    const [first, second] = [held(), held()];
    const reads = [turn(1, first.read), turn(1, second.read)];
    const refused = await assertRejects(() => turn(1, () => Promise.resolve("read")), Refusal) as Refusal;
    assertEquals(refused.code, "service_unavailable");
    assertEquals(await turn(2, () => Promise.resolve("another")), "another");
    first.end();
    second.end();
    await Promise.all(reads);
    assertEquals(await turn(1, () => Promise.resolve("read")), "read");
  });

  it("continues after a failed read", async () => {
    const turn = createAccountQueue(2);
    const failing = turn(1, () => Promise.reject(new Error("gone")));
    const next = turn(1, () => Promise.resolve("read"));
    await assertRejects(() => failing, Error, "gone");
    assertEquals(await next, "read");
  });

  it("refuses the queued reads after one read timed out on the account's lock", async () => {
    const turn = createAccountQueue(3);
    let reads = 0;
    const locked = () => {
      reads++;
      return Promise.reject(Object.assign(new Error("locked"), { code: "55P03" }));
    };
    const waiting = [turn(1, locked), turn(1, locked), turn(1, locked)];
    const failures = await Promise.allSettled(waiting);
    assertEquals(failures.map(({ status }) => status), ["rejected", "rejected", "rejected"]);
    assertEquals(reads, 1);
    assertEquals(await turn(1, () => Promise.resolve("read")), "read");
  });
});
