import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { openRandomPool } from "./random_pool.ts";

describe("openRandomPool()", () => {
  it("gives as many bytes as it is asked for, over the pool's end and beyond its size", () => {
    const random = openRandomPool();
    for (const length of [0, 1, 10, 4085, 4090, 7, 4096, 1, 10_000]) {
      assertEquals(random(length).length, length);
    }
  });

  it("never gives the same bytes twice, nor any that a later call changes", () => {
    const random = openRandomPool();
    const given = Array.from({ length: 5000 }, () => random(16));
    const texts = () => given.map((bytes) => Buffer.from(bytes).toString("hex"));
    const before = texts();
    random(4000);
    random(4000);
    assertEquals([texts(), new Set(before).size], [before, 5000]);
  });

  it("leaves no byte as it found it: every value comes at every place", () => {
    const random = openRandomPool();
    const seen = Array.from({ length: 16 }, () => new Set<number>());
    for (let round = 0; round < 10_000; round++) random(16).forEach((byte, place) => seen[place]!.add(byte));
    assertEquals(seen.map(({ size }) => size), seen.map(() => 256));
  });
});
