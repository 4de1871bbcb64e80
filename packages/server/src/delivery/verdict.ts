import type { RetrySchedule } from "./retry_schedule.ts";
import type { Attempt } from "./send/sender.ts";

/** What an attempt means: for its event, and for the endpoint that it went to. */
export interface Verdict {
  /** It arrived; the receiver answered otherwise; nothing was answered; the receiver wants nothing any more. */
  readonly outcome: "delivered" | "refused" | "failed" | "disabled";
  /** When the event is tried again; null where it was delivered or is parked. */
  readonly againInMs: number | null;
  /** For how long the receiver asked that nothing be sent. */
  readonly restMs: number;
}

export interface Tried {
  /** How often the event was tried before. */
  readonly tries: number;
  /** Whether the endpoint was disabled when it was sent, as only a test is. */
  readonly disabled: boolean;
}

const JITTER = 0.2;
const ASKED_MAX_SECONDS = 3600;
const GONE = 410;
const OVERLOADED = [429, 503];

/** `random` gives a number from 0 to 1: events that failed together are not tried again together. */
export function judgeAttempt(
  { httpStatus, retryAfterSeconds }: Attempt,
  { tries, disabled }: Tried,
  schedule: RetrySchedule,
  random: () => number,
): Verdict {
  if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) {
    return { outcome: "delivered", againInMs: null, restMs: 0 };
  }
  const asked = OVERLOADED.includes(httpStatus ?? 0) ? retryAfterSeconds ?? 0 : 0;
  const restMs = Math.min(asked, ASKED_MAX_SECONDS) * 1000;
  // The event is not to blame for an endpoint that goes: it waits until there is one again, however often it was tried. A test is.
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
