type Labels = Readonly<Record<string, string>>;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Collects counters, gauges and histograms with fixed buckets. text() writes them for Prometheus. */
export interface Metrics {
  count(name: string, labels?: Labels, by?: number): void;
  observeSeconds(name: string, seconds: number, labels?: Labels): void;
  gauge(name: string, read: () => number): void;
  text(): string;
}

interface Histogram {
  readonly buckets: number[];
  sum: number;
  count: number;
}

const NO_LABELS: Labels = {};

export function createMetrics(): Metrics {
  const counters = new Map<string, Map<string, number>>();
  const histograms = new Map<string, Map<string, Histogram>>();
  const gauges = new Map<string, () => number>();
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
    gauge(name, read) {
      gauges.set(name, read);
    },
    text() {
      const lines: string[] = [];
      for (const [name, series] of counters) {
        lines.push(`# TYPE ${name} counter`);
        for (const [labels, value] of series) lines.push(`${name}${braced(labels)} ${value}`);
      }
      for (const [name, read] of gauges) lines.push(`# TYPE ${name} gauge`, `${name} ${read()}`);
      for (const [name, series] of histograms) {
        lines.push(`# TYPE ${name} histogram`);
        for (const [labels, histogram] of series) lines.push(...histogramLines(name, labels, histogram));
      }
      return lines.join("\n") + "\n";
    },
  };
}

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

function seriesOf<T>(metrics: Map<string, Map<string, T>>, name: string): Map<string, T> {
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
