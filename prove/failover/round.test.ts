import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { longestPause } from "./round.ts";

describe("longestPause()", () => {
  it("returns the longest time between two orders, from the fault on", () => {
    assertEquals(longestPause([900, 100, 1200, 1300], 1000), 200);
    assertEquals(longestPause([900, 1900, 1100, 5200, 5300], 1000), 3300);
  });

  it("is endless if no order came after the fault", () => {
    assertEquals(longestPause([900, 100], 1000), Infinity);
    assertEquals(longestPause([], 1000), Infinity);
  });
});
