import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { describe, it } from "node:test";
import { formatInstant, isDate, normalizeInstant, parseInstant } from "./instant.ts";
import { seedTests } from "../../../tools/testing/seed.ts";

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
    const sound = "2026-01-31T09:30:00.000Z";
    const others = [
      ...["", "2026-01-31", ` ${sound}`, `${sound}\n`, `+00${sound}`, sound.slice(0, -1)],
      ...["", ".0", ".0000", ",000"].map((fraction) => sound.replace(".000", fraction)),
      ...["z", "+00:00", "+03:00"].map((zone) => sound.replace("Z", zone)),
      ...[sound.replace("T", "t"), sound.replace("T", " "), sound.replace("2026", "٢٠٢٦")],
      ...["02-29", "02-30", "04-31", "13-01", "00-01", "01-00"].map((day) => `2026-${day}T00:00:00.000Z`),
      ...["24:00:00", "23:60:00", "23:59:60"].map((time) => `2026-12-31T${time}.000Z`),
    ];
    for (const text of others) assertEquals(parseInstant(text), undefined, text);
  });
});

describe("normalizeInstant()", () => {
  it("accepts every spelling of RFC 3339, and returns the spelling of replies", () => {
    const spellings: Readonly<Record<string, readonly string[]>> = {
      "2026-01-31T09:30:00.000Z": [
        "2026-01-31T09:30:00.000Z",
        "2026-01-31T09:30:00Z",
        "2026-01-31T09:30:00.0Z",
        "2026-01-31t09:30:00z",
        "2026-01-31T12:30:00+03:00",
        "2026-01-31T12:30:00+0300",
        "2026-01-31T12:30:00.000000000+03:00",
        "2026-01-30T09:31:00-23:59",
        "2026-02-01T09:29:00+23:59",
        "2026-01-31T09:30:00-00:00",
      ],
      "2026-01-31T09:30:00.123Z": ["2026-01-31T09:30:00.123999999Z", "2026-01-31T15:00:00.1239+05:30"],
      "2026-01-31T09:30:00.100Z": ["2026-01-31T09:30:00.1Z"],
      "2026-03-01T00:30:00.000Z": ["2026-02-28T23:30:00-01:00"],
      "1969-12-31T23:59:59.999Z": ["1969-12-31T23:59:59.9999Z"],
      "0000-01-01T00:00:00.000Z": ["0000-01-01T03:00:00+03:00"],
      "9999-12-31T23:59:59.999Z": ["9999-12-31T20:59:59.999-03:00"],
      // A leap second counts as the first second of the next month.
      "2017-01-01T00:00:00.500Z": ["2016-12-31T23:59:60.5Z", "2017-01-01T02:59:60.5+03:00"],
      // A day begins at midnight in Riyadh.
      "2026-01-30T21:00:00.000Z": ["2026-01-31"],
    };
    for (const [normal, texts] of Object.entries(spellings)) {
      for (const text of texts) assertEquals(normalizeInstant(text), normal, text);
    }
  });

  it("rejects other formats, dates that do not exist and years that no reply has", () => {
    const others = [
      "",
      "now",
      "2026-01-31T09:30:00",
      "2026-01-31T09:30Z",
      "2026-01-31T09:30:00.Z",
      "2026-01-31T09:30:00,5Z",
      "2026-01-31 09:30:00Z",
      "2026-01-31T09:30:00+03",
      "2026-01-31T09:30:00 03:00",
      "2026-01-31T09:30:00+24:00",
      "2026-01-31T09:30:00+03:60",
      "2026-01-31T09:30:00Z+03:00",
      " 2026-01-31T09:30:00Z",
      "2026-01-31T09:30:00Z\n",
      "2026-02-29",
      "2026-02-29T00:00:00+03:00",
      "2026-01-31T24:00:00Z",
      "2026-01-31T09:60:00Z",
      "2026-01-31T09:30:61Z",
      "2026-01-31T09:30:60Z",
      "2016-12-30T23:59:60Z",
      "2016-12-31T23:59:60+03:00",
      "0000-01-01",
      "0000-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59-00:01",
      "9999-12-31T23:59:60Z",
      "٢٠٢٦-01-31T09:30:00Z",
    ];
    for (const text of others) assertEquals(normalizeInstant(text), undefined, text);
  });

  it("converts the same instant in every offset and precision to the same text", () => {
    const twoDigits = (number: number) => `${number}`.padStart(2, "0");
    const DAY_MS = 86_400_000;
    fc.assert(
      fc.property(
        fc.integer({ min: FIRST_MS + DAY_MS, max: LAST_MS - DAY_MS }),
        fc.integer({ min: -1439, max: 1439 }),
        fc.stringMatching(/^[0-9]{0,6}$/),
        (ms, offset, more) => {
          const local = formatInstant(ms + offset * 60_000).slice(0, -1);
          const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
          const zone = `${offset < 0 ? "-" : "+"}${twoDigits(hours)}:${twoDigits(minutes)}`;
          assertEquals(normalizeInstant(`${local}${more}${zone}`), formatInstant(ms));
        },
      ),
    );
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
