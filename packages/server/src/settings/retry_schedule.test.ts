import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { SETTINGS } from "./settings.ts";
import { parseRetrySchedule } from "./retry_schedule.ts";

describe("parseRetrySchedule()", () => {
  it("reads seconds, minutes, hours and days", () => {
    assertEquals(parseRetrySchedule("5s 2m 3h 1d"), [5, 120, 10_800, 86_400]);
    assertEquals(parseRetrySchedule("  7d  1s "), [604_800, 1]);
  });

  it("reads the default schedule: 12 waits, about three days in total", () => {
    const schedule = parseRetrySchedule(SETTINGS.find(({ name }) => name === "WEBHOOK_RETRIES")!.default!);
    const days = schedule.reduce((sum, seconds) => sum + seconds, 0) / 86_400;
    assertEquals([schedule.length, Math.round(days)], [12, 3]);
  });

  it("rejects and names a wait that is malformed or longer than 7 days", () => {
    const words = ["5", "s", "0s", "-1s", "1.5h", "5S", "05s", "1w", "8d", "9999999s", "5s,10s", "Infinity"];
    for (const word of words) {
      assertThrows(() => parseRetrySchedule(`5s ${word}`), Error, `has "${word}"`);
    }
  });

  it("rejects an empty list and a list of more than 100 waits", () => {
    assertEquals(parseRetrySchedule(Array(100).fill("1s").join(" ")).length, 100);
    for (const text of ["", "  ", Array(101).fill("1s").join(" ")]) {
      assertThrows(() => parseRetrySchedule(text), Error, "a list of 1 to 100 waits");
    }
  });
});
