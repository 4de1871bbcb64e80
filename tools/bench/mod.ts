// npm run bench -- NAME [--short] [--strict] [--only CONTEST] [--rows N] [--json FILE]: measures one
// benchmark. Without a name, lists all. A missed goal is printed; with --strict it also exits with 1. npm run
// bench -- orders --against COMMIT [--short] [--in-flight N] [--limit RATIO] [--json FILE] [--console]: compares this
// tree with a commit. With --console, somebody watches the console of this tree. A broken limit exits with 1.
import { readdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { parseOptions } from "@gold-partner/command-line";
import { readSurroundings, reportSurroundings } from "../testing/surroundings.ts";
import { resolveCommit } from "../testing/release/history.ts";
import { type AgainstOptions, runAgainst } from "./against/run.ts";
import type { Benchmark, Contest, Plan } from "./harness.ts";
import { reportContest } from "./report.ts";
import { type ContestSummary, countMisses, summarise } from "./summary.ts";

const FULL: Plan = { rounds: 15, turnMs: 100, rows: 10_000_000 };
const SHORT: Plan = { rounds: 3, turnMs: 50, rows: 200_000 };
const SUFFIX = ".bench.ts";
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;
const USAGE = `Usage: npm run bench -- NAME [--short] [--strict] [--only CONTEST] [--rows N] [--json FILE]
       npm run bench -- orders --against COMMIT [--short] [--in-flight N] [--limit RATIO] [--json FILE] [--console]`;
const COMPARED = "orders";

async function load(name: string): Promise<Benchmark> {
  return (await import(`./${name}${SUFFIX}`)).default;
}

function names(): string[] {
  const files = readdirSync(new URL(".", import.meta.url)).filter((file) => file.endsWith(SUFFIX));
  return files.map((file) => file.slice(0, -SUFFIX.length)).sort();
}

function once<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => result ??= act();
}

async function list(): Promise<void> {
  console.log(`${USAGE}\n`);
  for (const name of names()) console.log(`  ${name.padEnd(12)} ${(await load(name)).about}`);
}

/** Selects the contests whose names contain `words`. Without words, selects all. */
function choose(contests: readonly Contest[], words = ""): readonly Contest[] {
  const chosen = contests.filter(({ name }) => name.includes(words));
  if (chosen.length > 0) return chosen;
  throw new UsageError(
    `No contest has "${words}" in its name. The contests are: ${
      contests.map(({ name }) => name).join("; ")
    }.`,
  );
}

class UsageError extends Error {}

/** Returns how many goals were missed. */
async function run(
  { name, only, json }: { name: string; only: string | undefined; json: string | undefined },
  plan: Plan,
): Promise<number> {
  const surroundings = readSurroundings();
  const { about, open } = await load(name);
  console.log(`${name}: ${about}\n${reportSurroundings(surroundings)}`);
  const opening = open(plan);
  // Close the benchmark once. If a signal arrives while the benchmark opens, close it afterwards. A benchmark
  // that fails to open cleans up after itself.
  const close = once(async () => await (await opening.catch(() => undefined))?.close?.());
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => void close().finally(() => process.exit(EXIT_INTERRUPTED)));
  }
  const { contests } = await opening;
  const summaries: ContestSummary[] = [];
  try {
    const chosen = choose(contests, only);
    for (const { requireAll } of chosen) requireAll?.();
    for (const contest of chosen) {
      const summary = summarise(contest, await contest.measure(plan));
      summaries.push(summary);
      console.log(`\n${reportContest(summary)}`);
      // Write after each contest, because a later one may fail after half an hour.
      if (json !== undefined) {
        const result = { benchmark: name, about, surroundings, plan, contests: summaries };
        writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
      }
    }
  } finally {
    await close();
  }
  return countMisses(summaries);
}

const parse = () =>
  parseOptions(process.argv.slice(2), {
    short: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    only: { type: "string" },
    rows: { type: "string" },
    json: { type: "string" },
    against: { type: "string" },
    limit: { type: "string" },
    console: { type: "boolean", default: false },
    "in-flight": { type: "string" },
  });

function readArguments() {
  try {
    const { values, positionals } = parse();
    const [name, ...others] = positionals;
    if (others.length > 0) throw new Error(`Name one benchmark only; got also ${others.join(", ")}.`);
    if (name !== undefined && !names().includes(name)) {
      throw new Error(`There is no benchmark ${name}. Leave out the name to list all benchmarks.`);
    }
    const rows = readCount(values, "rows");
    const { short, strict, only, json } = values;
    return { name, short, strict, only, rows, json, against: readAgainst(name, values) };
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exit(EXIT_USAGE);
  }
}

type Values = ReturnType<typeof parse>["values"];

function readCount(values: Values, option: "rows" | "in-flight"): number | undefined {
  const text = values[option];
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new Error(`--${option} must be a positive whole number such as 64; got ${text}.`);
}

function readAgainst(name: string | undefined, values: Values): AgainstOptions | undefined {
  const { against, limit, json, short, strict, only, rows, console } = values;
  const inFlight = readCount(values, "in-flight");
  if (against === undefined) {
    if (limit === undefined && inFlight === undefined && !console) return undefined;
    throw new Error("--limit, --in-flight and --console need --against COMMIT.");
  }
  if (name !== COMPARED) {
    throw new Error(`--against supports only ${COMPARED}; got ${name ?? "no benchmark"}.`);
  }
  if (strict || only !== undefined || rows !== undefined) {
    throw new Error(
      "--against can be combined only with --short, --in-flight, --limit, --json and --console.",
    );
  }
  if (limit !== undefined && !/^[0-9]+(\.[0-9]+)?x?$/.test(limit)) {
    throw new Error(`--limit must be a ratio such as 1.03; got ${limit}.`);
  }
  const commit = resolveCommit(against);
  return {
    commit,
    short,
    inFlight,
    limit: limit === undefined ? undefined : parseFloat(limit),
    json,
    console,
  };
}

const { name, against, ...options } = readArguments();
const { short, strict, rows } = options;
const plan = { ...(short ? SHORT : FULL), ...(rows ? { rows } : {}) };
try {
  // End with process.exit(): if Deno ends by itself while its compiler is still working, it sometimes crashes
  // with a segmentation fault.
  if (against) process.exit(await runAgainst(against) ? 0 : 1);
  if (name === undefined) await list();
  const misses = name === undefined ? 0 : await run({ name, ...options }, plan);
  process.exit(misses > 0 && strict ? 1 : 0);
} catch (error) {
  // Fail, because without a program to compare with the benchmark measures nothing. The usual cause is that
  // such a program, for example Redis or pgbench, is not installed.
  console.error(`${name ?? "bench"} failed: ${(error as Error).message}`);
  process.exit(error instanceof UsageError ? EXIT_USAGE : 1);
}
