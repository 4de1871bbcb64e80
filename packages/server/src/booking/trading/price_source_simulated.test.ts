import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { simulatedSource } from "./price_source_simulated.ts";
import { standingAt } from "./price_source_fixture.ts";

describe("simulatedSource()", () => {
  /** Walks `steps` steps. The random bytes for the walk depend only on the seed. */
  async function walk(seed: number, steps: number, from = 3_200_000n): Promise<bigint[]> {
    let state = seed;
    const source = simulatedSource(() => {
      state = (state * 48_271) % 2_147_483_647;
      return new Uint8Array([state >> 8, state]);
    });
    const prices: bigint[] = [from];
    for (let step = 0; step < steps; step++) {
      const next = await source.next(
        standingAt(null, { midPips: prices.at(-1)! }),
        new AbortController().signal,
      );
      prices.push(next!.midPips);
    }
    return prices;
  }

  it("repeats the walk with the same bytes, and takes another walk with other bytes", async () => {
    assertEquals(await walk(7, 100), await walk(7, 100));
    assert((await walk(7, 100)).join() !== (await walk(8, 100)).join());
  });

  it("moves up and down, by at most two hundred parts in a million", async () => {
    const prices = await walk(11, 2000);
    const steps = prices.slice(1).map((price, index) => price - prices[index]!);
    assert(steps.some((step) => step > 0n) && steps.some((step) => step < 0n));
    for (const [index, step] of steps.entries()) {
      assert((step < 0n ? -step : step) * 1_000_000n <= prices[index]! * 200n, `${step}`);
    }
  });

  it("stays between 1 and 9,999.9999 SAR a gram", async () => {
    for (const price of await walk(5, 500, 10_000n)) assert(price >= 10_000n);
    for (const price of await walk(5, 500, 99_999_999n)) assert(price <= 99_999_999n);
  });
});
