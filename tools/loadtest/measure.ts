import { Histogram } from "./histogram.ts";

/** k6's kinds of metrics, of which a gauge is none that is judged here. */
export type MetricKind = "trend" | "rate" | "counter";

/** What all samples of one metric, or of those with certain tags, come to. */
export class Measure {
  readonly kind: MetricKind;
  readonly #durations = new Histogram();
  #count = 0;
  #sum = 0;
  #min = Infinity;
  #max = -Infinity;

  constructor(kind: MetricKind) {
    this.kind = kind;
  }

  get sum(): number {
    return this.#sum;
  }

  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    this.#count++;
    this.#sum += value;
    if (this.kind !== "trend") return;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    this.#durations.add(value);
  }

  /** As k6 means it for a metric of this kind; NaN where there is nothing to tell. */
  find(statistic: string, percent: number, seconds: number): number {
    switch (statistic) {
      case "count":
        return this.kind === "counter" ? this.#sum : this.#count;
      case "rate":
        return this.kind === "counter" ? this.#sum / seconds : this.#sum / this.#count;
      case "avg":
        return this.#sum / this.#count;
      case "min":
        return this.#count === 0 ? NaN : this.#min;
      case "max":
        return this.#count === 0 ? NaN : this.#max;
      case "med":
        return this.#durations.quantile(0.5);
      default:
        return this.#durations.quantile(percent / 100);
    }
  }
}
