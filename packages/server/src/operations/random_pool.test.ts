import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { openRandomPool } from "./random_pool.ts";

describe("openRandomPool()", () => {
  it("returns the requested number of bytes, across the pool's end and beyond its size", () => {
    const random = openRandomPool();
    for (const length of [0, 1, 10, 4085, 4090, 7, 4096, 1, 10_000]) {
      assertEquals(random(length).length, length);
    }
  });

  it("never returns the same bytes twice, and never changes bytes that it returned", () => {
    const random = openRandomPool();
    const given = Array.from({ length: 5000 }, () => random(16));
    const texts = () => given.map((bytes) => Buffer.from(bytes).toString("hex"));
    const before = texts();
    random(4000);
    random(4000);
    assertEquals([texts(), new Set(before).size], [before, 5000]);
  });

  it("fills every byte, so that each value occurs at each position", () => {
    const random = openRandomPool();
    const seen = Array.from({ length: 16 }, () => new Set<number>());
    for (let round = 0; round < 10_000; round++) random(16).forEach((byte, place) => seen[place]!.add(byte));
    assertEquals(seen.map(({ size }) => size), seen.map(() => 256));
  });
});
