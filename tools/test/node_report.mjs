// A reporter for node:test that writes one JSON object: how many tests each file ran, and which tests failed.
// It is plain JavaScript, because Node loads a reporter before tsx can read TypeScript.
import { inspect } from "node:util";

/** A suite fails because of its test, and a test because of its suite's hook. The cause has its own failure. */
const OF_ANOTHER = ["subtestsFailed", "cancelledByParent"];

/**
 * @param {AsyncIterable<{
 *   type: string,
 *   data: {
 *     name: string, nesting: number, file?: string, skip?: unknown, todo?: unknown,
 *     details: { duration_ms: number, error?: Error & { failureType?: string } }
 *   }
 * }>} events
 */
export default async function* report(events) {
  /** @type {Record<string, { ran: number, skipped: number, durationMs: number }>} */
  const byFile = {};
  /** @type {{ file: string, name: string, text: string }[]} */
  const failures = [];
  /** @type {string[]} The names of the started suites and of the started test. */
  const names = [];
  // Count the tests of a suite for the suite's file. They are reported before the suite, and may be written
  // in another file. The same holds for failures, so `file` is set later.
  let [ran, skipped, failed] = [0, 0, 0];
  for await (const { type, data } of events) {
    if (type === "test:start") names.splice(data.nesting, Infinity, data.name);
    if ((type !== "test:pass" && type !== "test:fail") || data.file === undefined) continue;
    // Skip a file without tests, which Node reports as one test with the path of the file as its name.
    if (data.name !== data.file) ran++;
    if (data.skip !== undefined || data.todo !== undefined) skipped++;
    const { error, duration_ms } = data.details;
    if (type === "test:fail" && !OF_ANOTHER.includes(error?.failureType ?? "")) {
      const name = [...names.slice(0, data.nesting), data.name].join(" > ");
      failures.push({ file: "", name, text: inspect(error?.cause ?? error) });
    }
    if (data.nesting > 0) continue;
    for (; failed < failures.length; failed++) failures[failed].file = data.file;
    const count = byFile[data.file] ??= { ran: 0, skipped: 0, durationMs: 0 };
    count.ran += ran;
    count.skipped += skipped;
    count.durationMs += duration_ms;
    [ran, skipped] = [0, 0];
  }
  yield JSON.stringify({ byFile, failures });
}
