import { Histogram, type HistogramText } from "./histogram.ts";

/** The requests of one step within a span of time. */
interface Slice {
  readonly durations: Histogram;
  failed: number;
}

/** One step in summary.json. Slices without a request are included. */
export interface StepText {
  readonly step: string;
  readonly requests: number;
  readonly failed: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly slices: readonly { readonly failed: number; readonly durations: HistogramText }[];
}

/**
 * The maximum number of slices: enough slices of one second for a run of ten minutes and its late samples. In
 * a longer run, every two neighbours become one slice.
 */
const SLICES_MAX = 700;

/** The requests of each step over time. All steps have the same slices. */
export class StepLog {
  readonly #steps = new Map<string, Map<number, Slice>>();
  #widthMs = 1000;
  #first = Infinity;
  #last = -Infinity;

  get widthMs(): number {
    return this.#widthMs;
  }

  addDuration(step: string, atMs: number, durationMs: number): void {
    this.#sliceAt(step, atMs).durations.add(durationMs);
  }

  addFailure(step: string, atMs: number): void {
    this.#sliceAt(step, atMs).failed++;
  }

  describe(): StepText[] {
    return [...this.#steps].map(([step, slices]) => {
      const all = new Histogram();
      for (const { durations } of slices.values()) all.addAll(durations);
      const inTurn = Array.from({ length: this.#last - this.#first + 1 }, (_, n) => {
        const { failed = 0, durations } = slices.get(this.#first + n) ?? {};
        return { failed, durations: durations?.toJSON() ?? [] };
      });
      return {
        step,
        requests: all.count,
        failed: inTurn.reduce((sum, { failed }) => sum + failed, 0),
        p50: all.quantile(0.5),
        p95: all.quantile(0.95),
        p99: all.quantile(0.99),
        slices: inTurn,
      };
    });
  }

  #sliceAt(step: string, atMs: number): Slice {
    let index = Math.floor(atMs / this.#widthMs);
    this.#first = Math.min(this.#first, index);
    this.#last = Math.max(this.#last, index);
    while (this.#last - this.#first >= SLICES_MAX) {
      this.#widen();
      index = Math.floor(index / 2);
    }
    const slices = this.#steps.get(step) ?? new Map<number, Slice>();
    this.#steps.set(step, slices);
    const slice = slices.get(index) ?? { durations: new Histogram(), failed: 0 };
    slices.set(index, slice);
    return slice;
  }

  #widen(): void {
    this.#widthMs *= 2;
    this.#first = Math.floor(this.#first / 2);
    this.#last = Math.floor(this.#last / 2);
    for (const [step, slices] of this.#steps) {
      const wider = new Map<number, Slice>();
      for (const [index, slice] of slices) {
        const into = wider.get(Math.floor(index / 2));
        if (into) {
          into.durations.addAll(slice.durations);
          into.failed += slice.failed;
        } else wider.set(Math.floor(index / 2), slice);
      }
      this.#steps.set(step, wider);
    }
  }
}
