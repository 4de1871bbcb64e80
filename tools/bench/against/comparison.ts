// Measures two versions alternately until the ratio of their costs is known precisely enough. One measurement
// of a version is a turn. A pair is one turn of each version, measured side by side.
import type { Cpu, Operation, Version } from "./version.ts";
import { estimateRatio, type RatioEstimate, widthOf } from "./ratio.ts";

export const OPERATIONS: readonly Operation[] = ["order", "quote"];

/** One version's part of a pair. */
export interface Turn extends Cpu {
  readonly operations: number;
  /** The sum of this version's slices, without the other version's slices between them. */
  readonly wallMs: number;
}

/** Both versions' turns of one operation, taken in slices side by side. */
export interface Pair {
  readonly ours: Turn;
  readonly theirs: Turn;
}

export type Pairs = Readonly<Record<Operation, readonly Pair[]>>;

export interface ComparisonPlan {
  /** Operations in one turn, if the machine is fast enough. */
  readonly requests: number;
  readonly pairsAtLeast: number;
  /** The comparison stops after this many pairs, even if an interval is wider than `intervalAtMost`. */
  readonly pairsAtMost: number;
  readonly intervalAtMost: number;
}

/**
 * A turn consists of slices that alternate with the other version's slices, so that other work on the machine
 * disturbs both equally. The number of slices is even, so that each version is first equally often.
 */
const SLICES = 10;
const FIRST_SLICE = 100;
const TURN_MS_MAX = 5000;
/**
 * The number of pairs that run first and are left out of the result. They fill the caches and show how many
 * requests fill a turn.
 */
const SIZING_PAIRS = 3;
/**
 * The length of the unmeasured warm-up after each restart, as a share of the turns that follow. Both versions
 * restart before each pair of quote turns, which is followed by a pair of order turns. The reason is that V8
 * compiles the same code a little differently in each process. Without restarts, comparing a version with
 * itself showed a difference of 1.4 % in each run, in either direction.
 */
const WARM_UP_SHARE = 0.5;
/**
 * Pairs between two checks of the intervals. The checks are rare, because at each check an interval may be
 * narrow by chance.
 */
const PAIRS_BETWEEN_LOOKS = 10;

/** `onPair` is called after each pair, with all pairs so far. */
export async function compareVersions(
  { ours, theirs }: { readonly ours: Version; readonly theirs: Version },
  { requests, pairsAtLeast, pairsAtMost, intervalAtMost }: ComparisonPlan,
  onPair: (pairs: Pairs) => void,
): Promise<Pairs> {
  let isSwapped = false;
  const takePair = async (operation: Operation, slice: number): Promise<Pair> => {
    await Promise.all([ours, theirs].map((version) => version.prepare(operation, slice * SLICES)));
    const before = [ours.readCpu(), theirs.readCpu()] as const;
    const wallMs = new Map([[ours, 0], [theirs, 0]]);
    for (let slices = 0; slices < SLICES; slices++) {
      // Swap the order at each slice (A B, B A, A B …), so that neither version always comes after the other.
      for (const version of isSwapped ? [theirs, ours] : [ours, theirs]) {
        wallMs.set(version, wallMs.get(version)! + await version.send(slice));
      }
      isSwapped = !isSwapped;
    }
    await Promise.all([ours.finish(), theirs.finish()]);
    const after = [ours.readCpu(), theirs.readCpu()] as const;
    if (operation === "quote") await Promise.all([ours.keepQuotes(), theirs.keepQuotes()]);
    const turnOf = (side: 0 | 1): Turn => ({
      operations: slice * SLICES,
      wallMs: wallMs.get([ours, theirs][side]!)!,
      serviceMs: after[side].serviceMs - before[side].serviceMs,
      postgresMs: after[side].postgresMs - before[side].postgresMs,
    });
    return { ours: turnOf(0), theirs: turnOf(1) };
  };
  // Send the orders at once, because a quote expires after a minute.
  const takePairs = async (slice: number): Promise<Readonly<Record<Operation, Pair>>> => {
    const quote = await takePair("quote", slice);
    return { quote, order: await takePair("order", slice) };
  };
  let slice = FIRST_SLICE;
  for (let pair = 0; pair < SIZING_PAIRS; pair++) slice = sliceFor(requests, await takePairs(slice));
  for (const version of [ours, theirs]) await version.analyze();
  const pairs: Record<Operation, Pair[]> = { order: [], quote: [] };
  const isKnown = () =>
    OPERATIONS.every((operation) => widthOf(estimateCost(pairs[operation])) <= intervalAtMost);
  for (let taken = 1; taken <= pairsAtMost; taken++) {
    await Promise.all([ours.restart(), theirs.restart()]);
    await takePairs(Math.ceil(slice * WARM_UP_SHARE));
    const taking = await takePairs(slice);
    slice = sliceFor(requests, taking);
    for (const operation of OPERATIONS) pairs[operation].push(taking[operation]);
    onPair(pairs);
    const looks = taken >= pairsAtLeast && (taken - pairsAtLeast) % PAIRS_BETWEEN_LOOKS === 0;
    if (looks && isKnown()) break;
  }
  return pairs;
}

/**
 * Returns how many requests fill a slice. Both versions get the same number, so that their databases grow
 * equally. On a slow machine a turn has fewer requests, because a quote expires after a minute.
 */
function sliceFor(requests: number, { order, quote }: Readonly<Record<Operation, Pair>>): number {
  const turns = [order, quote].flatMap(({ ours, theirs }) => [ours, theirs]);
  const perMs = Math.min(...turns.map(({ operations, wallMs }) => operations / wallMs));
  return Math.ceil(Math.min(requests, perMs * TURN_MS_MAX) / SLICES);
}

export const cpuMicros = ({ serviceMs, postgresMs, operations }: Turn): number =>
  (serviceMs + postgresMs) * 1000 / operations;

/** The CPU time of one operation of `ours`, divided by the CPU time of one operation of `theirs`. */
export function estimateCost(pairs: readonly Pair[]): RatioEstimate {
  return estimateRatio(pairs.map(({ ours, theirs }) => cpuMicros(ours) / cpuMicros(theirs)));
}
