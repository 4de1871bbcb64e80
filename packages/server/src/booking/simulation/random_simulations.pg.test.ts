import fc from "fast-check";
import { before, describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { seedTests } from "../../../../../tools/testing/seed.ts";
import { suiteService } from "../../../testing/service.ts";
import { type Draw, SimulatedHistory } from "../../../testing/simulated_history.ts";

seedTests(import.meta.url);

const RUNS = 10;
const ACTIONS = 40;
const number = fc.nat(65_535);
const draw: fc.Arbitrary<Draw> = fc.tuple(number, number, number);

describe("random sequences of simulations and usual calls", () => {
  const service = suiteService();
  before(() => service.books.addBar(1_000_000_000n));

  it("get the replies and balances that a model predicts, and leave no defect in the books", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(draw, { minLength: ACTIONS / 2, maxLength: ACTIONS, size: "max" }),
        (draws) => SimulatedHistory.run(service, draws),
      ),
      { numRuns: RUNS },
    );
    assertEquals(await service.books.defects(), []);
    assertEquals((await service.books.sql`select * from gold.verify_audit()`).length, 0);
  });
});
