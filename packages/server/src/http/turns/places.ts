/**
 * Limits how many requests run at once, by their latency: Gradient2 of Netflix's concurrency-limits. While
 * requests take longer than they usually do, the limit shrinks; otherwise it grows.
 */
export interface Places {
  limit(): number;
  /** Reports how long a request ran, and how many ran when it ended. */
  sample(ms: number, running: number): void;
}

const FIRST = 64;
/** With fewer orders in flight, the batches are so small that an order costs up to twice the CPU. */
const LEAST = 32;
const MOST = 256;
/** How many requests one step looks at. Their mean is the step's latency. */
const SAMPLES = 32;
/** The usual latency is the exponential mean of about this many steps. */
const USUAL_STEPS = 200;
/** The limit shrinks only above this multiple of the usual latency. */
const TOLERANCE = 1.5;
/** How much of each step's new limit is taken. */
const SMOOTHING = 0.2;
/** The limit grows by the square root of itself, so that a queue of this size is tolerated. */
const growth = Math.sqrt;

export function createPlaces(): Places {
  let limit = FIRST;
  let usualMs = 0;
  let [count, sumMs, mostRunning] = [0, 0, 0];

  const step = (meanMs: number): void => {
    usualMs = usualMs === 0 ? meanMs : usualMs + (meanMs - usualMs) * 2 / (USUAL_STEPS + 1);
    // After a phase of long latencies, return to the shorter ones faster than the mean does.
    if (usualMs > 2 * meanMs) usualMs *= 0.95;
    // A process that did not use its places has learned nothing about their limit.
    if (mostRunning < limit / 2) return;
    const gradient = Math.max(0.5, Math.min(1, TOLERANCE * usualMs / meanMs));
    const next = limit * gradient + growth(limit);
    limit = Math.max(LEAST, Math.min(MOST, limit + (next - limit) * SMOOTHING));
  };

  return {
    limit: () => Math.floor(limit),
    sample(ms, running) {
      count++;
      sumMs += ms;
      mostRunning = Math.max(mostRunning, running);
      if (count < SAMPLES) return;
      step(sumMs / count);
      count = sumMs = mostRunning = 0;
    },
  };
}
