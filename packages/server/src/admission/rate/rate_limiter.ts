/**
 * A client's limit: a sustained rate of requests a second, and a burst that is allowed at once after a pause.
 */
export interface RateTerms {
  /** More than 0. A partner's rate is whole; what one process grants of it need not be. */
  readonly perSecond: number;
  /** Whole, at least 1. */
  readonly burst: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** How many more requests would be allowed at this instant. */
  readonly remaining: number;
  /** Whole seconds until `remaining` has grown by at least one. */
  readonly resetSeconds: number;
}

/** `Client` identifies what a limit applies to: a partner's number, or a certificate's fingerprint. */
export interface RateLimiter<Client = number> {
  /** Counts one request. `nowMs` comes from a monotonic clock; only differences matter. */
  take(client: Client, terms: RateTerms, nowMs: number): RateVerdict;
  /**
   * Whether take() refused FLOOD_REFUSALS requests within a second that has not ended, and would refuse
   * another one now. Counts nothing.
   */
  isFlooded(client: Client, terms: RateTerms, nowMs: number): boolean;
  /** How many clients are held in memory. */
  clients(): number;
}

/** A limiter that can also count what other processes granted. */
export interface AdjustableLimiter<Client = number> extends RateLimiter<Client> {
  /**
   * Counts requests that were granted elsewhere. A negative number takes requests back. From now on the debt
   * is paid back at `perSecond`. The next request limits it to its burst.
   */
  add(client: Client, requests: number, perSecond: number, nowMs: number): void;
}

/**
 * The fill of a client's leaky bucket. A request adds a million parts, and each microsecond removes
 * `perSecond` parts. All numbers are therefore integers, and a whole rate causes no rounding error, even when
 * it changes.
 */
interface Debt {
  parts: number;
  atMicros: number;
  /** The rate of the last request. paidAt() uses it. */
  perSecond: number;
  /** When the second began in which refusals are counted. */
  refusedAtMicros: number;
  refusals: number;
  /** From how many refusals in this second on the client is a flood. */
  floodFrom: number;
}

/** A client that adapts to its limit gets fewer refusals than this in a second. */
export const FLOOD_REFUSALS = 50;
/** A flood goes on with this many, because the proxy lets only some of its requests pass to each process. */
const FLOOD_GOES_ON = 10;
const SECOND_MICROS = 1_000_000;
const REQUEST_PARTS = 1_000_000;
const SWEEP_MIN_CLIENTS = 64;
const NO_DEBT = {
  parts: 0,
  perSecond: 1,
  refusedAtMicros: -Infinity,
  refusals: 0,
  floodFrom: FLOOD_REFUSALS,
};

/**
 * GCRA (generic cell rate algorithm) as a continuous leaky bucket per client, in memory. A sweep removes the
 * clients whose bucket is empty.
 */
export function createRateLimiter<Client = number>(): AdjustableLimiter<Client> {
  const debts = new Map<Client, Debt>();
  let sweepAtClients = SWEEP_MIN_CLIENTS;

  const debtOf = (client: Client, nowMicros: number): Debt => {
    let debt = debts.get(client);
    if (!debt) {
      if (debts.size >= sweepAtClients) sweep(nowMicros);
      debts.set(client, debt = { ...NO_DEBT, atMicros: nowMicros });
    }
    return debt;
  };
  // Runs only when the number of clients has doubled, so its cost per request is negligible and memory stays
  // bounded.
  const sweep = (nowMicros: number) => {
    for (const [client, debt] of debts) if (paidAt(debt) <= nowMicros) debts.delete(client);
    sweepAtClients = Math.max(SWEEP_MIN_CLIENTS, 2 * debts.size);
  };

  return {
    take(client, { perSecond, burst }, nowMs) {
      const nowMicros = Math.floor(nowMs * 1000);
      const debt = debtOf(client, nowMicros);
      const most = burst * REQUEST_PARTS;
      // Limit the debt to the new burst, if the burst was lowered.
      const owed = Math.min(owedAt(debt, nowMicros, perSecond), most);
      const allowed = owed + REQUEST_PARTS <= most;
      setDebt(debt, allowed ? owed + REQUEST_PARTS : owed, nowMicros, perSecond);
      if (!allowed) countRefusal(debt, nowMicros);
      const remaining = Math.floor((most - debt.parts) / REQUEST_PARTS);
      return { allowed, remaining, resetSeconds: Math.ceil(1 / perSecond) };
    },
    isFlooded(client, { perSecond, burst }, nowMs) {
      const debt = debts.get(client);
      const nowMicros = Math.floor(nowMs * 1000);
      if (!debt || debt.refusals < debt.floodFrom || !isSameSecond(debt, nowMicros)) return false;
      return owedAt(debt, nowMicros, perSecond) + REQUEST_PARTS > burst * REQUEST_PARTS;
    },
    add(client, requests, perSecond, nowMs) {
      const nowMicros = Math.floor(nowMs * 1000);
      const debt = debtOf(client, nowMicros);
      const owed = owedAt(debt, nowMicros, debt.perSecond) + Math.round(requests * REQUEST_PARTS);
      setDebt(debt, Math.max(0, owed), nowMicros, perSecond);
    },
    clients: () => debts.size,
  };
}

const isSameSecond = ({ refusedAtMicros }: Debt, nowMicros: number): boolean =>
  Math.abs(nowMicros - refusedAtMicros) < SECOND_MICROS;

function setDebt(debt: Debt, parts: number, nowMicros: number, perSecond: number): void {
  debt.parts = parts;
  debt.atMicros = nowMicros;
  debt.perSecond = perSecond;
}

function countRefusal(debt: Debt, nowMicros: number): void {
  if (!isSameSecond(debt, nowMicros)) {
    const wasFlood = debt.refusals >= debt.floodFrom && nowMicros - debt.refusedAtMicros < 2 * SECOND_MICROS;
    debt.floodFrom = wasFlood ? FLOOD_GOES_ON : FLOOD_REFUSALS;
    debt.refusedAtMicros = nowMicros;
    debt.refusals = 0;
  }
  debt.refusals++;
}

/**
 * When the bucket becomes empty, at the rate of the last request. From then on the debt counts as zero, so a
 * sweep can remove the entry without effect on later requests.
 */
const paidAt = ({ parts, atMicros, perSecond }: Debt): number => atMicros + Math.ceil(parts / perSecond);

/**
 * Returns the debt at `nowMicros`. If the clock went back, the debt is unchanged, and take() continues from
 * the new time. So the client does not have to wait until the clock reaches the old time again.
 */
function owedAt(debt: Debt, nowMicros: number, perSecond: number): number {
  if (nowMicros >= paidAt(debt)) return 0;
  const { parts, atMicros } = debt;
  return Math.max(0, Math.ceil(parts - Math.max(0, nowMicros - atMicros) * perSecond));
}
