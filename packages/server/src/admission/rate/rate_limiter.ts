/** A client's pace: so many requests a second for as long as it likes, and so many at once after a rest. */
export interface RateTerms {
  /** Whole, at least 1. */
  readonly perSecond: number;
  /** Whole, at least 1. */
  readonly burst: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** How many more would be allowed at this very instant. */
  readonly remaining: number;
  /** Whole seconds until there is room for one more than `remaining`. */
  readonly resetSeconds: number;
}

/** `Client` is whatever a limit applies to: a partner's number, or a certificate's fingerprint. */
export interface RateLimiter<Client = number> {
  /** Counts one request. `nowMs` comes from a monotonic clock; only differences matter. */
  take(client: Client, terms: RateTerms, nowMs: number): RateVerdict;
  /** How many clients it keeps in mind. */
  clients(): number;
}

/**
 * What is still owed for a client's requests. One request is owed a million parts and each microsecond pays back
 * `perSecond` of them, so every number here is whole and none drifts, whatever the rate and however it changes.
 */
interface Debt {
  parts: number;
  atMicros: number;
  /** When the terms that it was made under have paid it back: from then on it is none, remembered or not. */
  paidAtMicros: number;
}

const REQUEST_PARTS = 1_000_000;
/** At one request a second or more, room for the next is never further away than this. */
const RESET_SECONDS = 1;
const SWEEP_MIN_CLIENTS = 64;

/** GCRA as the continuous leaky bucket, one for each client, in memory. A client that owes nothing takes no room. */
export function createRateLimiter<Client = number>(): RateLimiter<Client> {
  const debts = new Map<Client, Debt>();
  let sweepAtClients = SWEEP_MIN_CLIENTS;

  const debtOf = (client: Client, nowMicros: number): Debt => {
    let debt = debts.get(client);
    if (!debt) {
      if (debts.size >= sweepAtClients) sweep(nowMicros);
      debts.set(client, debt = { parts: 0, atMicros: nowMicros, paidAtMicros: nowMicros });
    }
    return debt;
  };
  // Rare enough to cost a request nothing, often enough that clients who have gone do not stay.
  const sweep = (nowMicros: number) => {
    for (const [client, { paidAtMicros }] of debts) if (paidAtMicros <= nowMicros) debts.delete(client);
    sweepAtClients = Math.max(SWEEP_MIN_CLIENTS, 2 * debts.size);
  };

  return {
    take(client, { perSecond, burst }, nowMs) {
      const nowMicros = Math.floor(nowMs * 1000);
      const debt = debtOf(client, nowMicros);
      const most = burst * REQUEST_PARTS;
      // A burst that was lowered is owed whole at most.
      const owed = Math.min(owedAt(debt, nowMicros, perSecond), most);
      const allowed = owed + REQUEST_PARTS <= most;
      debt.parts = allowed ? owed + REQUEST_PARTS : owed;
      debt.atMicros = nowMicros;
      debt.paidAtMicros = nowMicros + Math.ceil(debt.parts / perSecond);
      const remaining = Math.floor((most - debt.parts) / REQUEST_PARTS);
      return { allowed, remaining, resetSeconds: RESET_SECONDS };
    },
    clients: () => debts.size,
  };
}

/** A clock that went back pays nothing, and nobody waits for it to catch up. */
function owedAt({ parts, atMicros, paidAtMicros }: Debt, nowMicros: number, perSecond: number): number {
  if (nowMicros >= paidAtMicros) return 0;
  return Math.max(0, parts - Math.max(0, nowMicros - atMicros) * perSecond);
}
