import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "../testing/assert.ts";
import { readPlan, UsageError } from "./plan.ts";

const NOW = new Date("2026-11-21T03:04:05.678Z");
const plan = (...args: string[]) => readPlan(args, "/repository", NOW);

describe("readPlan()", () => {
  it("defaults to one partner, the smoke profile and the state of npm start", () => {
    const { load, partners, partnersDir, resultsDir, cure } = plan("quote_order");
    assertEquals([load.name, partners], ["smoke", ["0"]]);
    assertEquals(partnersDir, "/repository/.gold/loadtest");
    assertEquals(resultsDir, "/repository/.gold/loadtest/results/20261121T030405Z-quote_order");
    assertEquals(cure, "npm run gold -- loadtest prepare --partners 1");
  });

  it("reads the number of partners, the load and another state with its own partner files", () => {
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

  it("runs the limiter scenario only with the partner named limited", () => {
    assertEquals(plan("limiter").partners, ["limited"]);
    assertThrows(() => plan("limiter", "--partners", "2"), UsageError, "Leave out --partners");
  });

  it("rejects wrong arguments with the reason", () => {
    for (
      const [args, says] of [
        [[], "SCENARIO is missing."],
        [["orders"], 'no scenario "orders"'],
        [["token", "mixed"], 'no scenario "token mixed"'],
        [["token", "--partners", "0"], "PARTNERS must be"],
        [["token", "--profile", "hard"], "PROFILE must be"],
        [["token", "--rate", "1.5"], "RATE must be"],
        [["token", "--duration", "soon"], "DURATION must be"],
        [["token", "--base-url", "http://localhost"], "--base-url must be https"],
        [["token", "--vus", "3"], "--vus"],
      ] as const
    ) assertThrows(() => plan(...args), UsageError, says);
  });
});
