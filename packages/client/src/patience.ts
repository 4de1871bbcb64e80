import { setMaxListeners } from "node:events";
import { GoldError } from "./gold_error.ts";

const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 10_000;

/** Before the next try: what the service asks for, or twice as long each time; by chance, so that not all come back at once. */
export function pauseMs(tries: number, retryAfterMs: number | undefined, random: () => number): number {
  const most = Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
  return retryAfterMs === undefined ? random() * most : retryAfterMs + random() * FIRST_PAUSE_MS;
}

/** Retry-After in milliseconds, given in seconds or as a date. */
export function readRetryAfter({ headers }: { readonly headers: Headers }): number | undefined {
  const text = headers.get("Retry-After")?.trim() ?? "";
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  // Both are the service's, so this machine's clock may be wrong.
  const ms = Date.parse(text) - Date.parse(headers.get("Date") ?? "");
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Lets `act` take so long and no longer, and no longer than the caller waits. */
export async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const stop = () =>
    ending.abort(new GoldError("aborted", "The caller's signal ended the call.", { cause: signal?.reason }));
  const giveUp = () =>
    ending.abort(
      new GoldError("timed_out", `No reply came within ${Math.round(ms)} ms.`, { retryable: true }),
    );
  const timer = setTimeout(giveUp, ms);
  // One signal may end any number of calls, of which Node would warn.
  if (signal) setMaxListeners(0, signal);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    if (signal?.aborted) stop();
    ending.signal.throwIfAborted();
    const ended = new Promise<never>((_, reject) => {
      ending.signal.addEventListener("abort", () => reject(ending.signal.reason as Error), { once: true });
    });
    // Not every transport ends upon the signal.
    return await Promise.race([ended, act(ending.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Throws where the caller does not wait for its end. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const timed = within(ms, signal, () => new Promise<never>(() => {}));
  await timed.catch((error: GoldError) => {
    if (error.code !== "timed_out") throw error;
  });
}
