import { Histogram } from "./histogram.ts";

/** The kinds of k6's metrics. Gauges are left out, because no threshold here uses one. */
export type MetricKind = "trend" | "rate" | "counter";

/** The totals of all samples of one metric, or of its samples with certain tags. */
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

  /** Returns a statistic as k6 defines it for this kind of metric; NaN if it has no value. */
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
