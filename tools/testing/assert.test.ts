import { describe, it } from "node:test";
import { assertEquals, AssertionError, assertRejects, assertThrows } from "./assert.ts";

describe("the assertions of the tests", () => {
  it("assertThrows() fails when nothing is thrown", () => {
    assertThrows(() => assertThrows(() => {}), AssertionError, "Expected a throw");
  });
  it("assertThrows() fails on another class of error", () => {
    assertThrows(() =>
      assertThrows(() => {
        throw new TypeError("x");
      }, RangeError), AssertionError);
  });
  it("assertRejects() fails when nothing is rejected", async () => {
    await assertRejects(() => assertRejects(() => Promise.resolve()), AssertionError, "Expected a rejection");
  });
  it("assertRejects() fails on a function that throws instead of returning a promise", async () => {
    const throwing = (): Promise<void> => {
      throw new TypeError("x");
    };
    await assertRejects(
      () => assertRejects(throwing, TypeError),
      AssertionError,
      "throws when expected to reject",
    );
  });
  it("assertEquals() is deep and strict", () => {
    assertEquals({ a: [1n] }, { a: [1n] });
    assertThrows(() => assertEquals<unknown>({ a: 1 }, { a: "1" }));
  });
});
