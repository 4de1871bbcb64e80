import type { AdjustableLimiter, RateLimiter, RateTerms } from "./rate_limiter.ts";

/** What partners asked of one process since its last exchange, by the partner's number. */
export type RateUses = Readonly<Record<string, RateUse>>;
/** The partner's rate, how many requests a second it made, at most its rate, and how many were granted. */
type RateUse = readonly [rate: number, asked: number, granted: number];

/** Stores what this process was asked, and returns what the other processes stored. */
export type ShareRates = (uses: RateUses) => Promise<readonly RateUses[]>;

export interface SharedRates extends RateLimiter {
  /** Exchanges now. Fails if the database is unreachable. */
  exchange(): Promise<void>;
  stop(): void;
}

/** Two processes notice each other's requests after two exchanges, so within about a second. */
const EXCHANGE_MS = 500;
/**
 * Between two exchanges, a smaller difference for each other process is chance. Counting it would let a
 * partner with a small burst exceed its rate, because nothing beyond the burst is remembered.
 */
const CHANCE = 3;

/**
 * Limits each partner's rate over all processes together. Twice a second, the processes exchange what they
 * were asked and what they granted, and each counts what the others granted. While a partner asks for no more
 * than its rate in all, each process grants all of it, so a partner may send its requests to any process.
 * When it asks for more, each process grants the share of the rate that it was asked for. No request waits
 * for an exchange: until the first one, and while the database is away, a process continues with what it
 * knows.
 */
export function openSharedRates(
  limiter: AdjustableLimiter,
  share: ShareRates,
  monotonicMs: () => number,
): SharedRates {
  let counts = new Map<number, { readonly rate: number; asked: number; granted: number }>();
  let countedFromMs = monotonicMs();
  /** What this process grants to the partners that also ask others. */
  let shares: ReadonlyMap<number, RateShare> = new Map();

  const count = (client: number, rate: number, granted: number) => {
    const counted = counts.get(client);
    if (!counted) return void counts.set(client, { rate, asked: 1, granted });
    counted.asked++;
    counted.granted += granted;
  };
  const termsFor = (client: number, terms: RateTerms): RateTerms => {
    const share = shares.get(client);
    // After a change of the rate, the share is one of the old rate, until all processes have exchanged the
    // new one.
    return share && share.perSecond < terms.perSecond ? { ...terms, perSecond: share.perSecond } : terms;
  };
  const exchange = async () => {
    const nowMs = monotonicMs();
    const seconds = Math.max(1, nowMs - countedFromMs) / 1000;
    const own: Record<string, RateUse> = {};
    for (const [client, { rate, asked, granted }] of counts) {
      own[client] = [rate, Math.min(asked / seconds, rate), granted];
    }
    counts = new Map();
    countedFromMs = nowMs;
    const processes = await share(own);
    const others = sumUses(processes);
    const chance = CHANCE * Math.max(1, processes.length);
    const next = new Map<number, RateShare>();
    for (const client of new Set([...shares.keys(), ...others.keys()])) {
      const before = shares.get(client);
      const [rate, asked, granted] = others.get(client) ?? [before!.rate, 0, 0];
      const share = shareOf(rate, own[client]?.[1] ?? 0, asked);
      // Until now, this process expected the others to grant what it does not grant itself.
      const expected = before ? (before.rate - before.perSecond) * seconds : 0;
      const more = granted - expected;
      limiter.add(client, Math.abs(more) < chance ? 0 : more, share.perSecond, monotonicMs());
      if (asked > 0) next.set(client, share);
    }
    shares = next;
  };
  let exchanging: Promise<void> | undefined;
  const timer = setInterval(() => {
    exchanging ??= exchange().catch(() => {}).finally(() => exchanging = undefined);
  }, EXCHANGE_MS);

  return {
    take(client, terms, nowMs) {
      const verdict = limiter.take(client, termsFor(client, terms), nowMs);
      count(client, terms.perSecond, verdict.allowed ? 1 : 0);
      return verdict;
    },
    isFlooded(client, terms, nowMs) {
      const isFlooded = limiter.isFlooded(client, termsFor(client, terms), nowMs);
      // The request is refused here, so take() does not count it.
      if (isFlooded) count(client, terms.perSecond, 0);
      return isFlooded;
    },
    clients: () => limiter.clients(),
    exchange,
    stop: () => clearInterval(timer),
  };
}

/** What one process grants, of the partner's whole rate. */
interface RateShare {
  readonly rate: number;
  readonly perSecond: number;
}

/**
 * Divides the rate by what this process and the others were asked. A process that was asked nothing counts as
 * one request a second, because a share of 0 would never be paid back.
 */
function shareOf(rate: number, own: number, others: number): RateShare {
  const asked = Math.max(own, 1);
  return { rate, perSecond: asked + others <= rate ? rate : rate * asked / (asked + others) };
}

function sumUses(processes: readonly RateUses[]): ReadonlyMap<number, RateUse> {
  const sums = new Map<number, RateUse>();
  for (const [name, [rate, asked, granted]] of processes.flatMap((uses) => Object.entries(uses))) {
    const [, askedBefore, grantedBefore] = sums.get(Number(name)) ?? [rate, 0, 0];
    sums.set(Number(name), [rate, askedBefore + asked, grantedBefore + granted]);
  }
  return sums;
}
