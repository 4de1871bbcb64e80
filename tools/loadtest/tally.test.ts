import { describe, it } from "node:test";
import { assertEquals } from "../testing/assert.ts";
import { Tally } from "./tally.ts";

/** Returns a tally with one request for each pair of a step and a second. */
function tallyOf(...requests: readonly (readonly [step: string, second: number])[]): Tally {
  const tally = new Tally({});
  for (const [step, second] of requests) {
    tally.add({
      metric: "http_req_duration",
      atMs: second * 1000,
      value: 5,
      tags: new Map([["step", step]]),
    });
  }
  return tally;
}

describe("Tally", () => {
  it("leaves requests before and after the load out of its figures", () => {
    const tally = tallyOf(["setup", 100], ["order", 110], ["order", 130], ["books", 900]);
    assertEquals(tally.seconds, 20);
    assertEquals(tally.steps.describe().map(({ step, slices }) => [step, slices.length]), [["order", 21]]);
  });

  it("covers at least one second, so that a single request has a finite rate", () => {
    assertEquals([tallyOf(["order", 110]).seconds, tallyOf().seconds], [1, 1]);
  });
});
