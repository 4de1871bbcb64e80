import { Measure, type MetricKind } from "./measure.ts";
import type { Sample, Tags } from "./sample.ts";
import { readSelector, type Thresholds } from "./service_level.ts";
import { StepLog } from "./step.ts";

/**
 * The metrics that are not counters, each with its kind. All of them are k6's own. The scripts make only
 * counters.
 */
const KINDS: Readonly<Record<string, MetricKind>> = {
  http_req_duration: "trend",
  iteration_duration: "trend",
  http_req_failed: "rate",
  checks: "rate",
};
/**
 * Gauges, and parts of a duration. They are left out, because nothing reads them and they are half of all
 * samples.
 */
const LEFT_OUT = /^(vus|vus_max|http_req_(blocked|connecting|tls_handshaking|sending|waiting|receiving))$/;

/** Steps before and after the load. */
const ASIDE = /^(setup|books)$/;

/** The samples of all processes together. */
export class Tally {
  readonly steps = new StepLog();
  readonly #selectors: readonly { selector: string; metric: string; tags: Tags }[];
  readonly #measures = new Map<string, Measure>();
  /** The measures by metric and tags. Samples with the same tags share one object, which is the key. */
  readonly #routes = new Map<string, WeakMap<Tags, readonly Measure[]>>();
  #firstMs = Infinity;
  #lastMs = -Infinity;

  constructor(thresholds: Thresholds) {
    this.#selectors = Object.keys(thresholds).map((selector) => ({ selector, ...readSelector(selector) }));
  }

  /** The time from the first request of the load to its last, but at least one second. */
  get seconds(): number {
    return Math.max(1000, this.#lastMs - this.#firstMs) / 1000;
  }

  measureOf(selector: string): Measure | undefined {
    return this.#measures.get(selector);
  }

  /** Returns the total of a counter; 0 if nothing was counted. */
  sumOf(counter: string): number {
    return this.#measures.get(counter)?.sum ?? 0;
  }

  /** Returns the totals of all counters, both the script's own and k6's. */
  counters(): Record<string, number> {
    const counters = [...this.#measures].filter(([name, { kind }]) =>
      kind === "counter" && !name.includes("{")
    );
    return Object.fromEntries(counters.map(([name, { sum }]) => [name, sum]));
  }

  add(sample: Sample): void {
    const { metric, atMs, value, tags } = sample;
    if (LEFT_OUT.test(metric)) return;
    for (const measure of this.#routeOf(sample)) measure.add(value);
    const step = tags.get("step");
    if (step === undefined || ASIDE.test(step)) return;
    if (metric === "http_req_duration") {
      this.#firstMs = Math.min(this.#firstMs, atMs);
      this.#lastMs = Math.max(this.#lastMs, atMs);
      this.steps.addDuration(step, atMs, value);
    } else if (metric === "http_req_failed" && value !== 0) this.steps.addFailure(step, atMs);
  }

  #routeOf({ metric, tags }: Sample): readonly Measure[] {
    let routes = this.#routes.get(metric);
    if (!routes) this.#routes.set(metric, routes = new WeakMap());
    let route = routes.get(tags);
    if (!route) {
      const narrower = this.#selectors.filter((one) =>
        one.metric === metric && one.tags.size > 0 &&
        [...one.tags].every(([name, value]) => tags.get(name) === value)
      );
      route = [metric, ...narrower.map(({ selector }) => selector)].map((name) =>
        this.#measure(name, metric)
      );
      routes.set(tags, route);
    }
    return route;
  }

  #measure(name: string, metric: string): Measure {
    const measure = this.#measures.get(name) ?? new Measure(KINDS[metric] ?? "counter");
    this.#measures.set(name, measure);
    return measure;
  }
}
