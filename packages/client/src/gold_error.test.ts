import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { GoldError } from "./gold_error.ts";

describe("GoldError", () => {
  it("says its code in a text, and that of a service that is newer", () => {
    assertEquals(`${new GoldError("quote_expired", "Too late.")}`, "GoldError [quote_expired]: Too late.");
    const newer = new GoldError("unknown_code", "It melted.", { serviceCode: "gold_is_molten" });
    assertEquals(`${newer}`, "GoldError [gold_is_molten]: It melted.");
  });
});
