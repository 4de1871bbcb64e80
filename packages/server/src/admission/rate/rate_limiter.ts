/**
 * A client's limit: a sustained rate of requests a second, and a burst that is allowed at once after a pause.
 */
export interface RateTerms {
  /** Whole, at least 1. */
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
  /** How many clients are held in memory. */
  clients(): number;
}

/**
 * The fill of a client's leaky bucket. A request adds a million parts, and each microsecond removes
 * `perSecond` parts. All numbers are therefore integers and cause no rounding error, even when the rate
 * changes.
 */
interface Debt {
  parts: number;
  atMicros: number;
  /**
   * The time at which the bucket becomes empty, at the rate of the last request. From then on the debt counts
   * as zero, so a sweep can remove the entry without effect on later requests.
   */
  paidAtMicros: number;
}

const REQUEST_PARTS = 1_000_000;
/** The longest wait for the next request, because every rate is at least one request a second. */
const RESET_SECONDS = 1;
const SWEEP_MIN_CLIENTS = 64;

/**
 * GCRA (generic cell rate algorithm) as a continuous leaky bucket per client, in memory. A sweep removes the
 * clients whose bucket is empty.
 */
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
  // Runs only when the number of clients has doubled, so its cost per request is negligible and memory stays
  // bounded.
  const sweep = (nowMicros: number) => {
    for (const [client, { paidAtMicros }] of debts) if (paidAtMicros <= nowMicros) debts.delete(client);
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
      debt.parts = allowed ? owed + REQUEST_PARTS : owed;
      debt.atMicros = nowMicros;
      debt.paidAtMicros = nowMicros + Math.ceil(debt.parts / perSecond);
      const remaining = Math.floor((most - debt.parts) / REQUEST_PARTS);
      return { allowed, remaining, resetSeconds: RESET_SECONDS };
    },
    clients: () => debts.size,
  };
}

/**
 * Returns the debt at `nowMicros`. If the clock went back, the debt is unchanged, and take() continues from
 * the new time. So the client does not have to wait until the clock reaches the old time again.
 */
function owedAt({ parts, atMicros, paidAtMicros }: Debt, nowMicros: number, perSecond: number): number {
  if (nowMicros >= paidAtMicros) return 0;
  return Math.max(0, parts - Math.max(0, nowMicros - atMicros) * perSecond);
}
