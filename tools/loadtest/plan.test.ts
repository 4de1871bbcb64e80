import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { readPlan, UsageError } from "./plan.ts";

const NOW = new Date("2026-11-21T03:04:05.678Z");
const plan = (...args: string[]) => readPlan(args, "/repository", NOW);

describe("readPlan()", () => {
  it("takes one partner, the smoke, and the state of npm start, unless it is told", () => {
    const { load, partners, partnersDir, resultsDir, cure } = plan("quote_order");
    assertEquals([load.name, partners], ["smoke", ["0"]]);
    assertEquals(partnersDir, "/repository/.gold/loadtest");
    assertEquals(resultsDir, "/repository/.gold/loadtest/results/20261121T030405Z-quote_order");
    assertEquals(cure, "npm run gold -- loadtest prepare --partners 1");
  });

  it("takes several partners with one rate, and another state with its own partners", () => {
    const { load, partners, baseUrl, cure } = plan(
      ...["mixed", "--partners", "3", "--profile", "stress", "--rate", "90", "--duration", "2m"],
      ...["--state", "/elsewhere", "--base-url", "https://localhost:9443"],
    );
    assertEquals(load, { name: "stress", peakPerSecond: 90, durationSeconds: 120, partners: 3 });
    assertEquals([partners, baseUrl], [["0", "1", "2"], "https://localhost:9443"]);
    assertEquals(
      cure,
      "npm run gold -- loadtest prepare --partners 3 --state /elsewhere --out /elsewhere/loadtest",
    );
  });

  it("tries the limiter by the partner that is limited", () => {
    assertEquals(plan("limiter").partners, ["limited"]);
    assertThrows(() => plan("limiter", "--partners", "2"), UsageError, "leave out --partners");
  });

  it("says what it cannot take", () => {
    for (
      const [args, says] of [
        [[], "Which scenario?"],
        [["orders"], 'no scenario "orders"'],
        [["token", "mixed"], 'no scenario "token mixed"'],
        [["token", "--partners", "0"], "PARTNERS=0"],
        [["token", "--profile", "hard"], "PROFILE=hard"],
        [["token", "--rate", "1.5"], "RATE=1.5"],
        [["token", "--duration", "soon"], "DURATION=soon"],
        [["token", "--base-url", "http://localhost"], "--base-url is https"],
        [["token", "--vus", "3"], "--vus"],
      ] as const
    ) assertThrows(() => plan(...args), UsageError, says);
  });
});
