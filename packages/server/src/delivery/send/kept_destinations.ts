import type { Destination } from "../../http/outbound/destination.ts";

type FindDestination = (url: string) => Promise<Destination>;

interface Kept {
  readonly destination: Promise<Destination>;
  staleAtMs: number;
}

const KEPT_MS = 10_000;
const FAILURE_KEPT_MS = 1000;
const KEPT_MAX = 4096;

/**
 * Caches each endpoint's checked destination for ten seconds, and a failed check for one second. After that,
 * checks the URL and resolves its name again.
 */
export function keepDestinations(find: FindDestination, monotonicMs: () => number): FindDestination {
  const kept = new Map<string, Kept>();
  return (url) => {
    const known = kept.get(url);
    if (known && monotonicMs() < known.staleAtMs) return known.destination;
    // Keep the promise, so that calls during the lookup wait for the same result.
    const entry: Kept = { destination: find(url), staleAtMs: Infinity };
    kept.delete(url);
    kept.set(url, entry);
    if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
    entry.destination.then(
      () => entry.staleAtMs = monotonicMs() + KEPT_MS,
      () => entry.staleAtMs = monotonicMs() + FAILURE_KEPT_MS,
    );
    return entry.destination;
  };
}
