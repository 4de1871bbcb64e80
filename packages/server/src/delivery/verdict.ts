import type { RetrySchedule } from "../settings/retry_schedule.ts";
import type { Attempt } from "./send/sender.ts";

/** What an attempt means for its event and for its endpoint. */
export interface Verdict {
  /**
   * delivered: a 2xx answer. disabled: 410 from an endpoint that was enabled. refused: any other answer.
   * failed: no answer.
   */
  readonly outcome: "delivered" | "refused" | "failed" | "disabled";
  /** Milliseconds until the next attempt; null if the event was delivered or is parked. */
  readonly againInMs: number | null;
  /** The pause that the receiver asked for, in milliseconds; 0 if it asked for none. */
  readonly restMs: number;
}

export interface Tried {
  /** How often the event was tried before. A redelivery or a replay starts again at 0. */
  readonly tries: number;
  /**
   * Whether the endpoint was already disabled when the event was sent. Only tests are sent to a disabled
   * endpoint.
   */
  readonly disabled: boolean;
}

const JITTER = 0.2;
const PAUSE_MAX_SECONDS = 3600;
const GONE = 410;
const OVERLOADED = [429, 503];

/**
 * Decides what an attempt means for its event and its endpoint. `random` returns a number from 0 to 1. It
 * varies the wait, so that events that failed together are not retried together.
 */
export function evaluateAttempt(
  { httpStatus, retryAfterSeconds }: Attempt,
  { tries, disabled }: Tried,
  schedule: RetrySchedule,
  random: () => number,
): Verdict {
  if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) {
    return { outcome: "delivered", againInMs: null, restMs: 0 };
  }
  const pauseSeconds = OVERLOADED.includes(httpStatus ?? 0) ? retryAfterSeconds ?? 0 : 0;
  const restMs = Math.min(pauseSeconds, PAUSE_MAX_SECONDS) * 1000;
  // A 410 that disables the endpoint never parks the event. The event waits until the endpoint is enabled
  // again. A test that gets 410 from a disabled endpoint can be parked.
  const disables = httpStatus === GONE && !disabled;
  const waitSeconds = schedule[tries] ?? (disables ? schedule.at(-1) : undefined);
  return {
    outcome: disables ? "disabled" : httpStatus === null ? "failed" : "refused",
    againInMs: waitSeconds === undefined
      ? null
      : Math.max(restMs, Math.round(waitSeconds * 1000 * (1 + JITTER * (2 * random() - 1)))),
    restMs,
  };
}
