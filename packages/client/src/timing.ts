import { setMaxListeners } from "node:events";
import { GoldError } from "./gold_error.ts";

const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 10_000;

/**
 * Milliseconds before the next try: Retry-After and up to 200 ms more. Without Retry-After it is a random
 * time below a limit that doubles from 200 ms to 10 s. The random part keeps clients from coming back at the
 * same moment.
 */
export function pauseMs(tries: number, retryAfterMs: number | undefined, random: () => number): number {
  const most = Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
  return retryAfterMs === undefined ? random() * most : retryAfterMs + random() * FIRST_PAUSE_MS;
}

/** Reads Retry-After, which holds seconds or an HTTP date. Returns milliseconds. */
export function readRetryAfter({ headers }: { readonly headers: Headers }): number | undefined {
  const text = headers.get("Retry-After")?.trim() ?? "";
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  // Both dates come from the service, so a wrong clock on this machine does not matter.
  const ms = Date.parse(text) - Date.parse(headers.get("Date") ?? "");
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/**
 * Runs `act` for at most `ms`. Throws `timed_out` after that, and `aborted` when the caller's signal aborts.
 */
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
  // One signal may end any number of calls. Node would warn about so many listeners.
  if (signal) setMaxListeners(0, signal);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    if (signal?.aborted) stop();
    ending.signal.throwIfAborted();
    const ended = new Promise<never>((_, reject) => {
      ending.signal.addEventListener("abort", () => reject(ending.signal.reason as Error), { once: true });
    });
    // A transport may ignore the signal. The race ends the wait anyway.
    return await Promise.race([ended, act(ending.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Waits for `ms`. Throws `aborted` when the caller's signal aborts before that. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const timed = within(ms, signal, () => new Promise<never>(() => {}));
  await timed.catch((error: GoldError) => {
    if (error.code !== "timed_out") throw error;
  });
}
