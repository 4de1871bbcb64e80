import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { createPlaces } from "./places.ts";

describe("createPlaces()", () => {
  /** Reports requests that took as long as asked, while so many ran. */
  const run = (
    places: ReturnType<typeof createPlaces>,
    ms: number,
    count: number,
    running = places.limit(),
  ) => {
    for (let n = 0; n < count; n++) places.sample(ms, running);
  };

  it("grows while all places are used and requests take no longer than usual", () => {
    const places = createPlaces();
    run(places, 10, 3200);
    assert(places.limit() > 64, `${places.limit()}`);
    run(places, 10, 100_000);
    assertEquals(places.limit(), 256);
  });

  it("shrinks when requests take much longer than usual, but leaves enough for batches", () => {
    const places = createPlaces();
    run(places, 10, 3200);
    const before = places.limit();
    run(places, 60, 320);
    assert(places.limit() < before, `${places.limit()}`);
    run(places, 600, 640);
    assertEquals(places.limit(), 32);
  });

  it("grows again when latency is back to normal", () => {
    const places = createPlaces();
    run(places, 10, 3200);
    run(places, 100, 640);
    const low = places.limit();
    run(places, 10, 6400);
    assert(places.limit() > low, `${places.limit()} after ${low}`);
  });

  it("does not change while fewer than half of the places are used", () => {
    const places = createPlaces();
    run(places, 10, 3200, 20);
    run(places, 100, 3200, 20);
    assertEquals(places.limit(), 64);
  });
});
