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

/** Reads Deno's JUnit report. Names and messages in it are escaped, so they cannot contain a tag. */
export function readJunitCounts(report: string): FileCounts {
  const count = (tag: RegExp): number => report.match(tag)?.length ?? 0;
  return { ran: count(/<testcase /g), skipped: count(/<skipped\b/g) };
}

export function sumCounts(counts: Iterable<FileCounts>): FileCounts {
  const sum = { ran: 0, skipped: 0 };
  for (const { ran, skipped } of counts) {
    sum.ran += ran;
    sum.skipped += skipped;
  }
  return sum;
}
