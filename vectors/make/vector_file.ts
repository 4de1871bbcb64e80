/** The result of a maker. It is written to `vectors/<name of the maker>.json`. */
export interface VectorFile {
  /** What the cases show, and how to read their members. */
  readonly description: string;
  /** Where the cases come from. */
  readonly origin: string;
  readonly cases: readonly Record<string, unknown>[];
}
