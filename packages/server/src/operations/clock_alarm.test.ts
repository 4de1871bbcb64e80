import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { createClockAlarm } from "./clock_alarm.ts";
import type { LogFields } from "./log.ts";
import { createMetrics } from "./metrics.ts";

describe("createClockAlarm()", () => {
  it("logs once when the alarm begins, and ends the alarm a minute after the last refusal", () => {
    let nowMs = 0;
    const logged: (LogFields | undefined)[] = [];
    const metrics = createMetrics();
    const alarm = createClockAlarm((_level, _event, fields) => logged.push(fields), metrics, () => nowMs);
    const shown = () => metrics.text().split("\n").filter((line) => line.startsWith("gold_clock"));
    assertEquals(shown(), ["gold_clock_refusals_total 0"]);
    for (const behindSeconds of [75, 74, 73]) {
      alarm.refused(behindSeconds);
      nowMs += 59_000;
    }
    assertEquals(logged, [{ behind_seconds: 75 }]);
    assertEquals(shown(), ["gold_clock_refusals_total 3"]);
    nowMs += 1_000;
    alarm.refused(3600);
    assertEquals(logged, [{ behind_seconds: 75 }, { behind_seconds: 3600 }]);
  });
});
