/** One fault that the tests must see. */
export interface Defect {
  readonly name: string;
  /** The source that is broken, and the test files of which one must go red, the quickest first: below packages/server. */
  readonly file: string;
  readonly tests: readonly string[];
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Part of the short run. */
  readonly short?: true;
}

/** The broken source; throws when the defect is out of date and would break nothing, or more than it says. */
export function plant({ file, from, to }: Defect, source: string): string {
  const times = source.split(from).length - 1;
  if (times !== 1) {
    throw new Error(`its text stands ${times} times in ${file}, not once: bring the defect up to date`);
  }
  return source.replace(from, () => to);
}
