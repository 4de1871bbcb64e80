import { describe, it } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import process from "node:process";
import { readSeed, seedTests } from "./seed.ts";

/** The first values that a property gets. */
function drawSome(): number[] {
  const drawn: number[] = [];
  fc.assert(fc.property(fc.nat(), (value) => void drawn.push(value)), { numRuns: 20 });
  return drawn;
}

describe("seedTests()", () => {
  const given = process.env.TEST_SEED;
  const restore = () => {
    if (given === undefined) delete process.env.TEST_SEED;
    else process.env.TEST_SEED = given;
    seedTests(import.meta.url);
  };

  it("draws the same values for the same TEST_SEED, and different values for a different TEST_SEED", () => {
    try {
      const [first, second, other] = ["7", "7", "8"].map((seed) => {
        process.env.TEST_SEED = seed;
        assertEquals(seedTests(import.meta.url), Number(seed));
        return drawSome();
      });
      assertEquals(first, second);
      assert(`${first}` !== `${other}`);
    } finally {
      restore();
    }
  });

  it("picks a random seed without TEST_SEED, and rejects an invalid TEST_SEED", () => {
    assert(new Set(Array.from({ length: 20 }, () => readSeed(undefined))).size > 1);
    for (const seed of ["x", "-1", "1.5", "4294967296"]) {
      assertThrows(() => readSeed(seed), Error, "TEST_SEED");
    }
  });

  it("prints the seed and the command that repeats a failed property", async () => {
    const seed = seedTests(import.meta.url);
    const command = `TEST_SEED=${seed} npm test -- testing/seed.test.ts`;
    const thrown = assertThrows(
      () => fc.assert(fc.property(fc.nat(), (value) => value < 5)),
      Error,
      "Counterexample: [5]",
    );
    assertStringIncludes(thrown.message, command);
    const fails = fc.asyncProperty(fc.nat(), () => Promise.reject(new Error("the reason")));
    const rejected = await assertRejects(() => fc.assert(fails), Error, command);
    assertEquals((rejected.cause as Error).message, "the reason");
  });
});
