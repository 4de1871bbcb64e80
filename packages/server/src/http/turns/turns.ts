import type { Places } from "./places.ts";
import { RANK, type Rank, RANKS } from "./rank.ts";

/** `too_many`: the partner's own line is full. `overloaded`: the process cannot serve the request in time. */
export type TurnRefusal = "too_many" | "overloaded";

/** A request that waits for its turn. Exactly one of the two is called, and neither after its caller left. */
interface Visitor {
  /** `waitedMs` is 0 if it did not wait. */
  start(waitedMs: number): void;
  /** `perSecond`: about how many of the line's quotes started in the last second. */
  refuse(refusal: TurnRefusal, perSecond: number): void;
}

/**
 * Decides which request starts next. Each partner has a line of its own, and the lines take turns, so that a
 * partner's flood waits behind its own requests only.
 */
export interface Turns {
  /**
   * Starts or queues a request, or refuses it. The returned function must be called when the reply is ready
   * or the caller has disconnected. Further calls have no effect.
   */
  arrive(line: string, rank: Rank, visitor: Visitor): () => void;
  /** How many requests wait. */
  waiting(): number;
  /** How many requests run. */
  running(): number;
}

/** The most requests that wait in one partner's line. */
export const LINE_MAX = 256;
/**
 * The most requests that wait in all lines, without orders. With up to 192 running, they fit into Envoy's 512
 * connections to this process. Further requests wait in Envoy, which does not know their rank. Orders have
 * connections of their own, which limit them.
 */
const WAITING_MAX = 320;
/**
 * The longest wait, by rank. After five seconds a quote is still valid, so its order can be repeated. A caller
 * that waits longer than two for a price has mostly given up. A hundred lists or statements that a partner asks
 * for at once take longer, because of the pauses.
 */
const WAIT_MAX_MS: readonly number[] = Object.assign(Array(RANKS).fill(5000), {
  [RANK.quote]: 2000,
  [RANK.list]: 15_000,
  [RANK.statement]: 15_000,
});
/**
 * When quotes have waited without a break for OVERLOAD_MS, more come than can be served. Then they wait only
 * this long. Otherwise each of them would wait for two seconds, and those that are served would come too
 * late.
 */
const OVERLOAD_WAIT_MAX_MS = 200;
const OVERLOAD_MS = 500;
const CHECK_MS = 250;
/** How many requests start before the event loop serves the replies of those that run. */
const STARTS_PER_LOOP = 8;
/** Every fourth start goes to the lowest rank that waits, so that no rank waits without end. */
const STARTS_BY_RANK = 3;
/** Requests to /health have places of their own, so that the answer does not wait for the database. */
const HEALTH_PLACES = 4;
/**
 * How many lists and statements a partner runs at once: alone, and beside other partners. Each costs as much
 * as a dozen orders. Beside others, a pause of REST times its duration follows each while the partner has
 * more requests, so that a flood of lists takes at most a quarter of the time.
 */
const HEAVY: Partial<Record<Rank, { readonly alone: number; readonly beside: number }>> = {
  [RANK.list]: { alone: 4, beside: 1 },
  [RANK.statement]: { alone: 4, beside: 2 },
};
const REST = 3;
/** A partner counts as alone when no other partner has had a request for this long. */
const COMPANY_MS = 1000;
/** The places follow the latency of these. Others depend on what they read. */
const SAMPLED: ReadonlySet<Rank> = new Set([RANK.order, RANK.quote]);

interface Line {
  readonly name: string;
  waiting: number;
  running: number;
  readonly runningBy: number[];
  /** When the pause of each rank ends. */
  readonly restsUntilMs: number[];
  /** How many quotes started in the last second, as an exponential mean, and when it was computed. */
  quotes: number;
  quotesAtMs: number;
}

interface Waiter {
  readonly line: Line;
  readonly rank: Rank;
  readonly visitor: Visitor;
  readonly arrivedMs: number;
  startedMs: number;
  state: "waiting" | "running" | "ended";
}

export function createTurns(places: Places, monotonicMs: () => number): Turns {
  const lines = new Map<string, Line>();
  /** The requests that wait, by rank and line. The line that started last is the last. */
  const queues = Array.from({ length: RANKS }, () => new Map<Line, Waiter[]>());
  let [waiting, waitingOrders, running, health] = [0, 0, 0, 0];
  let [starts, startsOfLoop] = [0, 0];
  let aloneFromMs = 0;
  /** Since when quotes wait without a break. */
  let quotesWaitFromMs = 0;
  let check: ReturnType<typeof setTimeout> | undefined;

  const mayRun = ({ running: own, runningBy, restsUntilMs }: Line, rank: Rank): boolean => {
    if (rank === RANK.health) return health < HEALTH_PLACES;
    const limit = places.limit();
    // One partner may have taken all places while it was alone. A partner of which nothing runs does not wait
    // until the first of them is free.
    if (running >= (own === 0 ? limit + (limit >> 2) : limit)) return false;
    const isAlone = lines.size === 1 && monotonicMs() >= aloneFromMs;
    if (!isAlone && own >= limit >> 1) return false;
    const heavy = HEAVY[rank];
    if (!heavy) return true;
    if (!isAlone && monotonicMs() < (restsUntilMs[rank] ?? 0)) return false;
    return (runningBy[rank] ?? 0) < heavy[isAlone ? "alone" : "beside"];
  };

  const start = (waiter: Waiter, waits: boolean): void => {
    const { line, rank, visitor } = waiter;
    if (startsOfLoop++ === 0) setImmediate(nextLoop);
    starts++;
    if (rank === RANK.health) health++;
    else running++;
    line.running++;
    line.runningBy[rank] = (line.runningBy[rank] ?? 0) + 1;
    waiter.startedMs = waits ? monotonicMs() : waiter.arrivedMs;
    if (rank === RANK.quote) {
      line.quotes = quotesOf(line, waiter.startedMs) + 1;
      line.quotesAtMs = waiter.startedMs;
    }
    waiter.state = "running";
    visitor.start(waiter.startedMs - waiter.arrivedMs);
  };

  const takeNext = (): Waiter | undefined => {
    const lowestFirst = starts % (STARTS_BY_RANK + 1) === STARTS_BY_RANK;
    for (let n = 0; n < RANKS; n++) {
      const rank = (lowestFirst ? RANKS - 1 - n : n) as Rank;
      for (const [line, queue] of queues[rank]!) {
        if (!mayRun(line, rank)) continue;
        const waiter = queue[0]!;
        remove(waiter);
        if (queue.length > 0) {
          queues[rank]!.delete(line);
          queues[rank]!.set(line, queue);
        }
        return waiter;
      }
    }
    return undefined;
  };

  const advance = (): void => {
    while (waiting > 0 && startsOfLoop < STARTS_PER_LOOP) {
      const next = takeNext();
      if (!next) return;
      start(next, true);
    }
  };
  const nextLoop = (): void => {
    startsOfLoop = 0;
    if (queues[RANK.quote]!.size > 0) refuseLate(RANK.quote);
    advance();
  };

  const enqueue = (waiter: Waiter): void => {
    const { line, rank } = waiter;
    if (rank === RANK.quote && queues[rank]!.size === 0) quotesWaitFromMs = waiter.arrivedMs;
    const queue = queues[rank]!.get(line);
    if (queue) queue.push(waiter);
    else queues[rank]!.set(line, [waiter]);
    line.waiting++;
    waiting++;
    if (rank === RANK.order) waitingOrders++;
    check ??= setTimeout(refuseAllLate, CHECK_MS).unref();
  };
  const remove = (waiter: Waiter): void => {
    const { line, rank } = waiter;
    const queue = queues[rank]!.get(line)!;
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) queues[rank]!.delete(line);
    line.waiting--;
    waiting--;
    if (rank === RANK.order) waitingOrders--;
  };
  const forgetIdle = (line: Line): void => {
    if (line.waiting > 0 || line.running > 0) return;
    if (lines.size > 1) aloneFromMs = monotonicMs() + COMPANY_MS;
    lines.delete(line.name);
  };
  const refuse = (waiter: Waiter, refusal: TurnRefusal): void => {
    remove(waiter);
    waiter.state = "ended";
    forgetIdle(waiter.line);
    waiter.visitor.refuse(refusal, quotesOf(waiter.line, monotonicMs()));
  };

  /** Refuses requests that waited for at least `maxMs`, but leaves `keep` requests in each line. */
  const refuseOlder = (rank: Rank, maxMs: number, keep = 0): void => {
    const latest = monotonicMs() - maxMs;
    for (const queue of queues[rank]!.values()) {
      while (queue.length > keep && queue[0]!.arrivedMs <= latest) refuse(queue[0]!, "overloaded");
    }
  };
  const refuseLate = (rank: Rank): void => {
    refuseOlder(rank, WAIT_MAX_MS[rank]!);
    if (rank !== RANK.quote || monotonicMs() - quotesWaitFromMs <= OVERLOAD_MS) return;
    // The first of each line has its turn soon. A partner with few requests has no other.
    refuseOlder(rank, OVERLOAD_WAIT_MAX_MS, 1);
  };
  const refuseAllLate = (): void => {
    check = undefined;
    for (let rank = 0; rank < RANKS; rank++) refuseLate(rank as Rank);
    if (waiting > 0) check = setTimeout(refuseAllLate, CHECK_MS).unref();
  };

  /**
   * Refuses one waiting request, and returns false if there is none that may be refused. Looks at the longest
   * line first, and there at the newest request of the lowest rank. In a line that is longer than the new
   * request's own, it may be any request but an order. In one as long, its rank must be lower than `rank`. A
   * shorter line loses nothing.
   */
  const makeRoom = (crowded: readonly Line[], line: Line, rank: Rank): boolean => {
    for (const candidate of crowded) {
      if (candidate.waiting < line.waiting) break;
      const firstRank = candidate.waiting > line.waiting ? Math.min(rank, RANK.health) : rank + 1;
      for (let victimRank = RANKS - 1; victimRank >= firstRank; victimRank--) {
        const newest = queues[victimRank]!.get(candidate)?.at(-1);
        if (newest) {
          refuse(newest, reasonOf(candidate));
          return true;
        }
      }
    }
    return false;
  };
  /** The lines that have to make room for one more request of `line`, the longest first. */
  const crowdedLines = (line: Line, rank: Rank): Line[] => {
    if (line.waiting >= LINE_MAX) return [line];
    return rank === RANK.order || waiting - waitingOrders < WAITING_MAX
      ? []
      : [...lines.values()].sort((a, b) => b.waiting - a.waiting);
  };

  const leave = (waiter: Waiter): void => {
    const { line, rank, state, startedMs } = waiter;
    if (state === "ended") return;
    waiter.state = "ended";
    if (state === "waiting") remove(waiter);
    else {
      const endedMs = monotonicMs();
      const ranMs = endedMs - startedMs;
      if (SAMPLED.has(rank)) places.sample(ranMs, running);
      if (HEAVY[rank]) {
        line.restsUntilMs[rank] = Math.max(line.restsUntilMs[rank] ?? 0, endedMs + REST * ranMs);
        // Nothing else may happen when the pause ends. A timer may run a millisecond early.
        setTimeout(advance, Math.ceil(REST * ranMs) + 1).unref();
      }
      if (rank === RANK.health) health--;
      else running--;
      line.running--;
      line.runningBy[rank]!--;
    }
    forgetIdle(line);
    advance();
  };

  return {
    arrive(name, rank, visitor) {
      let line = lines.get(name);
      if (!line) lines.set(name, line = newLine(name));
      const waiter: Waiter = {
        line,
        rank,
        visitor,
        arrivedMs: monotonicMs(),
        startedMs: 0,
        state: "waiting",
      };
      const isNext = rank === RANK.health || waiting === 0 && startsOfLoop < STARTS_PER_LOOP;
      if (isNext && mayRun(line, rank)) {
        start(waiter, false);
        return () => leave(waiter);
      }
      const crowded = crowdedLines(line, rank);
      if (crowded.length > 0 && !makeRoom(crowded, line, rank)) {
        waiter.state = "ended";
        const refusal = reasonOf(line);
        forgetIdle(line);
        visitor.refuse(refusal, quotesOf(line, waiter.arrivedMs));
      } else {
        // makeRoom() forgets the line if it refuses the only request of the line.
        lines.set(name, line);
        enqueue(waiter);
        advance();
      }
      return () => leave(waiter);
    },
    waiting: () => waiting,
    running: () => running + health,
  };
}

const newLine = (name: string): Line => ({
  name,
  waiting: 0,
  running: 0,
  runningBy: [],
  restsUntilMs: [],
  quotes: 0,
  quotesAtMs: 0,
});

const quotesOf = ({ quotes, quotesAtMs }: Line, nowMs: number): number =>
  quotes * Math.exp((quotesAtMs - nowMs) / 1000);

const reasonOf = (crowded: Line): TurnRefusal => crowded.waiting >= LINE_MAX ? "too_many" : "overloaded";
