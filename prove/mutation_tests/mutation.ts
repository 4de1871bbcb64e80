/** One fault that the tests must detect. */
export interface Mutation {
  readonly name: string;
  /**
   * The source file that is broken, and the test files of which at least one must fail, fastest first. All
   * paths are relative to packages/server.
   */
  readonly file: string;
  readonly tests: readonly string[];
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Part of the short run. */
  readonly short?: true;
}

/**
 * Returns the broken source. Throws if `from` does not occur exactly once: the defect is then out of date,
 * and would break nothing or more than it says.
 */
export function plant({ file, from, to }: Mutation, source: string): string {
  const times = source.split(from).length - 1;
  if (times !== 1) {
    throw new Error(
      `the text to replace occurs ${times} times in ${file} instead of once: update this mutation test`,
    );
  }
  return source.replace(from, () => to);
}
