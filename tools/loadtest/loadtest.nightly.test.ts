import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { findFreePort } from "@gold-partner/dev/postgres";
import { type Running, start } from "@gold-partner/dev";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { SCENARIOS } from "../../loadtest/lib/service_levels.ts";
import type { RunSummary } from "./report.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const K6 = join(ROOT, ".tools", "bin", "k6");
const SHORT = "3s";
const FAILED = 99;
/**
 * Thresholds that are not checked here, because other suites run at the same time: latency and dropped
 * iterations. `npm run prove -- loadtest` checks them, alone on its machine.
 */
const TIMED = /^(http_req_duration|dropped_iterations)\b/;

async function runToEnd(
  program: string,
  args: readonly string[],
  onStderr: (all: string, child: ChildProcess) => void = () => {},
): Promise<{ code: number; out: string; err: string }> {
  const child: ChildProcess = spawn(program, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout!.setEncoding("utf8").on("data", (text) => out += text);
  child.stderr!.setEncoding("utf8").on("data", (text) => {
    err += text;
    onStderr(err, child);
  });
  const [code] = await once(child, "close") as [number];
  return { code, out, err };
}

const runTask = (...args: string[]) => runToEnd(process.execPath, ["tools/run.mjs", ...args]);
const runTool = (...args: string[]) =>
  runToEnd(process.execPath, ["--import", "tsx", "tools/loadtest.ts", ...args]);

describe("the load tests, with the real k6 through the real Envoy", () => {
  let folder: string;
  let state: string;
  let running: Running;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-loadtest-"));
    state = join(folder, "state");
    const options = { port: await findFreePort(), stateDir: state, reset: false, demo: false, envoy: true };
    running = await start({ ...options, report: () => {} });
    const out = join(state, "loadtest");
    const { code, err } = await runTask(
      "gold",
      ..."loadtest prepare --partners 2".split(" "),
      "--state",
      state,
      "--out",
      out,
    );
    assertEquals(code, 0, err);
  });
  after(async () => {
    await running?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const scenario of SCENARIOS) {
    it(`${scenario} meets every threshold except latency and dropped iterations`, async () => {
      const partner = scenario === "limiter" ? "limited" : "0";
      const settings = { PARTNER: partner, PARTNERS_DIR: join(state, "loadtest"), DURATION: SHORT };
      const { code, out, err } = await runToEnd(K6, [
        ...["run", "--quiet", "--address="],
        ...Object.entries(settings).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
        `loadtest/${scenario}.ts`,
      ]);
      const failed = [...out.matchAll(/^- FAILED: (.*)$/gm)].map(([, name]) => name!);
      assertEquals(failed.filter((name) => !TIMED.test(name)), [], out + err);
      assertEquals(code, failed.length > 0 ? FAILED : 0, out + err);
      assertMatch(out, /^\d+ of \d+ thresholds hold\.$/m);
    });
  }

  it("merges two partners into one run, and checks its thresholds, books and deliveries", async () => {
    const results = join(folder, "merged");
    const { code, out, err } = await runTool(
      ...[
        "quote_order",
        "--partners",
        "2",
        "--duration",
        SHORT,
        "--rate",
        "20",
        "--state",
        state,
        "--results",
        results,
      ],
    );
    assert(code === 0 || code === FAILED, out + err);
    assertEquals((await readdir(results)).sort(), [
      "dashboard-0.html",
      "dashboard-1.html",
      "summary.json",
      "summary.md",
    ]);
    assertEquals(
      `${await readFile(join(results, "summary.md"), "utf8")}`,
      out.slice(0, out.indexOf("\nResults, ")),
    );
    const summary = JSON.parse(await readFile(join(results, "summary.json"), "utf8")) as RunSummary;
    const accepted = summary.counters.orders_accepted!;
    // Both partners together start 20 orders a second for 3 s, about 60. The sum may be as low as 40, because
    // iterations that k6 misses in a pause at the end count neither as accepted nor as dropped.
    const dropped = summary.counters.dropped_iterations ?? 0;
    assert(accepted + dropped >= 40 && accepted + dropped <= 62, `${accepted} orders, ${dropped} dropped`);
    const failed = summary.thresholds.filter(({ met, name }) => !met && !TIMED.test(name));
    assertEquals([failed, summary.faults], [[], []]);
    assertEquals(summary.steps.find(({ step }) => step === "order")!.requests, accepted);
    assertEquals(summary.checks.map(({ met }) => met), [true, true, true]);
    assertStringIncludes(
      summary.checks[0]!.says,
      `${accepted} orders accepted, ${accepted} executed according to the books, ${accepted} delivered, ${accepted} arrived`,
    );
    assertStringIncludes(summary.checks[1]!.says, "2 of 2 certificates");
  });

  /**
   * Runs the load test as one partner. `make` returns the content of the partner's file, and can read the
   * files of the prepared partners.
   */
  async function runAs(name: string, make: (read: (partner: string) => Promise<object>) => Promise<object>) {
    const partners = join(folder, name);
    await mkdir(partners);
    const read = async (partner: string) =>
      JSON.parse(await readFile(join(state, "loadtest", `partner-${partner}.json`), "utf8")) as object;
    await writeFile(join(partners, "partner-0.json"), JSON.stringify(await make(read)));
    return await runTool(
      ...["quote_order", "--duration", SHORT, "--rate", "20", "--state", state, "--partners-dir", partners],
    );
  }

  it("exits with 99 and names the threshold that failed", async () => {
    const { code, out } = await runAs("limited", (read) => read("limited"));
    assertEquals(code, FAILED, out);
    assertMatch(out, /^- ✘ http_reqs\{status:429\} count==0: \d+$/m);
    assertMatch(out, /^- ✔ accepted = executed = delivered: /m);
  });

  it("fails a run with another partner's certificate", async () => {
    const { code, out } = await runAs("foreign", async (read) => {
      const { cert_pem, key_pem } = await read("1") as Record<string, string>;
      return { ...await read("0"), cert_pem, key_pem };
    });
    assertEquals(code, 1, out);
    assertStringIncludes(out, "✘ each partner came with its own certificate: 0 of 1");
  });

  it("fails a run that a signal ended, and still checks its books", async () => {
    const args = [
      "--import",
      "tsx",
      "tools/loadtest.ts",
      "quote_order",
      "--duration",
      "60s",
      "--state",
      state,
    ];
    let signals = 0;
    const { code, out, err } = await runToEnd(process.execPath, args, (stderr, child) => {
      if (/^… 5 s/m.test(stderr) && signals++ === 0) child.kill("SIGINT");
    });
    assertEquals(code, 1, out + err);
    assertMatch(out, /^- ✘ ended early by SIGINT$/m);
    assertMatch(out, /^- ✔ the ledger is clean: /m);
  });

  it("reports a missing partner file with the command to make it, and an unreachable service", async () => {
    const options = ["--state", state, "--results", join(folder, "none")];
    const partners = await runTool("token", "--partners", "3", ...options);
    assertEquals(partners.code, 3);
    assertStringIncludes(
      partners.err,
      `npm run gold -- loadtest prepare --partners 3 --state ${state} --out ${state}/loadtest`,
    );
    const address = `https://localhost:${await findFreePort()}`;
    const service = await runTool("token", "--base-url", address, ...options);
    assertEquals(service.code, 3);
    assertStringIncludes(service.err, `${address} cannot be reached`);
  });

  it("prints the usage for --help and for wrong usage", async () => {
    const help = await runTool("--help");
    assertEquals([help.code, help.err], [0, ""]);
    assertStringIncludes(help.out, "npm run loadtest -- SCENARIO");
    const { code, err } = await runTool("tokens");
    assertEquals(code, 2);
    assertStringIncludes(err, 'There is no scenario "tokens".\nnpm run loadtest -- SCENARIO');
  });
});
