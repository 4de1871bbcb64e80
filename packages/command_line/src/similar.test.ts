import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { similar } from "./similar.ts";

describe("similar()", () => {
  const names = ["balances", "events", "order"];
  it("finds the candidate with the fewest differences, and none if every one is far", () => {
    assertEquals(["balance", "evnets", "ordr", "x", "statement", ""].map((typed) => similar(typed, names)), [
      ...["balances", "events", "order", undefined, undefined, undefined],
    ]);
  });
});
