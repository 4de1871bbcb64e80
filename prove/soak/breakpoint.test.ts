import { describe, it } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { findBreakpoint } from "./breakpoint.ts";
import type { Slice } from "./traffic.ts";

const RAMP = { firstPerSecond: 100, factor: 1.5, stepMs: 1 };
const GOOD: Slice = { due: 100, done: 99, orderMs: [10, 200], failures: new Map() };

/** Fake traffic. `resultsAt` gives the results at each rate and try. */
function fakeTraffic(resultsAt: (perSecond: number, tries: number) => Partial<Slice>) {
  const tries = new Map<number, number>();
  let slice: Slice = GOOD;
  return {
    start(perSecond: number) {
      tries.set(perSecond, (tries.get(perSecond) ?? 0) + 1);
      slice = { ...GOOD, ...resultsAt(perSecond, tries.get(perSecond)!) };
    },
    take: () => slice,
    stop: async () => {},
  };
}

const find = (resultsAt: Parameters<typeof fakeTraffic>[0]) =>
  findBreakpoint(fakeTraffic(resultsAt), RAMP, () => {});

describe("findBreakpoint()", () => {
  const BREAKS: readonly (readonly [string, Partial<Slice>])[] = [
    ["orders are late", { orderMs: [10, 251] }],
    ["work piles up", { done: 94 }],
    ["a request is refused", { failures: new Map([["order: 503 service_unavailable", 1]]) }],
    ["no order completes", { orderMs: [] }],
  ];
  for (const [how, slice] of BREAKS) {
    it(`returns the last rate before ${how}`, async () => {
      assertEquals(await find((perSecond) => perSecond > 225 ? slice : {}), 225);
    });
  }
  it("continues after one bad step", async () => {
    assertEquals(
      await find((perSecond, tries) =>
        perSecond > 338 || perSecond === 150 && tries === 1 ? { done: 50 } : {}
      ),
      338,
    );
  });
  it("throws if the first rate is not held", async () => {
    await assertRejects(() => find(() => ({ done: 0 })), Error, "first rate of 100 per second");
  });
});
