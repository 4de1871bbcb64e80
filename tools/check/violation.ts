/** One violation of one rule. `says` tells what is wrong and what to do. */
export interface Violation {
  readonly path: string;
  readonly line?: number;
  readonly says: string;
}
