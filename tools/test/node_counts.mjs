// A reporter for node:test that writes how many tests each file ran, as one JSON object. It is plain
// JavaScript, because Node loads a reporter before tsx can read TypeScript.

/**
 * @param {AsyncIterable<{
 *   type: string,
 *   data: {
 *     name: string, nesting: number, file?: string, skip?: unknown, todo?: unknown,
 *     details: { duration_ms: number }
 *   }
 * }>} events
 */
export default async function* countByFile(events) {
  /** @type {Record<string, { ran: number, skipped: number, durationMs: number }>} */
  const counts = {};
  // Count the tests of a suite for the suite's file. They are reported before the suite, and may be written
  // in another file.
  let [ran, skipped] = [0, 0];
  for await (const { type, data } of events) {
    if ((type !== "test:pass" && type !== "test:fail") || data.file === undefined) continue;
    // Skip a file without tests, which Node reports as one test with the path of the file as its name.
    if (data.name !== data.file) ran++;
    if (data.skip !== undefined || data.todo !== undefined) skipped++;
    if (data.nesting > 0) continue;
    const count = counts[data.file] ??= { ran: 0, skipped: 0, durationMs: 0 };
    count.ran += ran;
    count.skipped += skipped;
    count.durationMs += data.details.duration_ms;
    [ran, skipped] = [0, 0];
  }
  yield JSON.stringify(counts);
}
