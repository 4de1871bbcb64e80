import type { Finding } from "../report.ts";
import type { Series } from "./series.ts";
import { between, gainOf, growthOf, percentile, percentText, type Point, slopeOf } from "./statistics.ts";

const TEN_MINUTES_SECONDS = 600;
const GROWTH_MAX = 0.01;
const P99_RATIO_MAX = 1.2;
const BYTES_RATIO_MAX = 1.1;
/** By which a short run tells a request that is kept from a heap that warms up. */
const KEPT_BYTES_MAX = 1024;
const BYTES_PER_MEBIBYTE = 1 << 20;
const SHOWN = 10;

/** Whether a run is long enough to judge what only time shows; a short one says it, and no more. */
interface Length {
  readonly seconds: number;
  readonly isLong: boolean;
}

const unjudged = ({ isLong }: Length): string => isLong ? "" : " (too short a run to judge it by)";

/** Memory over the last two thirds: the first one fills caches. */
export function judgeGrowth(points: readonly Point[], length: Length): Finding {
  const { seconds, isLong } = length;
  const late = between(points, seconds / 3, seconds);
  const growth = growthOf(late, TEN_MINUTES_SECONDS);
  const values = late.map(({ value }) => value);
  const said = `${percentText(growth)} in ten minutes`;
  return {
    what: `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)} MiB, ${said}${
      unjudged(length)
    }`,
    // Too few points have no slope, which is no proof of anything.
    violations: isLong && !(growth < GROWTH_MAX)
      ? [`it grows by ${said}; the most is ${percentText(GROWTH_MAX)}`]
      : [],
  };
}

/** Coarse, but soon: what each thing done leaves behind, by a heap that is told exactly. */
export function judgeKept(points: readonly Point[], perSecond: number, isHeap: boolean): Finding {
  const bytes = Math.round(slopeOf(points) * BYTES_PER_MEBIBYTE / perSecond);
  return {
    what: `${bytes} bytes for each thing done${isHeap ? "" : " (too coarse a figure to judge it by)"}`,
    violations: !isHeap || bytes <= KEPT_BYTES_MAX
      ? []
      : [`the service keeps ${bytes} bytes of each thing done; the most is ${KEPT_BYTES_MAX}`],
  };
}

export function judgeLatency({ latencies }: Pick<Series, "latencies">, length: Length): Finding {
  const third = length.seconds / 3;
  const within = (from: number, to: number) =>
    latencies.filter(({ seconds }) => seconds > from && seconds <= to).flatMap(({ orderMs }) => orderMs);
  const [first, last] = [within(0, third), within(2 * third, 3 * third)].map((ms) => percentile(ms, 0.99));
  return compareThirds(first!, last!, P99_RATIO_MAX, length, (ms) => `${ms.toFixed(1)} ms`);
}

export function judgeBytes(
  { databaseBytes, orders }: Pick<Series, "databaseBytes" | "orders">,
  length: Length,
): Finding {
  const third = length.seconds / 3;
  const [first, last] = [[0, third], [2 * third, 3 * third]].map(([from, to]) =>
    gainOf(between(databaseBytes, from!, to!)) / gainOf(between(orders, from!, to!))
  );
  return compareThirds(first!, last!, BYTES_RATIO_MAX, length, (bytes) => `${Math.round(bytes)} bytes`);
}

function compareThirds(
  first: number,
  last: number,
  ratioMax: number,
  length: Length,
  say: (value: number) => string,
): Finding {
  const ratio = last / first;
  const said = `${say(first)} in the first third, ${say(last)} in the last: ${ratio.toFixed(3)}x`;
  return {
    what: said + unjudged(length),
    violations: length.isLong && !(ratio <= ratioMax) ? [`${said}; the most is ${ratioMax}x`] : [],
  };
}

/** At this rate everything that comes is served. */
export function judgeService({ due, done, failures, latencies }: Series): Finding {
  const orderMs = latencies.flatMap((slice) => slice.orderMs);
  const told = [0.5, 0.95, 0.99, 0.999].map((share) => percentile(orderMs, share).toFixed(1));
  const failed = [...failures].map(([what, times]) => `${times} × ${what}`);
  return {
    what: `${done} of ${due} done, ${orderMs.length} orders among them, each with its quote in ${
      told.join("/")
    } ms (p50/p95/p99/p99.9 from when it was due)`,
    violations: [...failed.slice(0, SHOWN), ...(done === due ? [] : [`${due - done} were never done`])],
  };
}
