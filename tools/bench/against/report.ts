// The result of a comparison as text.
import { spread } from "../summary.ts";
import { cpuMicros, estimateCost, type Pair, type Turn } from "./comparison.ts";
import { checkLimit, type RatioEstimate, widthOf } from "./ratio.ts";
import type { Operation } from "./version.ts";

const ARTICLE: Readonly<Record<Operation, string>> = { order: "an order", quote: "a quote" };

export function reportPair(number: number, pair: Readonly<Record<Operation, Pair>>): string {
  const ratioOf = ({ ours, theirs }: Pair) => times(cpuMicros(ours) / cpuMicros(theirs));
  return `  pair ${number}: an order ${ratioOf(pair.order)}, a quote ${ratioOf(pair.quote)}`;
}

/**
 * Reports what one operation costs, and whether the limit was kept. `intervalAtMost` is the intended maximum
 * width of the interval.
 */
export function reportOperation(
  operation: Operation,
  pairs: readonly Pair[],
  { limit, intervalAtMost }: { readonly limit: number | undefined; readonly intervalAtMost: number },
): string {
  const estimate = estimateCost(pairs);
  const lines = [
    `${ARTICLE[operation]}: ${reportEstimate(estimate)} in ${pairs.length} turns per side. ` +
    `CPU ${micros(pairs, cpuMicros)} (service ${micros(pairs, perOperation("serviceMs"))}, ` +
    `Postgres ${micros(pairs, perOperation("postgresMs"))})`,
  ];
  if (widthOf(estimate) > intervalAtMost) {
    lines.push(
      `  The interval is wider than ${intervalAtMost}. Run the comparison again on a less busy machine.`,
    );
  }
  if (limit !== undefined) {
    lines.push(
      {
        broken: `  limit broken: the whole interval is above ${times(limit)}`,
        undecided: `  limit not decided: the interval is too wide to say whether ${times(limit)} was kept`,
        kept: `  limit kept: the turns do not show a ratio above ${times(limit)}`,
      }[checkLimit(estimate, { limit, intervalAtMost })],
    );
  }
  return lines.join("\n");
}

function reportEstimate({ median, interval }: RatioEstimate): string {
  if (!interval) return times(median);
  const [low, high] = interval.map(times);
  return `${times(median)} (95 % interval ${low} to ${high}, width ${
    (interval[1] - interval[0]).toFixed(3)
  })`;
}

const perOperation = (part: "serviceMs" | "postgresMs") => (turn: Turn) =>
  turn[part] * 1000 / turn.operations;

/** The medians of both sides. */
function micros(pairs: readonly Pair[], of: (turn: Turn) => number): string {
  const [ours, theirs] = (["ours", "theirs"] as const).map((side) =>
    spread(pairs.map((pair) => of(pair[side]))).median
  );
  return `${ours!.toFixed(0)} against ${theirs!.toFixed(0)} µs`;
}

const times = (ratio: number): string => `${ratio.toFixed(3)}x`;
