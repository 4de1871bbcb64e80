import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openDocs } from "@gold-partner/dev";
import { findFreePort } from "@gold-partner/dev/postgres";
import { Report } from "./stage/report.ts";

// npm run prove -- lighthouse [--short]: Lighthouse scores pages of the documentation site with the settings
// of a phone. The scores depend on CPU time, so run nothing else meanwhile. The best of six runs counts,
// because other work on the machine only lowers a score.

const PAGES = {
  short: ["/", "/quickstart.html", "/reference/create_order.html"],
  long: [
    "/",
    "/quickstart.html",
    "/sandbox.html",
    "/webhooks.html",
    "/errors.html",
    "/reference/",
    "/reference/trading.html",
    "/reference/create_order.html",
    "/reference/get_account.html",
    "/reference/get_statement.html",
    "/reference/webhooks.html",
    "/examples/receiver/",
    "/changelog.html",
  ],
};
const CATEGORIES = ["performance", "accessibility", "best-practices"];
const SCORE_MIN = 95;
const RUNS_MAX = 6;
const RUN_MAX_MS = 180_000;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LIGHTHOUSE = join(ROOT, ".tools/lighthouse/node_modules/lighthouse/cli/index.js");
const CHROME_PATH = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const run = promisify(execFile);

const runtime = "Deno" in globalThis ? ["run", "-A"] : [];
await run(process.execPath, [...runtime, "tools/run.mjs", "site", "--if-changed"], { cwd: ROOT });
const folder = await mkdtemp(join(tmpdir(), "gold-lighthouse-"));
const port = await findFreePort();
const server = await openDocs({
  port,
  baseUrl: "https://localhost:8443",
  site: join(ROOT, "site/dist/www"),
  facts: () => {
    throw new Error("Only /start shows these facts, and it is not scored here.");
  },
});
if (!server) throw new Error(`Port ${port} was taken in the meantime. Run the command again.`);
const report = new Report();
try {
  for (const page of PAGES[process.argv.includes("--short") ? "short" : "long"]) {
    let best = await scorePage(page);
    for (let runs = 1; runs < RUNS_MAX && lowOf(best).length > 0; runs++) {
      const again = await scorePage(page);
      best = best.map(([category, score], n) => [category, Math.max(score, again[n]![1])]);
    }
    const what = best.map(([category, score]) => `${category} ${score}`).join(", ");
    report.tried(page, { what, violations: lowOf(best) });
  }
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
process.exit(report.close("lighthouse") ? 0 : 1);

type Scores = readonly (readonly [category: string, score: number])[];

function lowOf(scores: Scores): string[] {
  return scores.filter(([, score]) => score < SCORE_MIN)
    .map(([category, score]) => `${category} is ${score}, below ${SCORE_MIN}`);
}

/** Returns Lighthouse's score for each category, from 0 to 100. */
async function scorePage(page: string): Promise<Scores> {
  const file = join(folder, "report.json");
  await run("node", [
    LIGHTHOUSE,
    `http://localhost:${port}${page}`,
    ...["--quiet", "--output=json", `--output-path=${file}`, `--only-categories=${CATEGORIES.join(",")}`],
    "--chrome-flags=--headless=new --no-sandbox",
  ], { env: { ...process.env, CHROME_PATH }, timeout: RUN_MAX_MS });
  const { categories } = JSON.parse(await readFile(file, "utf8")) as {
    categories: Record<string, { score: number }>;
  };
  return CATEGORIES.map((category) => [category, Math.round(categories[category]!.score * 100)]);
}
