import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { describe, it } from "node:test";
import { formatInstant, isDate, parseInstant } from "./instant.ts";
import { seedTests } from "../../../testing/seed.ts";

seedTests(import.meta.url);

const FIRST_MS = -62_167_219_200_000; // 0000-01-01
const LAST_MS = 253_402_300_799_999; // 9999-12-31

describe("parseInstant()", () => {
  it("reads what formatInstant() writes", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: FIRST_MS, max: LAST_MS }),
        (ms) => assertEquals(parseInstant(formatInstant(ms)), ms),
      ),
    );
    assertEquals(formatInstant(FIRST_MS), "0000-01-01T00:00:00.000Z");
    assertEquals(formatInstant(LAST_MS), "9999-12-31T23:59:59.999Z");
    assertEquals(parseInstant("2024-02-29T12:00:00.001Z"), Date.UTC(2024, 1, 29, 12, 0, 0, 1));
  });

  it("rejects every other format and dates that do not exist", () => {
    const others = [
      "",
      "2026-01-31",
      "2026-01-31T09:30:00Z",
      "2026-01-31T09:30:00.0Z",
      "2026-01-31T09:30:00.0000Z",
      "2026-01-31T09:30:00,000Z",
      "2026-01-31T09:30:00.000",
      "2026-01-31T09:30:00.000z",
      "2026-01-31t09:30:00.000Z",
      "2026-01-31 09:30:00.000Z",
      "2026-01-31T09:30:00.000+00:00",
      "2026-01-31T12:30:00.000+03:00",
      " 2026-01-31T09:30:00.000Z",
      "2026-01-31T09:30:00.000Z\n",
      "+002026-01-31T09:30:00.000Z",
      "2026-02-29T00:00:00.000Z",
      "2026-02-30T00:00:00.000Z",
      "2026-04-31T00:00:00.000Z",
      "2026-13-01T00:00:00.000Z",
      "2026-00-01T00:00:00.000Z",
      "2026-01-00T00:00:00.000Z",
      "2026-01-31T24:00:00.000Z",
      "2026-01-31T23:60:00.000Z",
      "2026-12-31T23:59:60.000Z",
      "٢٠٢٦-01-31T09:30:00.000Z",
    ];
    for (const text of others) assertEquals(parseInstant(text), undefined, text);
  });
});

describe("formatInstant()", () => {
  it("rejects a number that is not a whole millisecond in the years 0000 to 9999", () => {
    for (const ms of [NaN, Infinity, 1.5, FIRST_MS - 1, LAST_MS + 1, 8.64e15 + 1]) {
      assertThrows(() => formatInstant(ms), RangeError, "not an instant");
    }
  });
});

describe("isDate()", () => {
  it("accepts only calendar days", () => {
    for (const text of ["2026-01-31", "2024-02-29", "2000-02-29"]) assertEquals(isDate(text), true, text);
    const others = [
      "",
      "2026-1-31",
      "2026-02-29",
      "1900-02-29",
      "2026-04-31",
      "20260131",
      "2026-01-31T00:00:00.000Z",
      "2026-01-31 ",
    ];
    for (const text of others) assertEquals(isDate(text), false, text);
  });
});
