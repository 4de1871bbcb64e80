import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import process from "node:process";
import { parseOptions } from "@gold-partner/command-line";
import { isLostTransaction } from "@gold-partner/operator";
import { nameState, readyFacts, readyText } from "./ready_text.ts";
import type { Step } from "./docs/start_page.ts";
import { explainFailure } from "./failure.ts";
import { LockedError } from "./lock.ts";
import type { Running } from "./running.ts";
import { processLives } from "./postgres/mod.ts";
import { start } from "./start.ts";
import { DEFAULT_STATE, StateError } from "./state.ts";
import { openProgress } from "./progress.ts";
import { STOP_MS } from "./watchdog.ts";

const OPTIONS = {
  port: { type: "string", default: "8443" },
  state: { type: "string", default: DEFAULT_STATE },
  "no-demo": { type: "boolean", default: false },
  reset: { type: "boolean", default: false },
  exit: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  envoy: { type: "boolean", default: false },
  "two-people": { type: "boolean", default: false },
  "webhook-ca": { type: "string" },
  "no-site": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
  // Undocumented. For tests on a slow machine: lengthens the time limits of stopping and of the demo's
  // webhooks.
  patient: { type: "boolean", default: false },
} as const;

const USAGE = `npm start -- [OPTIONS]: runs the whole service on this machine, with a demo partner that trades
  --port N           the port for mutual TLS; default 8443
  --state DIR        the folder for the database, keys, credentials and logs; default .gold
  --envoy            uses Envoy instead of the development gateway
  --two-people       needs a second person for changes of partners, keys and prices, as in production; permanent
  --no-demo          does not run the demo partner's trades
  --exit             stops everything after the demo
  --json             prints one JSON object for each step
  --reset            deletes the earlier state and starts over
  --no-site          does not build the documentation site
  --webhook-ca FILE  a PEM file with another CA that may sign certificates of webhook receivers`;

/**
 * The documentation's port is the service's port plus this offset. The webhook receiver has the port between
 * them.
 */
const DOCS_PORT_OFFSET = 2;
const CONSOLE_PORT_OFFSET = 3;
/** The service has five ports, from its own on. */
const PORT_MAX = 65_535;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const SIGNALLED = 128;
const PARENT_POLL_MS = 250;
const PATIENT_MS = 120_000;
/** How long a step has to report an error itself. */
const REPORT_MS = 2_000;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function readOptions() {
  try {
    const { values, positionals: [extra] } = parseOptions(process.argv.slice(2), OPTIONS);
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (extra !== undefined) throw new Error(`npm start takes options only; got ${extra}.`);
    const port = /^[0-9]{1,5}$/.test(values.port) ? Number(values.port) : 0;
    if (port < 1 || port > PORT_MAX) {
      throw new Error(`--port must be a number from 1 to ${PORT_MAX}; got ${values.port}.`);
    }
    return { ...values, webhookCa: readWebhookCa(values["webhook-ca"]) };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(EXIT_USAGE);
  }
}

function readWebhookCa(file: string | undefined): string {
  if (file === undefined) return "";
  try {
    const pem = readFileSync(file, "utf8");
    new X509Certificate(pem);
    return pem;
  } catch (error) {
    throw new Error(
      `--webhook-ca must name a PEM file with the CA that signed your receiver's certificate; got ${file}: ${
        (error as Error).message
      }.`,
    );
  }
}

const options = readOptions();
const startedMs = performance.now() - process.uptime() * 1000;
const steps: Step[] = [];
const progress = openProgress({ output: process.stdout, json: options.json, env: process.env });
// Ignore errors, because writing to a closed terminal fails and would end this process before it has stopped
// the other parts.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

// If Postgres ends during a transaction, postgres.js throws a TypeError outside every promise. The step in
// flight reports the end of Postgres within REPORT_MS, and that report is the one to print.
let failure: Error | undefined;
const onUncaught = (error: Error) => void setTimeout(() => failStart(failure ?? error), REPORT_MS);
process.on("uncaughtException", onUncaught);

const ending = new AbortController();
for (const signal of SIGNALS) {
  process.on(signal, () => {
    if (ending.signal.aborted) progress.say("Still stopping: Postgres is writing its data to disk.");
    ending.abort(signal);
  });
}
// Poll whether the parent (run.mjs or a test) still lives. It forwards signals, but cannot do so after it was
// killed.
const parent = process.ppid;
const runner = Number(process.env.RUN_PID ?? parent);
setInterval(() => {
  if (process.ppid !== parent || !processLives(runner)) ending.abort("SIGTERM");
}, PARENT_POLL_MS).unref();
ending.signal.addEventListener("abort", limitStop);
const signalled = new Promise<undefined>((resolve) =>
  ending.signal.addEventListener("abort", () => resolve(undefined))
);

/** Prints an error sentence and exits. */
function fail(sentence: string, code: number): never {
  progress.clearLine();
  console.error(sentence);
  process.exit(code);
}

/** Prints why the start failed, and exits. */
function failStart(error: Error): never {
  // Exit with 128 plus the signal's number, as a shell reports a program that a signal ended.
  const signal = ending.signal.reason as typeof SIGNALS[number];
  if (ending.signal.aborted) fail("Stopped before it was ready.", SIGNALLED + constants.signals[signal]);
  const refused = error instanceof LockedError || error instanceof StateError;
  return fail(
    `npm start failed. ${explainFailure(error, options.state)}`,
    refused ? EXIT_USAGE : EXIT_FAILED,
  );
}

/** Exits if stopping takes too long. The watchdog then ends all processes that are still running. */
function limitStop(): void {
  const limitMs = options.patient ? PATIENT_MS : STOP_MS;
  setTimeout(
    () =>
      fail(
        `Stopping took longer than ${limitMs / 1000} s; the watchdog ends the remaining processes.`,
        EXIT_FAILED,
      ),
    limitMs,
  ).unref();
}

async function run(): Promise<Running> {
  progress.say("Gold Trading Partner Service, a sandbox on this machine\n");
  try {
    return await start({
      ...progress,
      report(step, ms, what) {
        steps.push({ step, ms, what });
        progress.report(step, ms, what);
      },
      port: Number(options.port),
      stateDir: options.state,
      reset: options.reset,
      demo: !options["no-demo"],
      envoy: options.envoy,
      twoPeople: options["two-people"],
      webhookCa: options.webhookCa,
      webhookTimeoutMs: options.patient ? PATIENT_MS : undefined,
      onFailure: (error) => failure = error,
      signal: ending.signal,
    });
  } catch (error) {
    return failStart(error as Error);
  }
}

const running = await run();
// From now on, an unexpected error is a defect of npm start. Print its stack and exit. If Postgres ends while a console
// of this process is in a transaction, `running.died` says so.
process.off("uncaughtException", onUncaught);
process.on("uncaughtException", (error) => {
  if (isLostTransaction(error)) return;
  console.error(error);
  process.exit(1);
});
const ms = performance.now() - startedMs;
// Loaded only now, so that the first order does not wait for it.
const { startDocumentation } = await import("./docs/mod.ts");
const documentation = options.exit ? undefined : await startDocumentation(running, {
  port: Number(options.port) + DOCS_PORT_OFFSET,
  build: !options["no-site"],
  steps,
});
const { startConsoles } = await import("./console.ts");
const consoles = options.exit
  ? undefined
  : await startConsoles(running.state, Number(options.port) + CONSOLE_PORT_OFFSET);
const facts = readyFacts(running, documentation?.url, consoles?.links);
progress.conclude("ready", ms, `serving at ${running.baseUrl}`, facts);
if (!options.exit) {
  progress.say(nameState(readyText(facts, (ms / 1000).toFixed(1)), options.state));
}
const died = options.exit ? undefined : await Promise.race([signalled, running.died]);
progress.begin("stop", "stopping all processes");
limitStop();
await Promise.all([documentation?.stop(), consoles?.stop()]);
await running.stop();
if (died) fail(died, EXIT_FAILED);
progress.say(
  options.exit
    ? "\nEverything started, and was stopped again. Without --exit, npm start keeps it running."
    : "Stopped.",
);
process.exit(0);
