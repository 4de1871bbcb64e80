import { assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { PkiError } from "./errors.ts";
import { AUTHORITY_NOTICE_DAYS, daysFrom, warnOfExpiry, yearsFrom } from "./validity.ts";

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

  it("warnOfExpiry() returns soon, urgent and then expired as the end approaches", () => {
    const notAfter = new Date("2027-03-01T09:00:00Z");
    const warning = (at: string, noticeDays?: number): unknown =>
      warnOfExpiry(notAfter, new Date(at), noticeDays);
    assertEquals(warning("2027-01-30T09:00:00Z"), null);
    assertEquals(warning("2027-01-30T09:00:01Z"), { level: "soon", daysLeft: 29 });
    assertEquals(warning("2027-02-22T09:00:00Z"), { level: "soon", daysLeft: 7 });
    assertEquals(warning("2027-02-22T09:00:01Z"), { level: "urgent", daysLeft: 6 });
    assertEquals(warning("2027-03-01T09:00:00Z"), { level: "urgent", daysLeft: 0 });
    assertEquals(warning("2027-03-01T09:00:01Z"), { level: "expired", daysLeft: -1 });
    assertEquals(warning("2026-03-01T09:00:00Z", AUTHORITY_NOTICE_DAYS), { level: "soon", daysLeft: 365 });
  });
});
