/** The proxy sets this header to the instant at which a request arrived there, in Unix ms. */
export const ARRIVED_HEADER = "x-gold-arrived";

/** The clocks of two machines drift apart slowly, so the difference is measured again and again. */
const WINDOW_MS = 30_000;
/** A longer wait means that a clock was set. */
const MOST_MS = 10_000;

/**
 * Returns a function that tells how long a request has waited in the proxy. On a machine that is overloaded, this is
 * the longest wait of all. The proxy's clock may differ from this one, so the shortest time between both clocks in
 * the last half to whole minute counts as no wait.
 */
export function createProxyWait(clockMs: () => number): (arrived: string | undefined) => number {
  let [leastBefore, least, windowEndsMs] = [Infinity, Infinity, 0];
  return (arrived) => {
    const passedMs = clockMs() - Number(arrived);
    if (!Number.isFinite(passedMs)) return 0;
    if (clockMs() >= windowEndsMs) {
      [leastBefore, least, windowEndsMs] = [least, Infinity, clockMs() + WINDOW_MS];
    }
    least = Math.min(least, passedMs);
    const waitedMs = passedMs - Math.min(least, leastBefore);
    return waitedMs > MOST_MS ? 0 : waitedMs;
  };
}
