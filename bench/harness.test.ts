import process from "node:process";
import { describe, it } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  type Contender,
  hostMeter,
  inFlight,
  interleaved,
  type Meter,
  rotate,
  rotateSeen,
  synchronous,
} from "./harness.ts";
import { processCpuMs } from "./process_cpu.ts";

/** A clock that advances only when a contender calls spend(). */
function manualMeter(): Meter & { spend(wallMs: number): void } {
  let now = 0;
  return { wallMs: () => now, cpuMs: () => now / 2, spend: (wallMs) => void (now += wallMs) };
}

describe("interleaved()", () => {
  it("gives each contender one turn per round, in an order that changes each round", async () => {
    const meter = manualMeter();
    const turns: string[] = [];
    const contender = (name: string): Contender => (operations) => {
      turns.push(name);
      meter.spend(operations);
    };
    const measure = interleaved({ a: contender("a"), b: contender("b"), c: contender("c") }, meter);
    const rounds = await measure({ rounds: 4, turnMs: 1, rows: 1 });
    assertEquals(turns.slice(-12).join(""), "abcbcacababc");
    assertEquals(rounds.map((round) => Object.keys(round).sort().join("")), ["abc", "abc", "abc", "abc"]);
  });
  it("calibrates the number of operations that fill a turn, for fast and for slow operations", async () => {
    const meter = manualMeter();
    const costing = (costMs: number): Contender => (operations) => meter.spend(operations * costMs);
    let warmUpMs = 20;
    const cold: Contender = (operations) => {
      meter.spend(operations * 0.01 + warmUpMs);
      warmUpMs = 0;
    };
    const [round] = await interleaved(
      { cold, cheap: costing(0.01), dear: costing(30), over: costing(500) },
      meter,
    )(
      {
        rounds: 1,
        turnMs: 100,
        rows: 1,
      },
    );
    assertEquals(round!["cheap"]!.operations, 10_000);
    assertEquals(round!["cold"]!.operations, 10_000, "a slow first operation does not count");
    assertEquals(round!["dear"], { operations: 3, wallMs: 90, cpuMs: 45 });
    assertEquals(round!["over"]!.operations, 1);
  });
});

describe("rotate()", () => {
  it("rejects a contender that did no operation, because it has no rate", async () => {
    const idle = () => Promise.resolve({ operations: 0, wallMs: 10 });
    await assertRejects(() => rotate({ idle }, 1), Error, '"idle" did no operation');
  });
});

describe("rotateSeen()", () => {
  it("starts each round with a different turn, and keeps all samples of a turn", async () => {
    const order: string[] = [];
    const sample = { operations: 1, wallMs: 1 };
    const turn = (name: string, ...seen: string[]) => () => {
      order.push(name);
      return Promise.resolve(Object.fromEntries([name, ...seen].map((one) => [one, sample])));
    };
    const rounds = await rotateSeen([turn("a", "a too"), turn("b"), turn("c")], 3);
    assertEquals(order.join(""), "abcbcacab");
    for (const round of rounds) assertEquals(Object.keys(round).sort(), ["a", "a too", "b", "c"]);
  });
});

describe("contenders", () => {
  it("synchronous() and inFlight() run each operation once and wait for the last", async () => {
    const done: number[] = [];
    await synchronous((index) => void done.push(index))(5);
    assertEquals(done.splice(0), [0, 1, 2, 3, 4]);
    await inFlight(3, async (index) => {
      await Promise.resolve();
      done.push(index);
    })(7);
    assertEquals(done.sort(), [0, 1, 2, 3, 4, 5, 6]);
  });
  it("inFlight() keeps exactly the given number of operations in flight", async () => {
    for (const width of [1, 4]) {
      let [now, most] = [0, 0];
      await inFlight(width, async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 1));
        now--;
      })(width * 3);
      assertEquals(most, width);
    }
  });
  it("inFlight() rejects when an operation rejects", async () => {
    const failing = async () => await inFlight(2, () => Promise.reject(new Error("refused")))(4);
    assertEquals(await failing().catch((error: Error) => error.message), "refused");
  });
});

describe("hostMeter()", () => {
  it("counts the CPU time of this process on any operating system", () => {
    const meter = hostMeter();
    const startMs = meter.wallMs();
    const before = meter.cpuMs();
    while (meter.wallMs() - startMs < 60);
    const spent = meter.cpuMs() - before;
    assert(spent > 0 && spent < 1000, `${spent} ms`);
  });
  it("adds the CPU time of the given processes on Linux, and throws on other systems", () => {
    assertThrows(() => processCpuMs(process.pid, "darwin"), Error, "run this on Linux");
    const twice = hostMeter(() => [process.pid]);
    if (process.platform !== "linux") {
      return void assertThrows(() => twice.cpuMs(), Error, "run this on Linux");
    }
    assert(processCpuMs(process.pid) > 0);
    // Read `once` first, so that CPU time that this process uses between the two readings raises only the
    // second reading.
    const once = hostMeter().cpuMs();
    assert(twice.cpuMs() > once * 1.5, "the CPU time of a given process must be added");
  });
});
