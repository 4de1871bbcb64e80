import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { readSurroundings, reportSurroundings } from "../testing/surroundings.ts";
import { type Finding, Report } from "./stage/report.ts";
import { DONE_SHARE_MIN, findBreakpoint, P99_MAX_MS, type Step } from "./soak/breakpoint.ts";
import { checkBooks } from "./soak/deliveries.ts";
import { openStack } from "./soak/stack.ts";
import { checkBytes, checkGrowth, checkKept, checkLatency, checkService } from "./soak/check_series.ts";
import { runCourse, type Series } from "./soak/series.ts";
import { percentile } from "../testing/statistics.ts";
import { checkDeadTuples } from "./soak/tables.ts";

// npm run prove -- soak [--short] [--minutes N] [--rate N] [--json FILE]: finds the rate at which the service
// breaks. Then it runs for a long time at 70 % of that rate, or at the rate of --rate. The books may grow,
// but memory and latency may not.

const PARTNERS = 20;
const SHARE = 0.7;
const LONG = {
  minutes: 30,
  collectEverySeconds: 60,
  ramp: { firstPerSecond: 100, factor: 1.15, stepMs: 10_000 },
};
const SHORT = {
  minutes: 0.4,
  collectEverySeconds: 8,
  ramp: { firstPerSecond: 60, factor: 1.7, stepMs: 2000 },
};
const LONG_FROM_MINUTES = 10;
const LOOK_EVERY_SECONDS = 10;
const USAGE = "npm run prove -- soak [--short] [--minutes N] [--rate N] [--json FILE]";

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        short: { type: "boolean", default: false },
        minutes: { type: "string" },
        rate: { type: "string" },
        json: { type: "string" },
      },
    });
    const plan = values.short ? SHORT : LONG;
    const minutes = Number(values.minutes ?? plan.minutes);
    const rate = values.rate === undefined ? undefined : Number(values.rate);
    if (!(minutes > 0 && (rate ?? 1) > 0)) {
      throw new Error("--minutes and --rate must be numbers above zero.");
    }
    return { ...plan, minutes, rate, json: values.json };
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

const { minutes, rate, ramp, collectEverySeconds, json } = readOptions();
const length = { seconds: Math.round(minutes * 60), isLong: minutes >= LONG_FROM_MINUTES };
const findings: Record<string, Finding> = {};
const surroundings = readSurroundings();
const report = new Report();
const tried = (name: string, finding: Finding) => report.tried(name, findings[name] = finding);
const steps: Step[] = [];
console.log(reportSurroundings(surroundings));
const stack = await openStack(PARTNERS);
try {
  // Run autovacuum more often for a short run, because by default it runs only once a minute.
  if (!length.isLong) {
    await stack.deployment.sql`alter system set autovacuum_naptime = '5s'`;
    await stack.deployment.sql`select pg_reload_conf()`;
  }
  const perSecond = rate ?? await findRate();
  const every = (seconds: number, timesMin: number) =>
    Math.max(1, Math.min(seconds, Math.floor(length.seconds / timesMin)));
  const course = {
    perSecond,
    seconds: length.seconds,
    lookEverySeconds: every(LOOK_EVERY_SECONDS, 6),
    collectEverySeconds: every(collectEverySeconds, 3),
  };
  const series = await runCourse(stack, course);
  tried("service", checkService(series));
  tried(`${stack.kept.name}, grown`, checkGrowth(series.keptMebibytes, length));
  tried(
    `${stack.kept.name}, by what was done`,
    checkKept(series.keptMebibytes, perSecond, stack.kept.isHeap),
  );
  tried("resident memory", checkGrowth(series.residentMebibytes, length));
  tried("p99 of orders", checkLatency(series, length));
  tried("the database by order", checkBytes(series, length));
  tried("the books", await checkBooks(stack.deployment, stack.traffic.accepted, stack.deliveries));
  const [before, loaded] = [series.tables[0]!.tables, series.tables.at(-1)!.tables];
  tried("dead tuples", await checkDeadTuples(before, loaded, stack.deployment.sql));
  if (json !== undefined) writeFileSync(json, describeRun(perSecond, series));
} finally {
  await stack.deployment.stop();
}
process.exit(report.close("soak") ? 0 : 1);

async function findRate(): Promise<number> {
  const breakpoint = await findBreakpoint(stack.traffic, ramp, (step) => {
    steps.push(step);
    console.log(`    ${describe(step)}`);
  });
  const perSecond = Math.round(breakpoint * SHARE);
  const held = `p99 of orders ≤ ${P99_MAX_MS} ms and ${DONE_SHARE_MIN * 100} % done in time`;
  tried("breakpoint", {
    what:
      `${breakpoint} per second was the last rate with ${held}; now ${perSecond} per second for ${minutes} minutes`,
    violations: [],
  });
  return perSecond;
}

function describe({ perSecond, p99Ms, doneShare, failures }: Step): string {
  return `${perSecond} per second: p99 ${p99Ms.toFixed(1)} ms, ${
    (doneShare * 100).toFixed(1)
  } % done, ${failures} failed`;
}

function describeRun(perSecond: number, { latencies, failures, ...series }: Series): string {
  const slices = latencies.map(({ seconds, orderMs }) => ({
    seconds,
    orders: orderMs.length,
    p50Ms: percentile(orderMs, 0.5),
    p99Ms: percentile(orderMs, 0.99),
  }));
  const plan = { minutes, partners: PARTNERS, perSecond };
  const result = {
    surroundings,
    plan,
    steps,
    findings,
    series: { ...series, failures: [...failures], latencies: slices },
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}
