import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { seededRandom } from "../testing/random.ts";
import { temporaryFolder } from "../testing/temporary_folder.ts";
import { compareRuns, compareStep } from "./comparison.ts";
import { UsageError } from "./plan.ts";
import type { RunSummary } from "./report.ts";
import { StepLog, type StepText } from "./step.ts";

const FIRST_MS = 1_795_231_886_400;

/**
 * Makes the requests of one step, with a tail of slow ones. In about a tenth of the seconds, all requests are
 * slower.
 */
function stepOf({ seed, slower = 1, failed = 0, seconds = 30, perSecond = 50 }: {
  seed: number;
  slower?: number;
  failed?: number;
  seconds?: number;
  perSecond?: number;
}): StepText {
  const random = seededRandom(seed);
  const log = new StepLog();
  for (let second = 0; second < seconds; second++) {
    const stall = random() < 0.1 ? 1.3 : 1;
    for (let n = 0; n < perSecond; n++) {
      const atMs = FIRST_MS + second * 1000 + random() * 1000;
      log.addDuration("order", atMs, slower * stall * 8 * Math.exp(0.8 * random() ** 3 + 0.1 * random()));
      if (random() < failed) log.addFailure("order", atMs);
    }
  }
  return log.describe()[0]!;
}

const verdicts = (one: StepText, other: StepText) =>
  Object.fromEntries(compareStep(one, other, 1).map(({ figure, verdict }) => [figure, verdict]));

describe("compareStep()", () => {
  it("shows no difference between two runs of the same system", () => {
    const found = Array.from(
      { length: 20 },
      (_, n) => verdicts(stepOf({ seed: 2 * n }), stepOf({ seed: 2 * n + 1 })),
    );
    const shown = found.flatMap((one) => Object.values(one)).filter((verdict) =>
      verdict !== "no difference shown"
    );
    // Allow six of 100, because about one figure in twenty shows a difference by chance.
    assertEquals(shown.length <= 6, true, `${shown.length} of 100`);
  });

  it("reports latencies that are a fifth higher as slower, and as faster if the runs are swapped", () => {
    const [fast, slow] = [stepOf({ seed: 1 }), stepOf({ seed: 2, slower: 1.2 })];
    const latencies = { "p50 ms": "slower", "p95 ms": "slower", "p99 ms": "slower" };
    assertEquals({ ...verdicts(fast, slow), ...latencies }, verdicts(fast, slow));
    assertEquals(verdicts(slow, fast)["p95 ms"], "faster");
    const [p50] = compareStep(fast, slow, 1).filter(({ figure }) => figure === "p50 ms");
    assertEquals(p50!.low < 1.2 && 1.2 < p50!.high, true);
  });

  it("reports new failures, and a lower rate of requests", () => {
    const [sound, broken] = [stepOf({ seed: 1 }), stepOf({ seed: 2, failed: 0.05, perSecond: 40 })];
    const found = verdicts(sound, broken);
    assertEquals([found["failed"], found["requests/s"]], ["worse", "slower"]);
  });

  it("shows no difference without failures or with only two failures", () => {
    const [fewer, more] = [stepOf({ seed: 1, seconds: 28 }), stepOf({ seed: 2, seconds: 30 })];
    assertEquals([verdicts(fewer, more), verdicts(more, fewer)].map(({ failed }) => failed), [
      "no difference shown",
      "no difference shown",
    ]);
    const rare = {
      ...more,
      failed: 2,
      slices: more.slices.map((one, n) => n % 12 === 3 ? { ...one, failed: 1 } : one),
    };
    assertEquals(verdicts(fewer, rare)["failed"], "no difference shown");
  });

  it("leaves out a step with too few requests", () => {
    const rare = new StepLog();
    for (const second of [0, 29]) rare.addDuration("statement", FIRST_MS + second * 1000, 10);
    assertEquals(compareStep(rare.describe()[0]!, stepOf({ seed: 1 }), 1), []);
  });

  it("returns only finite figures for a step that ran for a part of the time", () => {
    let reported = 0;
    for (let until = 2; until < 28; until++) {
      const early = new StepLog();
      for (let second = 0; second < 30; second++) {
        if (second < until || second === 29) {
          early.addDuration("withdrawal", FIRST_MS + second * 1000, 10 + second);
        }
      }
      const found = compareStep(early.describe()[0]!, early.describe()[0]!, 1);
      for (const { ratio, low, high } of found) assertEquals([ratio, low, high].every(Number.isFinite), true);
      reported += found.length;
    }
    assertEquals(reported > 0, true);
  });
});

describe("compareRuns()", () => {
  const folder = temporaryFolder("gold-compare");

  async function keep(name: string, more: Partial<RunSummary>): Promise<string> {
    const summary = {
      scenario: "quote_order",
      profile: "smoke",
      partners: 2,
      slice_seconds: 1,
      steps: [],
      ...more,
    };
    const path = await mkdtemp(join(folder, name));
    await writeFile(join(path, "summary.json"), JSON.stringify(summary));
    return path;
  }

  it("writes a table of the differences, or JSON with --json", async () => {
    const one = await keep("before", { steps: [stepOf({ seed: 1 })] });
    const other = await keep("after", { steps: [stepOf({ seed: 2, slower: 1.5 })] });
    const text = await compareRuns([one, other]);
    assertStringIncludes(text, "| order | p95 ms | ");
    assertStringIncludes(text, "| slower |");
    assertStringIncludes(text, "| order | failed | 0 | 0 |  | no difference shown |");
    assertStringIncludes(text, "moving-block bootstrap");
    const { differences } = JSON.parse(await compareRuns([one, other, "--json"])) as {
      differences: unknown[];
    };
    assertEquals(differences.length, 5);
  });

  it("rejects runs with different settings, short runs, and folders without results", async () => {
    const steps = [stepOf({ seed: 1 })];
    const [one, other] = [await keep("before", { steps }), await keep("after", { steps, partners: 3 })];
    const short = await keep("short", { steps: [stepOf({ seed: 1, seconds: 3 })] });
    await assertRejects(() => compareRuns([one, other]), UsageError, "partners is 2 before and 3 after");
    await assertRejects(() => compareRuns([short, short]), UsageError, "compare longer runs");
    await assertRejects(() => compareRuns([one, folder]), UsageError, "contains no results");
    await writeFile(join(folder, "summary.json"), JSON.stringify({ scenario: "quote_order", steps }));
    await assertRejects(() => compareRuns([one, folder]), UsageError, "results of k6 without a time series");
    await assertRejects(() => compareRuns([one]), UsageError, "BEFORE and AFTER");
  });
});
