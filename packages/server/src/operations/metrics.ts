import { type Counter, COUNTERS, type Gauge, GAUGES, type HistogramName, HISTOGRAMS } from "./families.ts";

type Labels = Readonly<Record<string, string>>;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Collects counters, gauges and histograms with fixed buckets. text() writes them for Prometheus. */
export interface Metrics {
  count(name: Counter, labels?: Labels, by?: number): void;
  observeSeconds(name: HistogramName, seconds: number, labels?: Labels): void;
  /**
   * `read` is called for each text. A gauge that has no value is left out. A gauge that is set again replaces the
   * one with the same labels.
   */
  gauge(name: Gauge, read: () => number | undefined, labels?: Labels): void;
  /** A counter whose value is kept elsewhere, such as the CPU time. A string is written as it is. */
  counter(name: Counter, read: () => number | string, labels?: Labels): void;
  text(): string;
}

interface Histogram {
  readonly buckets: number[];
  sum: number;
  count: number;
}

const NO_LABELS: Labels = {};

export function createMetrics(): Metrics {
  const counters = new Map<Counter, Map<string, number>>();
  const histograms = new Map<HistogramName, Map<string, Histogram>>();
  const gauges = new Map<Gauge, Map<string, () => number | undefined>>();
  const readings = new Map<Counter, Map<string, () => number | string>>();
  return {
    count(name, labels = NO_LABELS, by = 1) {
      const series = seriesOf(counters, name);
      const key = labelText(labels);
      series.set(key, (series.get(key) ?? 0) + by);
    },
    observeSeconds(name, seconds, labels = NO_LABELS) {
      const series = seriesOf(histograms, name);
      const key = labelText(labels);
      let histogram = series.get(key);
      if (!histogram) series.set(key, histogram = { buckets: SECONDS.map(() => 0), sum: 0, count: 0 });
      const bucket = SECONDS.findIndex((bound) => seconds <= bound);
      if (bucket >= 0) histogram.buckets[bucket]! += 1;
      histogram.sum += seconds;
      histogram.count += 1;
    },
    gauge: (name, read, labels = NO_LABELS) => void seriesOf(gauges, name).set(labelText(labels), read),
    counter: (name, read, labels = NO_LABELS) => void seriesOf(readings, name).set(labelText(labels), read),
    text() {
      const lines: string[] = [];
      for (const [name, series] of counters) {
        lines.push(...headOf(name, COUNTERS[name], "counter"));
        for (const [labels, value] of series) lines.push(`${name}${braced(labels)} ${value}`);
      }
      for (const [name, series] of readings) {
        lines.push(...headOf(name, COUNTERS[name], "counter"));
        for (const [labels, read] of series) lines.push(`${name}${braced(labels)} ${read()}`);
      }
      for (const [name, series] of gauges) {
        const values = [...series].flatMap(([labels, read]) => {
          const value = read();
          return value === undefined ? [] : [`${name}${braced(labels)} ${value}`];
        });
        if (values.length > 0) lines.push(...headOf(name, GAUGES[name], "gauge"), ...values);
      }
      for (const [name, series] of histograms) {
        lines.push(...headOf(name, HISTOGRAMS[name], "histogram"));
        for (const [labels, histogram] of series) lines.push(...histogramLines(name, labels, histogram));
      }
      return lines.join("\n") + "\n";
    },
  };
}

const headOf = (
  name: string,
  help: string,
  type: string,
) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];

function histogramLines(name: string, labels: string, { buckets, sum, count }: Histogram): string[] {
  let below = 0;
  const lines = SECONDS.map((bound, index) => {
    below += buckets[index]!;
    return `${name}_bucket${braced(join(labels, `le="${bound}"`))} ${below}`;
  });
  return [
    ...lines,
    `${name}_bucket${braced(join(labels, 'le="+Inf"'))} ${count}`,
    `${name}_sum${braced(labels)} ${sum}`,
    `${name}_count${braced(labels)} ${count}`,
  ];
}

function seriesOf<Name, T>(metrics: Map<Name, Map<string, T>>, name: Name): Map<string, T> {
  let series = metrics.get(name);
  if (!series) metrics.set(name, series = new Map());
  return series;
}

function labelText(labels: Labels): string {
  let text = "";
  for (const name in labels) text = join(text, `${name}=${JSON.stringify(labels[name])}`);
  return text;
}

const join = (labels: string, more: string) => labels ? `${labels},${more}` : more;
const braced = (labels: string) => labels ? `{${labels}}` : "";
