import { describe, it } from "node:test";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { sampleReader } from "./sample.ts";

const HEADER = "metric_name,timestamp,metric_value,check,scenario,status,extra_tags,metadata";

describe("sampleReader()", () => {
  it("reads a metric, its time, its value and all its tags", () => {
    assertEquals(sampleReader(HEADER)("http_reqs,1795231886123,1.500000,,load,201,partner=3&step=order,"), {
      metric: "http_reqs",
      atMs: 1795231886123,
      value: 1.5,
      tags: new Map([["scenario", "load"], ["status", "201"], ["partner", "3"], ["step", "order"]]),
    });
  });

  it("reads a quoted field that contains commas and quotes", () => {
    const { tags } = sampleReader(HEADER)('checks,1,0,"is, ""up""",load,,partner=3,');
    assertEquals(tags, new Map([["check", 'is, "up"'], ["scenario", "load"], ["partner", "3"]]));
  });

  it("returns the same object for the same tags", () => {
    const read = sampleReader(HEADER);
    assertStrictEquals(read("a,1,1,,s,200,step=x,").tags, read("b,2,3,,s,200,step=x,").tags);
  });

  it("reads a negative value of a counter", () => {
    assertEquals(sampleReader(HEADER)("orders_unaccounted,1,-3.000000,,s,,step=books,").value, -3);
  });

  it("rejects an unknown header", () => {
    assertThrows(() => sampleReader('{"type":"Metric"}'), Error, "header of k6's samples");
  });
});
