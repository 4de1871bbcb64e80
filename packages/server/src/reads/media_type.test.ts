import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { prefersCsv } from "./media_type.ts";

describe("prefersCsv()", () => {
  it("returns true if Accept prefers CSV to JSON, by its weight or by a more specific media range", () => {
    const wanted = [
      "text/csv",
      "TEXT/CSV",
      "text/csv;q=0.1",
      "text/csv, */*",
      "*/*, text/csv",
      "text/*",
      "text/csv;q=0.9, application/json;q=0.8",
      "application/json;q=0.8,text/csv;q=0.9",
      "text/csv; charset=utf-8; header=present",
      "application/json;q=0, */*",
      "text/csv, application/json;q=0",
    ];
    for (const accept of wanted) assertEquals(prefersCsv(accept), true, accept);
  });

  it("returns false if Accept does not prefer CSV, is missing or is malformed", () => {
    const unwanted = [
      undefined,
      "",
      "*/*",
      "application/json",
      "application/*",
      "text/csv, application/json",
      "text/csv;q=0",
      "text/csv;q=0, */*",
      "text/csv;q=0.8, application/json;q=0.9",
      "text/csv;q=0.8, */*",
      "text/csv;q=2",
      "text/csv;q=x",
      "text/csv;q=0.1234",
      "text/csvx",
      "image/png",
      ",",
      "text/*;q=0.5, application/json;q=0.5",
    ];
    for (const accept of unwanted) assertEquals(prefersCsv(accept), false, `${accept}`);
  });
});
