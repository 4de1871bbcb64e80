// A reporter of node:test: what each file ran, as one JSON object. Plain JavaScript, because Node loads a reporter
// before tsx can read TypeScript.

/** @param {AsyncIterable<{ type: string, data: { name: string, nesting: number, file?: string, skip?: unknown, todo?: unknown } }>} events */
export default async function* countByFile(events) {
  /** @type {Record<string, { ran: number, skipped: number }>} */
  const counts = {};
  // What a suite holds is reported before it, and may be written in another file: it belongs to the suite's own.
  let [ran, skipped] = [0, 0];
  for await (const { type, data } of events) {
    if ((type !== "test:pass" && type !== "test:fail") || data.file === undefined) continue;
    // A file that holds no test is reported as a test by its own path.
    if (data.name !== data.file) ran++;
    if (data.skip !== undefined || data.todo !== undefined) skipped++;
    if (data.nesting > 0) continue;
    const count = counts[data.file] ??= { ran: 0, skipped: 0 };
    count.ran += ran;
    count.skipped += skipped;
    [ran, skipped] = [0, 0];
  }
  yield JSON.stringify(counts);
}
