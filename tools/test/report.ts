/**
 * The number of tests and suites (Deno: tests and steps), and how many of them were skipped, ignored or
 * marked todo.
 */
export interface FileCounts {
  ran: number;
  skipped: number;
  /** How long the file's tests took, if the report says it. */
  durationMs?: number;
}

/** A failed test. `name` has the names of its suites, separated by " > ". */
interface Failure {
  readonly file: string;
  readonly name: string;
  readonly text: string;
}

/** What a runtime reports about the test files of one process. */
export interface Report {
  readonly byFile: Readonly<Record<string, FileCounts>>;
  readonly failures: readonly Failure[];
}

const ESCAPES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const unescape = (text: string): string => text.replace(/&(\w+);/g, (all, name) => ESCAPES[name] ?? all);

/** A suite fails because a test in it failed, and that test has an entry of its own. */
const OF_A_STEP = /^\d+ test steps? failed$/;

/**
 * Reads Deno's JUnit report. It names the file of a top-level test. A step has only a name, which begins with
 * the name of its top-level test.
 */
export function readJunit(xml: string): Report {
  const cases = [...xml.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]*>(.*?)<\/testcase>/gs)]
    .map(([, name = "", place = "", body = ""]) => ({ name: unescape(name), place: unescape(place), body }));
  const files = new Map<string, string>();
  for (const { name, place } of cases) {
    if (!place.startsWith("ext:")) files.set(name, place.replace(/^\.\//, ""));
  }
  const byFile: Record<string, FileCounts> = {};
  const failures: Failure[] = [];
  for (const { name, place, body } of cases) {
    const top = place.startsWith("ext:")
      ? [...files.keys()].find((each) => name.startsWith(`${each} > `))
      : name;
    const file = files.get(top ?? "") ?? place;
    const count = byFile[file] ??= { ran: 0, skipped: 0 };
    count.ran++;
    if (/<skipped\b/.test(body)) count.skipped++;
    const [, message = "", text = ""] = /<failure message="([^"]*)">(.*)<\/failure>/s.exec(body) ?? [];
    if (text && !OF_A_STEP.test(message)) failures.push({ file, name, text: unescape(text) });
  }
  return { byFile, failures };
}

export function sumCounts(counts: Iterable<FileCounts>): FileCounts {
  const sum = { ran: 0, skipped: 0 };
  for (const { ran, skipped } of counts) {
    sum.ran += ran;
    sum.skipped += skipped;
  }
  return sum;
}

const LINES_MAX = 15;

/** Describes a failure for the end of a run: runtime, file and name, then what the test threw. */
export function describeFailure(runtime: string, { file, name, text }: Failure): string {
  const lines = text.trim().split("\n").filter((line) => !/^\s+at .*(node:internal|ext:)/.test(line));
  return [`✘ ${file} on ${runtime}: ${name}`, ...lines.slice(0, LINES_MAX).map((line) => `    ${line}`)].join(
    "\n",
  );
}
