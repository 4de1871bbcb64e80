import { TIMESTAMP_WINDOW_SECONDS } from "@gold-partner/protocol";
import type { Failure } from "./failure.ts";

/** How far this machine's clock is ahead of the service's, whose replies tell the second. */
export function offsetSeconds(headers: Headers, nowMs: number): number | undefined {
  const dateMs = Date.parse(headers.get("Date") ?? "");
  // On average half of the second that it tells is over.
  return Number.isNaN(dateMs) ? undefined : Math.round((nowMs - dateMs - 500) / 1000);
}

/** A clock that is wrong is named and not worked around: it would be wrong for its owner's records, too. */
export function wrongClock(failure: Failure, aheadSeconds: number | undefined): Failure {
  if (failure.code !== "timestamp_out_of_window" || !aheadSeconds) return failure;
  const where = aheadSeconds > 0 ? "ahead of" : "behind";
  const detail =
    `This machine's clock is ${Math.abs(aheadSeconds)} s ${where} the service's, and signed requests are ` +
    `accepted within ${TIMESTAMP_WINDOW_SECONDS} s. Set the clock (NTP), then repeat the call.`;
  return { ...failure, detail };
}
