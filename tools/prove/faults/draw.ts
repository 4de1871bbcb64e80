import { createHash } from "node:crypto";
import { type Random, randomFrom } from "../../testing/random.ts";

/** Draws numbers that depend on the seed alone. */
export class Draw {
  readonly below: Random;

  /** `parts` are the round's seed and what the numbers are for. Any difference gives unrelated numbers. */
  constructor(...parts: readonly (number | string)[]) {
    this.below = randomFrom(createHash("sha256").update(parts.join(" ")).digest().readUInt32BE());
  }

  /** An integer from `lowest` to `highest`. */
  between(lowest: number, highest: number): number {
    return lowest + this.below(highest - lowest + 1);
  }

  of<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)]!;
  }

  /** One of the values, each as often as its weight says. */
  weighted<Value extends { readonly weight: number }>(values: readonly Value[]): Value {
    let rest = this.below(values.reduce((sum, { weight }) => sum + weight, 0));
    return values.find(({ weight }) => (rest -= weight) < 0)!;
  }
}
