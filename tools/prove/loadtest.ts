import process from "node:process";
import { findFreePort } from "@gold-partner/dev/postgres";
import { BrokenStack, type LoadRun } from "./loadtest/broken_stack.ts";
import { LOAD_MUTATIONS, type LoadMutation, SCENARIOS, SHORT_SCENARIOS } from "./loadtest/table.ts";
import { Report } from "./stage/report.ts";

// npm run prove -- loadtest [--short]: the smoke run of each scenario meets every service level on the
// unmodified sources. With a defect in the service, the scenario that must detect it exits with 99 and names
// the service level.

const FAILED = 99;
const scenarios = process.argv.includes("--short") ? SHORT_SCENARIOS : SCENARIOS;

const stack = new BrokenStack(await findFreePort());
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stack.close().finally(() => process.exit(1)));
}
const report = new Report();
try {
  const runs = await stack.run(scenarios);
  scenarios.forEach((scenario, index) => report.tried(scenario, checkSound(runs[index]!)));
  for (const defect of LOAD_MUTATIONS) {
    const [run] = await stack.run([defect.scenario], defect);
    report.tried(defect.name, checkBroken(defect, run!));
  }
} finally {
  await stack.close();
}
process.exit(report.close("loadtest") ? 0 : 1);

function checkSound({ code, said }: LoadRun) {
  const violations = code === 0 ? [] : [`exited with ${code}: ${said}`];
  return { what: "its smoke run meets every service level", violations };
}

function checkBroken({ scenario, thresholds }: LoadMutation, { code, said }: LoadRun) {
  const violations: string[] = [];
  if (code !== FAILED) violations.push(`${scenario} exited with ${code} instead of ${FAILED}: ${said}`);
  else {
    const unnamed = thresholds.filter((threshold) => !said.includes(`✘ ${threshold}`));
    violations.push(...unnamed.map((threshold) => `${scenario} does not name ${threshold}: ${said}`));
  }
  return { what: `${scenario} exits with ${FAILED} and names ${thresholds.join(", ")}`, violations };
}
