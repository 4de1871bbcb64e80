import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { rateFields } from "./rate_fields.ts";

describe("rateFields()", () => {
  const policy = (perSecond: number, burst: number) =>
    rateFields({ perSecond, burst }, { allowed: true, remaining: 3, resetSeconds: 1 })["RateLimit-Policy"];

  it("returns RateLimit-Policy with the quota and RateLimit with the remaining requests", () => {
    assertEquals(
      rateFields({ perSecond: 50, burst: 200 }, { allowed: true, remaining: 199, resetSeconds: 1 }),
      { "RateLimit-Policy": '"default";q=200;w=4', "RateLimit": '"default";r=199;t=1' },
    );
    assertEquals(
      rateFields({ perSecond: 50, burst: 200 }, { allowed: false, remaining: 0, resetSeconds: 2 })
        .RateLimit,
      '"default";r=0;t=2',
    );
  });

  it("rounds the window up to whole seconds, so that the policy never promises more than the rate", () => {
    assertEquals(policy(60, 200), '"default";q=200;w=4');
    assertEquals(policy(2000, 2000), '"default";q=2000;w=1');
    assertEquals(policy(50, 10), '"default";q=10;w=1');
    assertEquals(policy(1, 3), '"default";q=3;w=3');
  });
});
