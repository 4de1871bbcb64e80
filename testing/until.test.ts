import { describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { until } from "./until.ts";

describe("until()", () => {
  it("returns the first truthy value of a function or of a promise", async () => {
    const values = [0, "", null, "there", "later"];
    assertEquals(await until(() => values.shift()), "there");
    assertEquals(await until(() => Promise.resolve(values.shift())), "later");
  });

  it("polls the condition until the time limit, then rejects with the condition and the state", async () => {
    let asked = 0;
    await assertRejects(() => until(() => ++asked < 0, undefined, 50), Error, "++asked < 0");
    assert(asked > 1);
    await assertRejects(() => until(() => false, () => [1, 2], 1), Error, "seen: [1,2]");
  });

  it("rejects with the error that the condition throws", async () => {
    const fails = () => {
      throw new RangeError("the reason");
    };
    await assertRejects(() => until(fails), RangeError, "the reason");
  });
});
