import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { durationText } from "./duration_text.ts";

describe("durationText()", () => {
  it("writes the largest unit and the next one", () => {
    const texts: readonly (readonly [ms: number, text: string])[] = [
      [0, "0 seconds"],
      [1000, "1 second"],
      [1499, "1 second"],
      [15_003, "15 seconds"],
      [300_000, "5 minutes"],
      [1_000_000, "16 minutes 40 seconds"],
      [3_600_000, "1 hour"],
      [3_605_000, "1 hour"],
      [7_260_000, "2 hours 1 minute"],
      [90_000_000, "1 day 1 hour"],
    ];
    for (const [ms, text] of texts) assertEquals(durationText(ms), text, `${ms}`);
  });
});
