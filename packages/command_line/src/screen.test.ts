import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { riyadhTime, riyadhTimes, type Screen, screenOf, widthOf, wrap } from "./screen.ts";

const WIDE: Screen = { columns: 80, hasColor: false, now: new Date("2026-11-29T20:30:00.000Z") };

describe("wrap()", () => {
  it("breaks at spaces, and inside a word that is longer than a line", () => {
    assertEquals(wrap("one two three", 7), ["one two", "three"]);
    assertEquals(wrap("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
    assertEquals(wrap("", 4), [""]);
    assertEquals(wrap("a\nb", 4), ["a", "b"]);
  });

  it("counts the columns of a terminal, not the characters", () => {
    assertEquals([widthOf("نجد"), widthOf("é"), widthOf("金a")], [3, 1, 3]);
    assertEquals(wrap("金金金", 4), ["金金", "金"]);
  });
});

describe("riyadhTime()", () => {
  it("is brief for a time of today and of this year, by the days in Riyadh", () => {
    const times = [
      "2026-11-29T21:00:01.000Z",
      "2026-11-29T20:59:59Z",
      "2026-01-31T05:06:07.890Z",
      "2025-01-31T05:06:07Z",
    ];
    // At 20:30 UTC it is 23:30 in Riyadh.
    assertEquals(times.map((time) => riyadhTime(time, WIDE, true)), [
      ...["30 Nov 00:00", "23:59:59", "31 Jan 08:06", "31 Jan 2025"],
    ]);
    assertEquals(riyadhTime(times[2]!, WIDE, false), "31 Jan 2026 08:06:07");
  });
});

describe("riyadhTimes()", () => {
  it("changes every instant in a text, and names the zone where there is room", () => {
    const text = "1: 2026-11-29T20:59:59Z, 2: -";
    assertEquals(riyadhTimes(text, WIDE, true), "1: 23:59:59, 2: -");
    assertEquals(riyadhTimes(text, WIDE, false), "1: 29 Nov 2026 23:59:59 +03:00, 2: -");
  });
});

describe("screenOf()", () => {
  it("is the terminal of an output, with colours unless the environment forbids them", () => {
    assertEquals(screenOf({ columns: 120 }, {}), undefined);
    const found = [{}, { NO_COLOR: "1" }, { TERM: "dumb" }].map((env) => screenOf({ isTTY: true }, env));
    assertEquals(found.map((screen) => [screen?.columns, screen?.hasColor]), [[80, true], [80, false], [
      80,
      false,
    ]]);
  });
});
