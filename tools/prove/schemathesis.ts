import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { openApiDocument, operationsOf } from "@gold-partner/protocol";
import { findFreePort } from "@gold-partner/dev/postgres";
import { type Running, start } from "@gold-partner/dev";

// npm run prove -- schemathesis [--envoy] [--short]: an external fuzzer calls the running service over mutual
// TLS, from its OpenAPI description. With --envoy the calls go through the real Envoy. Rounds with new seeds
// repeat until enough cases were sent. No reply may be a 5xx, or have a status, code, media type or body that
// the description lacks.

/** How often each operation answered with each status. */
type Tally = Record<string, Record<string, number>>;

const CASES = { long: 20_000, short: 500 };
const EXAMPLES = { long: 200, short: 10 };
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "documented_problem",
];
const PACKAGES = fileURLToPath(new URL("../../.tools/schemathesis", import.meta.url));
const HOOK = fileURLToPath(new URL("./schemathesis/hook.py", import.meta.url));

/** These make other operations fail on purpose. simulation_route.pg.test.ts tests them. */
const DISTURBING = ["simulateFailure", "simulateMarket"];

const INTERRUPTED = 130;

const length = process.argv.includes("--short") ? "short" : "long";
if (!existsSync(PACKAGES)) throw new Error("Schemathesis is not installed. Run: node tools/run.mjs tools");
const folder = await mkdtemp(join(tmpdir(), "gold-schemathesis-"));
const running = await start({
  port: await findFreePort(),
  stateDir: join(folder, "state"),
  reset: false,
  demo: false,
  envoy: process.argv.includes("--envoy"),
  report: () => {},
});
let stopped: Promise<void> | undefined;
const stop = () => stopped ??= running.stop().then(() => rm(folder, { recursive: true, force: true }));
let fuzzer: ChildProcess | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    fuzzer?.kill();
    void stop().finally(() => process.exit(INTERRUPTED));
  });
}
const tally: Tally = {};
let sent = 0;
let held = true;
try {
  const document = openApiDocument({ baseUrl: running.baseUrl, environment: "sandbox" });
  await writeFile(join(folder, "openapi.json"), JSON.stringify(document));
  for (let seed = 1; held && sent < CASES[length]; seed++) {
    held = await runRound(running, seed);
    const cases = addTo(tally, JSON.parse(await readFile(join(folder, "answers.json"), "utf8")) as Tally);
    if (cases === 0) throw new Error("A round of Schemathesis sent no test case.");
    sent += cases;
    console.log(`round ${seed}: ${cases} cases, ${sent} in total`);
  }
} finally {
  await stop();
}
console.log(tableOf(tally));
const called = operationsOf("sandbox").filter((operation) => !DISTURBING.includes(operation));
const refused = called.filter((operation) => !succeeded(tally[operation]));
if (refused.length > 0) {
  // Print operations that never succeeded, because nothing has shown that their success replies are as
  // described.
  console.log(`These operations never succeeded: ${refused.join(", ")}.`);
  held = false;
}
console.log(held ? `schemathesis: ${sent} cases, no violation.` : "schemathesis: violations, see above.");
process.exit(held ? 0 : 1);

/** Returns true if Schemathesis found no violation. */
async function runRound({ credentials, baseUrl, state }: Running, seed: number): Promise<boolean> {
  const args = [
    ...["-m", "schemathesis.cli", "run", join(folder, "openapi.json"), "--url", baseUrl],
    ...["--request-cert", credentials.cert, "--request-cert-key", credentials.key],
    ...["--tls-verify", credentials.ca, "--checks", CHECKS.join(","), "--continue-on-failure"],
    ...["--max-examples", `${EXAMPLES[length]}`, "--seed", `${seed}`, "--suppress-health-check", "all"],
    ...DISTURBING.flatMap((operation) => ["--exclude-operation-id", operation]),
    ...["--generation-database", "none", "--warnings", "off", "--no-color"],
  ];
  fuzzer = spawn("python3", args, {
    stdio: ["ignore", "inherit", "inherit"],
    cwd: folder,
    env: {
      ...process.env,
      PYTHONPATH: PACKAGES,
      // Set the CA here, too: if this variable is set, it takes precedence over --tls-verify.
      REQUESTS_CA_BUNDLE: credentials.ca,
      SCHEMATHESIS_HOOKS: HOOK,
      GOLD_CREDENTIALS: state.path("partners", credentials.client_id, "credentials.json"),
      OPENAPI: join(folder, "openapi.json"),
      ANSWERS_FILE: join(folder, "answers.json"),
    },
  });
  const [code] = await once(fuzzer, "exit");
  return code === 0;
}

/** Adds a round's answers and returns how many there were. */
function addTo(tally: Tally, round: Tally): number {
  let cases = 0;
  for (const [operation, statuses] of Object.entries(round)) {
    const row = tally[operation] ??= {};
    for (const [status, times] of Object.entries(statuses)) {
      row[status] = (row[status] ?? 0) + times;
      cases += times;
    }
  }
  return cases;
}

function succeeded(statuses: Readonly<Record<string, number>> = {}): boolean {
  return Object.keys(statuses).some((status) => status.startsWith("2"));
}

function tableOf(tally: Tally): string {
  return Object.entries(tally).sort().map(([operation, statuses]) => {
    const row = Object.entries(statuses).map(([status, times]) => `${times} × ${status}`);
    return `${operation.padEnd(22)} ${row.join(", ")}`;
  }).join("\n");
}
