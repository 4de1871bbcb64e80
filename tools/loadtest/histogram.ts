// Stores many durations in little memory: it keeps only a count for each bucket of durations.

/** Buckets for each factor of e. The error of a quantile is at most a quarter of a percent. */
const BUCKETS_PER_E = 200;
/** In milliseconds. A shorter duration counts as this one. */
const LEAST = 0.001;

/** The form in a file: pairs of a bucket and its count. */
export type HistogramText = readonly (readonly [bucket: number, count: number])[];

export class Histogram {
  /** The counts from the lowest to the highest bucket in use. #first is the number of the lowest. */
  #counts = new Uint32Array(0);
  #first = 0;
  #count = 0;

  static read(text: HistogramText): Histogram {
    const histogram = new Histogram();
    for (const [bucket, count] of text) {
      histogram.#reach(bucket, bucket);
      histogram.#counts[bucket - histogram.#first]! += count;
      histogram.#count += count;
    }
    return histogram;
  }

  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    const bucket = Math.round(BUCKETS_PER_E * Math.log(Math.max(value, LEAST)));
    this.#reach(bucket, bucket);
    this.#counts[bucket - this.#first]!++;
    this.#count++;
  }

  addAll(other: Histogram): void {
    if (other.#count === 0) return;
    this.#reach(other.#first, other.#first + other.#counts.length - 1);
    const shift = other.#first - this.#first;
    for (let n = 0; n < other.#counts.length; n++) this.#counts[n + shift]! += other.#counts[n]!;
    this.#count += other.#count;
  }

  /** Returns the quantile by nearest rank; NaN if nothing was added. */
  quantile(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.#count));
    let passed = 0;
    for (let n = 0; n < this.#counts.length; n++) {
      passed += this.#counts[n]!;
      if (passed >= rank) return Math.exp((this.#first + n) / BUCKETS_PER_E);
    }
    return NaN;
  }

  toJSON(): HistogramText {
    return [...this.#counts].flatMap((count, n): HistogramText =>
      count === 0 ? [] : [[this.#first + n, count]]
    );
  }

  #reach(from: number, to: number): void {
    const last = this.#first + this.#counts.length - 1;
    if (from >= this.#first && to <= last) return;
    const isEmpty = this.#counts.length === 0;
    const first = isEmpty ? from : Math.min(from, this.#first);
    const counts = new Uint32Array((isEmpty ? to : Math.max(to, last)) - first + 1);
    if (!isEmpty) counts.set(this.#counts, this.#first - first);
    this.#counts = counts;
    this.#first = first;
  }
}
