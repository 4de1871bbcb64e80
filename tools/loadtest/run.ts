import { execFileSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { serviceLevels } from "../../loadtest/lib/service_levels.ts";
import { type Books, type Check, openBooks } from "./books.ts";
import { openInbox } from "./inbox.ts";
import { findK6, type K6Process, startK6 } from "./k6_process.ts";
import { type LoadPartner, MissingError, readPartners, requireHealth } from "./partner_file.ts";
import type { RunPlan } from "./plan.ts";
import type { Run } from "./report.ts";
import { checkThresholds, findAbort } from "./service_level.ts";
import { Tally } from "./tally.ts";

const JUDGE_MS = 1000;
const TELL_EVERY = 5;
/** k6's exit code for a run that was ended from outside. This is no fault if this program ended the run. */
const ENDED = 105;

/**
 * Reads the partner files, runs one k6 process for each partner, and checks the books. Reports all processes
 * as one run.
 */
export async function runLoad(plan: RunPlan, root: string): Promise<Run> {
  const program = findK6(root);
  if (!program) {
    throw new MissingError("k6 was not found on PATH or in .tools/bin. Install it: npm run tools -- k6");
  }
  const partners = await readPartners(plan.partnersDir, plan.partners, plan.cure);
  const baseUrl = plan.baseUrl ?? partners[0]!.base_url;
  await requireHealth(baseUrl, partners[0]!);
  await mkdir(plan.resultsDir, { recursive: true }).catch((error: Error) => {
    throw new MissingError(`The folder for the results cannot be created: ${error.message}.`);
  });

  const startedAt = new Date();
  const books = await findBooks(plan, baseUrl, partners, root);
  // Open no inbox with DATABASE_URL. It is unknown whether that service trusts and reaches a receiver on this
  // machine.
  const inbox = books && !process.env.DATABASE_URL
    ? await openInbox(
      plan.stateDir,
      partners.map(({ webhook_secret }) => webhook_secret),
      books.startedAt.getTime(),
    )
    : undefined;
  try {
    if (inbox) await books?.direct(inbox);
    const thresholds = serviceLevels(plan.scenario, plan.load.name);
    const tally = new Tally(thresholds);
    const { faults, cutOff } = await drive(plan, { program, baseUrl, root }, tally, thresholds);
    return {
      plan,
      baseUrl,
      startedAt,
      k6: readVersion(program),
      seconds: tally.seconds,
      tally,
      faults,
      verdicts: checkThresholds(thresholds, (selector) => tally.measureOf(selector), tally.seconds),
      checks: books
        ? await books.check({ accepted: tally.sumOf("orders_accepted"), cutOff }, inbox)
        : [unchecked(plan)],
    };
  } finally {
    await inbox?.stop();
    await books?.close();
  }
}

/**
 * Opens the books of DATABASE_URL, or of the `npm start` that serves at `baseUrl`. The books of another `npm
 * start` say nothing about this run.
 */
async function findBooks(
  plan: RunPlan,
  baseUrl: string,
  partners: readonly LoadPartner[],
  root: string,
): Promise<Books | undefined> {
  const { DATABASE_URL } = process.env;
  if (DATABASE_URL) return await openBooks(DATABASE_URL, partners, root);
  const text = await readFile(join(plan.stateDir, "run.json"), "utf8").catch(() => "{}");
  const run = JSON.parse(text) as { base_url?: string; database_url?: string };
  return run.base_url === baseUrl && run.database_url
    ? await openBooks(run.database_url, partners, root)
    : undefined;
}

const unchecked = ({ stateDir }: RunPlan): Check => ({
  name: "the books, the deliveries and the certificates",
  met: null,
  says:
    `not checked: DATABASE_URL is not set, and no npm start with its state in ${stateDir} serves this URL`,
});

/**
 * Runs all processes at once until each has ended. Returns the faults as sentences, and whether the run was
 * ended early.
 */
async function drive(
  plan: RunPlan,
  { program, baseUrl, root }: { program: string; baseUrl: string; root: string },
  tally: Tally,
  thresholds: ReturnType<typeof serviceLevels>,
): Promise<{ readonly faults: readonly string[]; readonly cutOff: boolean }> {
  const { load, scenario, partners } = plan;
  const processes = partners.map((partner): K6Process =>
    startK6({
      program,
      script: join(root, "loadtest", `${scenario}.ts`),
      settings: {
        PARTNER: partner,
        PARTNERS: `${load.partners}`,
        PARTNERS_DIR: resolve(plan.partnersDir),
        BASE_URL: baseUrl,
        PROFILE: load.name,
        RATE: `${load.peakPerSecond}`,
        DURATION: `${load.durationSeconds}s`,
      },
      dashboard: join(plan.resultsDir, `dashboard-${partner}.html`),
    }, (sample) => tally.add(sample))
  );
  let ended = false;
  const end = () => {
    if (!ended) { for (const one of processes) one.end(); }
    ended = true;
  };
  // Remember the signal. Ctrl-C in a terminal reaches k6, too, because it goes to the whole process group. A
  // second signal would cut k6's own shutdown short.
  let heard: string | undefined;
  const hear = (signal: string) => {
    heard = signal;
    if (signal === "SIGINT" && process.stdin.isTTY) ended = true;
    else end();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, hear);
  let ticks = 0;
  const timer = setInterval(() => {
    if (!ended && findAbort(thresholds, (selector) => tally.measureOf(selector), tally.seconds)) end();
    if (++ticks % TELL_EVERY === 0) console.error(`… ${ticks} s, ${tally.sumOf("http_reqs")} requests`);
  }, JUDGE_MS);
  const results = await Promise.all(processes.map((one) => one.ended));
  clearInterval(timer);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, hear);
  // Show a line once, even if several processes wrote it.
  for (const line of new Set(results.flatMap(({ said }) => said.split("\n")))) if (line) console.error(line);
  const faults = results.flatMap(({ code }, index) =>
    code === 0 || (ended && code === ENDED) ? [] : [`k6 of partner ${partners[index]} exited with ${code}`]
  );
  return { faults: heard ? [`ended early by ${heard}`, ...faults] : faults, cutOff: ended };
}

const readVersion = (program: string): string =>
  execFileSync(program, ["version"], { encoding: "utf8" }).trim();
