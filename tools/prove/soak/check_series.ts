import type { Finding } from "../stage/report.ts";
import type { Series } from "./series.ts";
import { between, gainOf, growthOf, percentText, type Point, slopeOf } from "./statistics.ts";
import { percentile } from "../../testing/statistics.ts";

const TEN_MINUTES_SECONDS = 600;
const GROWTH_MAX = 0.01;
const P99_RATIO_MAX = 1.2;
const BYTES_RATIO_MAX = 1.1;
/**
 * The maximum number of bytes that an action may leave behind. Even in a short run, a heap that warms up
 * stays below this limit, and a service that keeps each request exceeds it.
 */
const KEPT_BYTES_MAX = 1024;
const BYTES_PER_MEBIBYTE = 1 << 20;

/**
 * The length of a run, and whether it is long enough to judge slow changes. A short run only reports them.
 */
interface Length {
  readonly seconds: number;
  readonly isLong: boolean;
}

const unjudged = ({ isLong }: Length): string => isLong ? "" : " (the run is too short to judge this)";

/** Judges memory over the last two thirds of a run, because the first third fills caches. */
export function checkGrowth(points: readonly Point[], length: Length): Finding {
  const { seconds, isLong } = length;
  const late = between(points, seconds / 3, seconds);
  const growth = growthOf(late, TEN_MINUTES_SECONDS);
  const values = late.map(({ value }) => value);
  const said = `${percentText(growth)} in ten minutes`;
  return {
    what: `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)} MiB, ${said}${
      unjudged(length)
    }`,
    // NaN, the growth of too few points, counts as a violation.
    violations: isLong && !(growth < GROWTH_MAX)
      ? [`memory grows by ${said}; the limit is ${percentText(GROWTH_MAX)}`]
      : [],
  };
}

/**
 * A coarse check that needs little time: the bytes that each action leaves behind. It judges only if the
 * heap's size is known exactly.
 */
export function checkKept(points: readonly Point[], perSecond: number, isHeap: boolean): Finding {
  const bytes = Math.round(slopeOf(points) * BYTES_PER_MEBIBYTE / perSecond);
  return {
    what: `${bytes} bytes per action${isHeap ? "" : " (this figure is too coarse to judge)"}`,
    violations: !isHeap || bytes <= KEPT_BYTES_MAX
      ? []
      : [`the service keeps ${bytes} bytes per action; the limit is ${KEPT_BYTES_MAX}`],
  };
}

export function checkLatency({ latencies }: Pick<Series, "latencies">, length: Length): Finding {
  const third = length.seconds / 3;
  const within = (from: number, to: number) =>
    latencies.filter(({ seconds }) => seconds > from && seconds <= to).flatMap(({ orderMs }) => orderMs);
  const [first, last] = [within(0, third), within(2 * third, 3 * third)].map((ms) => percentile(ms, 0.99));
  return compareThirds(first!, last!, P99_RATIO_MAX, length, (ms) => `${ms.toFixed(1)} ms`);
}

export function checkBytes(
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
    violations: length.isLong && !(ratio <= ratioMax) ? [`${said}; the limit is ${ratioMax}x`] : [],
  };
}

/** Checks that every action that was due during the run was done, and that none failed. */
export function checkService({ due, done, failures, latencies }: Series): Finding {
  const orderMs = latencies.flatMap((slice) => slice.orderMs);
  const shown = [0.5, 0.95, 0.99, 0.999].map((share) => percentile(orderMs, share).toFixed(1));
  const failed = [...failures].map(([what, times]) => `${times} × ${what}`);
  return {
    what: `${done} of ${due} actions done; ${orderMs.length} orders, each with its quote, took ${
      shown.join("/")
    } ms (p50/p95/p99/p99.9, measured from when each was due)`,
    violations: [
      ...failed,
      ...(done === due ? [] : [`${due - done} actions were never done`]),
    ],
  };
}
