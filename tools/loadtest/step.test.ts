import { describe, it } from "node:test";
import { assertEquals } from "../testing/assert.ts";
import { StepLog } from "./step.ts";

describe("StepLog", () => {
  it("counts requests and failures of each second, and includes seconds without requests", () => {
    const log = new StepLog();
    log.addDuration("order", 1_000_900, 5);
    log.addDuration("order", 1_003_000, 5);
    log.addFailure("order", 1_003_000);
    log.addDuration("quote", 1_001_000, 5);
    const [order, quote] = log.describe();
    assertEquals(order!.slices.map(({ failed, durations }) => [durations.length, failed]), [[1, 0], [0, 0], [
      0,
      0,
    ], [1, 1]]);
    assertEquals([order!.requests, order!.failed, quote!.requests, quote!.slices.length], [2, 1, 1, 4]);
  });

  it("accepts late samples, and counts all samples after it has merged slices", () => {
    const log = new StepLog();
    for (let second = 1500; second > 0; second--) log.addDuration("order", second * 1000, 5);
    const [order] = log.describe();
    assertEquals([log.widthMs, order!.requests], [4000, 1500]);
    assertEquals(order!.slices.slice(1, -1).every(({ durations }) => durations[0]![1] === 4), true);
  });
});
