import { describe, it } from "node:test";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { summarise, type SummaryData, writeMarkdown } from "./summary.ts";

const ABOUT = {
  scenario: "quote_order",
  profile: "smoke",
  partner: "0",
  base_url: "https://localhost:8443",
  seconds: 10,
} as const;
const duration = (ok: boolean) => ({
  values: { count: 100, med: 4.25, "p(95)": 9.5, "p(99)": 20 },
  thresholds: { "p(95)<150": { ok }, "p(99)<400": { ok: true } },
});
const dataOf = (ok: boolean): SummaryData => ({
  metrics: {
    "http_req_duration{step:order}": duration(ok),
    "http_req_duration{step:quote}": duration(true),
    "http_req_failed{step:order}": { values: { rate: 0.02 }, thresholds: { "rate<0.001": { ok: false } } },
    iterations: { values: { count: 100 } },
    orders_accepted: { values: { count: 98 } },
  },
});

describe("summarise()", () => {
  it("lists the figures of each step in the order in which the steps are sent", () => {
    const { steps } = summarise(dataOf(true), ABOUT);
    assertEquals(steps.map(({ step, requests }) => [step, requests]), [["token", 0], ["quote", 100], [
      "order",
      100,
    ]]);
    assertEquals(steps[2], {
      step: "order",
      requests: 100,
      per_second: 10,
      p50_ms: 4.25,
      p95_ms: 9.5,
      p99_ms: 20,
      failed: 0.02,
    });
  });

  it("passes only if there is a threshold and every threshold holds", () => {
    const held: SummaryData = {
      metrics: { iterations: { values: {}, thresholds: { "count>0": { ok: true } } } },
    };
    assertEquals(summarise(held, ABOUT).passed, true);
    assertEquals(summarise(dataOf(true), ABOUT).passed, false);
    assertEquals(summarise({ metrics: {} }, ABOUT).passed, false);
  });
});

describe("writeMarkdown()", () => {
  it("lists exactly the thresholds that failed", () => {
    const text = writeMarkdown(summarise(dataOf(false), ABOUT));
    assertStringIncludes(text, "## quote_order, smoke: FAILED");
    assertEquals(text.match(/^- FAILED: .*$/gm), [
      "- FAILED: http_req_duration{step:order} p(95)<150",
      "- FAILED: http_req_failed{step:order} rate<0.001",
    ]);
    assertStringIncludes(text, "3 of 5 thresholds hold.");
  });

  it("writes a Markdown table with the same number of cells in each row", () => {
    const rows = writeMarkdown(summarise(dataOf(true), ABOUT)).split("\n").filter((line) =>
      line.startsWith("|")
    );
    assertMatch(rows[0]!, /^\| step +\| requests \| +per s \|/);
    assertEquals(new Set(rows.slice(0, 5).map((row) => row.split("|").length)), new Set([9]));
  });

  it("prints the reached rate only for a breakpoint run", () => {
    const textOf = (about: object) => writeMarkdown(summarise(dataOf(true), { ...ABOUT, ...about }));
    assertStringIncludes(textOf({ rate_reached: 723.96 }), "The rate reached 724.0 iterations per second");
    assertEquals(textOf({}).includes("The rate reached"), false);
  });

  it("reports that no iteration ran if setup() failed", () => {
    assertStringIncludes(writeMarkdown(summarise({ metrics: {} }, ABOUT)), "No iteration ran");
  });
});
