import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { PkiError } from "./errors.ts";
import { AUTHORITY_NOTICE_DAYS, daysFrom, endsWithin, yearsFrom } from "./validity.ts";

const ISSUED_AT = new Date("2026-03-01T09:00:00.750Z");

describe("validity", () => {
  it("starts five minutes early, in whole seconds, and keeps its full term", () => {
    assertEquals(daysFrom(ISSUED_AT, 365), {
      notBefore: new Date("2026-03-01T08:55:00Z"),
      notAfter: new Date("2027-03-01T09:00:00Z"),
    });
    assertEquals(yearsFrom(ISSUED_AT, 10), {
      notBefore: new Date("2026-03-01T08:55:00Z"),
      notAfter: new Date("2036-03-01T09:00:00Z"),
    });
  });

  it("rejects a term that is not a whole number in range, and an invalid time of issue", () => {
    for (const days of [0, -1, 1.5, 3651, Number.NaN, Infinity]) {
      assertThrows(() => daysFrom(ISSUED_AT, days), PkiError, "days");
    }
    for (const years of [0, 51, 0.5]) assertThrows(() => yearsFrom(ISSUED_AT, years), PkiError, "years");
    assertThrows(() => daysFrom(new Date(Number.NaN), 1), PkiError, "instant");
  });

  it("endsWithin() is true from the instant at which less than the days are left", () => {
    const notAfter = new Date("2027-03-01T09:00:00Z");
    assertEquals(endsWithin(notAfter, new Date("2027-01-30T09:00:00Z"), 30), false);
    assertEquals(endsWithin(notAfter, new Date("2027-01-30T09:00:01Z"), 30), true);
    assertEquals(endsWithin(notAfter, new Date("2027-03-02T09:00:00Z"), 30), true);
    assertEquals(endsWithin(notAfter, new Date("2026-03-01T09:00:00Z"), AUTHORITY_NOTICE_DAYS), true);
  });
});
