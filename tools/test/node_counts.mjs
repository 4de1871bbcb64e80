// A reporter of node:test: what each file ran, as one JSON object. Plain JavaScript, because Node loads a reporter
// before tsx can read TypeScript.

/** @param {AsyncIterable<{ type: string, data: { name: string, file?: string, skip?: unknown, todo?: unknown } }>} events */
export default async function* countByFile(events) {
  /** @type {Record<string, { ran: number, skipped: number }>} */
  const counts = {};
  for await (const { type, data } of events) {
    if ((type !== "test:pass" && type !== "test:fail") || data.file === undefined) continue;
    const count = counts[data.file] ??= { ran: 0, skipped: 0 };
    // A file that holds no test is reported as a test by its own path.
    if (data.name === data.file) continue;
    count.ran++;
    if (data.skip !== undefined || data.todo !== undefined) count.skipped++;
  }
  yield JSON.stringify(counts);
}
