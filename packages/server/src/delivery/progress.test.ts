import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Progress } from "./progress.ts";
import { seedTests } from "../../../../tools/testing/seed.ts";

seedTests(import.meta.url);

describe("Progress", () => {
  it("does not advance `passed` to or beyond an unfinished event", () => {
    const progress = new Progress(10);
    for (const [finished, passed] of [[12, 10], [13, 10], [11, 13], [15, 13], [14, 15]]) {
      progress.finish(finished! - 1, finished!);
      assertEquals(progress.passed, passed);
    }
  });

  it("ignores an event whose sequence number is not above `passed`", () => {
    const progress = new Progress(10);
    for (const finished of [10, 1, 11, 11, 10]) progress.finish(finished - 1, finished);
    assertEquals(progress.passed, 11);
  });

  it("advances over an event that follows a number below `passed`", () => {
    const progress = new Progress(0);
    // An endpoint that takes neither 6 to 10 nor 11 takes 12 after 5.
    for (const [follows, finished, passed] of [[5, 10, 0], [0, 5, 10], [5, 12, 12]]) {
      progress.finish(follows!, finished!);
      assertEquals(progress.passed, passed);
    }
  });

  it("sets `passed` to the number before the first unfinished event, in whatever order events finish", () => {
    const start = fc.nat(1000);
    const offsets = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 });
    fc.assert(fc.property(start, offsets, (from, finished) => {
      const progress = new Progress(from);
      const done = new Set<number>();
      for (const offset of finished) {
        progress.finish(from + offset - 1, from + offset);
        done.add(offset);
        let run = 0;
        while (done.has(run + 1)) run++;
        assertEquals(progress.passed, from + run);
      }
    }));
  });
});
