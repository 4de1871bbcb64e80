import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { Failure } from "../../failure.ts";
import { readMarketHours, writeMarketHours } from "./market_hours.ts";

const roundTrip = (...texts: string[]) => writeMarketHours(readMarketHours(texts));

describe("market hours", () => {
  it("reads and writes always, never, and sessions of days", () => {
    assertEquals(readMarketHours(["always"]), { alwaysOpen: true, sessions: [] });
    assertEquals(readMarketHours(["never"]), { alwaysOpen: false, sessions: [] });
    assertEquals(readMarketHours(["mon 09:30-24:00"]).sessions, [{
      day: 1,
      opens: "09:30",
      closes: "24:00",
    }]);
    assertEquals(roundTrip("always"), ["always"]);
    assertEquals(roundTrip("never"), ["never"]);
    assertEquals(roundTrip("sun-thu 10:00-15:00", "sat 11:00-12:00"), [
      "sun-thu 10:00-15:00",
      "sat 11:00-12:00",
    ]);
    assertEquals(roundTrip("sun-thu 14:00-15:00", "sun-thu 10:00-14:00"), [
      "sun-thu 10:00-14:00",
      "sun-thu 14:00-15:00",
    ]);
  });

  it("accepts a range of days across the end of the week", () => {
    assertEquals(readMarketHours(["fri-sun 00:00-24:00"]).sessions.map(({ day }) => day), [0, 5, 6]);
    assertEquals(roundTrip("fri-sun 00:00-24:00"), ["sun 00:00-24:00", "fri-sat 00:00-24:00"]);
    assertEquals(readMarketHours(["sat-fri 01:00-02:00"]).sessions.length, 7);
  });

  it("rejects malformed hours and overlapping sessions", () => {
    const none = [
      "",
      "open",
      "sun",
      "sun 10-15",
      "sun 25:00-26:00",
      "sun 10:60-11:00",
      "sun 10:00-24:01",
      "sun 24:00-24:00",
    ];
    for (
      const text of [
        ...none,
        "sun 15:00-10:00",
        "sun 10:00-10:00",
        "Sun 10:00-11:00",
        "sun-xyz 10:00-11:00",
        "sun-thu 10:00-15:00 ",
      ]
    ) {
      const { exit, message } = assertThrows(() => readMarketHours([text]), Failure);
      assertEquals(exit, 2, text);
      assertStringIncludes(message, "--open");
    }
    for (const two of [["always", "never"], ["always", "sun 10:00-11:00"]]) {
      assertThrows(() => readMarketHours(two), Failure);
    }
    const overlap = assertThrows(() => readMarketHours(["sun-thu 10:00-15:00", "mon 14:59-16:00"]), Failure);
    assertStringIncludes(overlap.message, "two sessions on mon at 14:59");
    assertEquals(roundTrip("sun 10:00-15:00", "sun 15:00-16:00").length, 2);
  });
});
