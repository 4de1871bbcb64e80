import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { BoundedCache } from "./cache.ts";

describe("BoundedCache", () => {
  it("forgets the oldest entry when it is full", () => {
    const cache = new BoundedCache<string, number>(2);
    cache.set("a", 1);
    cache.set("b", 2);
    cache.set("c", 3);
    assertEquals([cache.get("a"), cache.get("b"), cache.get("c"), cache.size], [undefined, 2, 3, 2]);
  });
  it("forgets nothing when a known entry is set again", () => {
    const cache = new BoundedCache<string, number>(2);
    cache.set("a", 1);
    cache.set("b", 2);
    assertEquals(cache.set("b", 3), 3);
    assertEquals([cache.get("a"), cache.get("b"), cache.size], [1, 3, 2]);
  });
  it("stays within its bound whatever is put in", () => {
    const cache = new BoundedCache<string, number>(16);
    for (let index = 0; index < 1000; index++) cache.set(`key ${index}`, index);
    assertEquals(cache.size, 16);
  });
});
