import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { latenciesBetween } from "./transaction_log.ts";

describe("latenciesBetween()", () => {
  it("returns transactions that began and ended in the interval, and ignores an incomplete line", () => {
    const log = [
      "0 1 1500 0 1700000000 999000", // began before
      "0 2 1200 0 1700000001 1200",
      "0 3 1300 0 1700000001 500000",
      "0 4 900 0 1700000002 1", // ended after
      "0 5 1",
    ].join("\n");
    assertEquals(latenciesBetween(log, 1_700_000_001_000, 1_700_000_002_000), [1200, 1300]);
  });
});
