import type { Booking } from "./booking/booking.ts";
import type { RateLimiter } from "./admission/rate/rate_limiter.ts";
import type { Registry } from "./admission/registry/registry.ts";
import type { Config } from "./config.ts";
import type { ClockAlarm } from "./operations/clock_alarm.ts";
import type { WriteProbe } from "./database/write_probe.ts";
import type { Log } from "./operations/log.ts";
import type { RefusalLines } from "./operations/refusal_lines.ts";
import type { Metrics } from "./operations/metrics.ts";
import type { TokenAuthority } from "./admission/token/token_authority.ts";
import type { UsageRecorder } from "./admission/usage/usage_recorder.ts";
import type { Reads } from "./reads/reads.ts";

/** The dependencies of the app. Time, randomness and the database come only from here. */
export interface Deps {
  readonly config: Config;
  readonly registry: Registry;
  readonly tokens: TokenAuthority;
  readonly limiter: RateLimiter;
  /** Counts failed authentications by the certificate's fingerprint. */
  readonly failures: RateLimiter<string>;
  readonly usage: UsageRecorder;
  readonly booking: Booking;
  readonly reads: Reads;
  readonly writes: WriteProbe;
  readonly log: Log;
  readonly refusalLines: RefusalLines;
  readonly metrics: Metrics;
  readonly clockAlarm: ClockAlarm;
  /** The current time in milliseconds, by the database's clock. */
  now(): number;
  /** Milliseconds of a clock that never jumps, unlike the database's clock. Use it only for durations. */
  monotonicMs(): number;
  random(length: number): Uint8Array;
  pepper: Uint8Array;
}
