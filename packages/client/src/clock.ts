import { TIMESTAMP_WINDOW_SECONDS } from "@gold-partner/protocol";
import type { Failure } from "./failure.ts";

/**
 * Seconds that this machine's clock is ahead of the service's, from a reply's Date header. Negative when it
 * is behind; undefined without a valid Date.
 */
export function offsetSeconds(headers: Headers, nowMs: number): number | undefined {
  const dateMs = Date.parse(headers.get("Date") ?? "");
  // Date has no fractions of a second, so the service's time is on average 500 ms later than Date says.
  return Number.isNaN(dateMs) ? undefined : Math.round((nowMs - dateMs - 500) / 1000);
}

/**
 * Adds the clock's offset to the error text of a timestamp_out_of_window failure. The client does not correct
 * its timestamps by the offset, because the other records of this machine would still have the wrong time.
 */
export function wrongClock(failure: Failure, aheadSeconds: number | undefined): Failure {
  if (failure.code !== "timestamp_out_of_window" || !aheadSeconds) return failure;
  const where = aheadSeconds > 0 ? "ahead of" : "behind";
  const detail =
    `This machine's clock is ${Math.abs(aheadSeconds)} s ${where} the service's, and signed requests are ` +
    `accepted within ${TIMESTAMP_WINDOW_SECONDS} s. Set the clock (NTP), then repeat the call.`;
  return { ...failure, detail };
}
