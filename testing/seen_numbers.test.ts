import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { SeenNumbers } from "./seen_numbers.ts";

describe("SeenNumbers", () => {
  it("returns true only when a number is added for the first time, in any order and for high numbers", () => {
    const seen = new SeenNumbers();
    const numbers = [1, 0, 7, 8, 8191, 8192, 100_003, 100_002, 5_000_000];
    assertEquals(numbers.map((number) => seen.add(number)), numbers.map(() => true));
    assertEquals(numbers.map((number) => seen.add(number)), numbers.map(() => false));
    assertEquals([seen.add(2), seen.add(9), seen.add(5_000_001)], [true, true, true]);
    assertEquals(seen.count, numbers.length + 3);
  });
});
