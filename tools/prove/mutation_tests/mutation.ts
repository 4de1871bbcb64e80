/** One fault that the tests must detect. */
export interface Mutation {
  readonly name: string;
  /** The source file to break, relative to packages/server. */
  readonly file: string;
  /** Test files, relative to packages/server, fastest first. They run in this order until one fails. */
  readonly tests: readonly string[];
  /** The text to replace. It occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Part of the short run. */
  readonly short?: true;
}

/**
 * Returns the source with the fault. Throws if `from` does not occur exactly once, because the mutation then
 * no longer fits the source.
 */
export function applyMutation({ file, from, to }: Mutation, source: string): string {
  const times = source.split(from).length - 1;
  if (times !== 1) {
    throw new Error(
      `the text to replace occurs ${times} times in ${file} instead of once: update this mutation test`,
    );
  }
  return source.replace(from, () => to);
}
