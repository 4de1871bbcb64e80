import { describe, it } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { type ProfileName, PROFILES } from "../../loadtest/lib/profiles.ts";
import { SCENARIOS, serviceLevels } from "../../loadtest/lib/service_levels.ts";
import { checkThresholds, findAbort, type Thresholds } from "./service_level.ts";
import { Tally } from "./tally.ts";

const AT_MS = 1_795_231_886_000;

function tallyOf(
  thresholds: Thresholds,
  samples: readonly [string, number, Record<string, string>?][],
): Tally {
  const tally = new Tally(thresholds);
  for (const [metric, value, tags = {}] of samples) {
    tally.add({ metric, atMs: AT_MS, value, tags: new Map(Object.entries(tags)) });
  }
  return tally;
}

function judge(
  thresholds: Thresholds,
  samples: readonly [string, number, Record<string, string>?][],
  seconds = 10,
) {
  const tally = tallyOf(thresholds, samples);
  return checkThresholds(thresholds, (selector) => tally.measureOf(selector), seconds).map(({ met }) => met);
}

describe("checkThresholds()", () => {
  it("calculates quantiles of durations over the samples of all processes", () => {
    const samples = Array.from({ length: 200 }, (_, n): [string, number, Record<string, string>] => [
      "http_req_duration",
      n % 2 === 0 ? 10 : 100,
      { step: "order", partner: `${n % 2}` },
    ]);
    const thresholds = {
      "http_req_duration{step:order}": ["med<11", "p(95)<99", "p(95)<101", "max<=100", "avg<56"],
    };
    assertEquals(judge(thresholds, samples), [true, false, true, true, true]);
  });

  it("uses only samples with the selected tags", () => {
    const thresholds = {
      "http_reqs{status:429}": ["count==0"],
      "http_reqs{status:200,step:a}": ["count==1"],
    };
    const samples: [string, number, Record<string, string>][] = [
      ["http_reqs", 1, { status: "200", step: "a" }],
      ["http_reqs", 1, { status: "200", step: "b" }],
    ];
    assertEquals(judge(thresholds, samples), [true, true]);
    assertEquals(judge(thresholds, [...samples, ["http_reqs", 1, { status: "429" }]]), [false, true]);
  });

  it("reads a rate as a share, and a counter's rate as a count per second", () => {
    const thresholds = { checks: ["rate>0.6", "rate<0.6"], iterations: ["rate==0.3", "count===3"] };
    const samples: [string, number][] = [["checks", 1], ["checks", 1], ["checks", 0], ["iterations", 3]];
    assertEquals(judge(thresholds, samples), [true, false, true, true]);
  });

  it("adds the positive and negative counts of all processes", () => {
    const thresholds = { orders_unaccounted: ["count==0"] };
    assertEquals(judge(thresholds, [["orders_unaccounted", 5], ["orders_unaccounted", -5]]), [true]);
    assertEquals(judge(thresholds, [["orders_unaccounted", 5], ["orders_unaccounted", -4]]), [false]);
  });

  it("counts a metric without samples as 0, as k6 does", () => {
    assertEquals(judge({ checks: ["rate>0.9"], conflicts: ["count==0", "count>0"] }, []), [
      false,
      true,
      false,
    ]);
  });

  it("rejects a threshold that it cannot evaluate", () => {
    assertThrows(() => judge({ checks: ["rate>>1"] }, []), Error, "checks has a threshold");
    assertThrows(() => judge({ "{step:a}": ["rate>1"] }, []), Error, "must be metric or metric{tag:value}");
  });

  it("evaluates every threshold of every scenario and profile", () => {
    for (const scenario of SCENARIOS) {
      for (const profile of Object.keys(PROFILES) as ProfileName[]) {
        assert(checkThresholds(serviceLevels(scenario, profile), () => undefined, 1).length > 3, scenario);
      }
    }
  });
});

describe("findAbort()", () => {
  const thresholds: Thresholds = {
    "http_req_duration{step:order}": [
      { threshold: "p(95)<50", abortOnFail: true, delayAbortEval: "10s" },
      "p(99)<1",
    ],
  };
  const tally = tallyOf(thresholds, [["http_req_duration", 60, { step: "order" }]]);
  const find = (seconds: number) =>
    findAbort(thresholds, (selector) => tally.measureOf(selector), seconds)?.name;

  it("returns the threshold that ends a run, after the threshold's delay", () => {
    assertEquals(find(9), undefined);
    assertEquals(find(10), "http_req_duration{step:order} p(95)<50");
  });

  it("does not end a run for a metric without samples", () => {
    assertEquals(findAbort(thresholds, () => undefined, 60), undefined);
  });
});
