import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { parseHttpDate } from "./http_date.ts";

const NOW_MS = Date.parse("2026-01-31T09:30:00Z");
const read = (text: string) => {
  const atMs = parseHttpDate(text, NOW_MS);
  return atMs === null ? null : new Date(atMs).toISOString();
};

describe("parseHttpDate()", () => {
  it("reads the three forms of RFC 9110", () => {
    const texts = [
      "Sun, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
    ];
    for (const text of texts) {
      assertEquals(read(text), "1994-11-06T08:49:37.000Z", text);
    }
    assertEquals(read("Wed Nov 16 23:59:60 1994"), "1994-11-17T00:00:00.000Z");
    assertEquals(read("Thu, 29 Feb 2024 00:00:00 GMT"), "2024-02-29T00:00:00.000Z");
  });

  it("reads a two-digit year as at most fifty years ahead", () => {
    const years = { "26": 2026, "76": 2076, "77": 1977, "99": 1999, "00": 2000 };
    for (const [digits, year] of Object.entries(years)) {
      assertEquals(read(`Sunday, 06-Nov-${digits} 08:49:37 GMT`), `${year}-11-06T08:49:37.000Z`);
    }
    const lateMs = Date.parse("2099-06-01T00:00:00Z");
    assertEquals(parseHttpDate("Sunday, 06-Nov-99 08:49:37 GMT", lateMs), Date.UTC(2099, 10, 6, 8, 49, 37));
  });

  it("returns null for any other text", () => {
    const texts = [
      "",
      "2026-01-31",
      "2026-01-31T09:31:00Z",
      "Sun, 06 Nov 1994 08:49:37",
      "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 +0000",
      "Sun, 06 Nov 94 08:49:37 GMT",
      "Sun, 6 Nov 1994 08:49:37 GMT",
      "sun, 06 nov 1994 08:49:37 gmt",
      "Abc, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Abc 1994 08:49:37 GMT",
      "Sun, 06-Nov-94 08:49:37 GMT",
      "Sunday, 06-Nov-1994 08:49:37 GMT",
      "Sun Nov 6 08:49:37 1994",
      "Sun Nov  6 08:49:37 1994 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT",
      "Tue, 31 Feb 2026 09:31:00 GMT",
      "Sat, 31 Jan 2026 24:00:00 GMT",
      "Sat, 31 Jan 2026 09:60:00 GMT",
      "Sat, 31 Jan 2026 09:31:61 GMT",
      " Sun, 06 Nov 1994 08:49:37 GMT",
    ];
    for (const text of texts) {
      assertEquals(read(text), null, text);
    }
  });
});
