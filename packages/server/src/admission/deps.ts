import type { ProblemCode } from "@gold-partner/protocol";
import type { Config } from "../settings/config.ts";
import type { ClockAlarm } from "../operations/clock_alarm.ts";
import type { Log } from "../operations/log.ts";
import type { RefusalLines } from "../operations/refusal_lines.ts";
import type { Metrics } from "../operations/metrics.ts";
import type { RateLimiter } from "./rate/rate_limiter.ts";
import type { Registry } from "./registry/registry.ts";
import type { TokenAuthority } from "./token/token_authority.ts";
import type { UsageRecorder } from "./usage/usage_recorder.ts";

interface SimulatedFailure {
  readonly kind: string;
  readonly code: ProblemCode | null;
  readonly seconds: number | null;
}

/** The dependencies of admission. Time and randomness come only from here. */
export interface AdmissionDeps {
  readonly config: Config;
  readonly registry: Registry;
  readonly tokens: TokenAuthority;
  readonly limiter: RateLimiter;
  /** Counts failed authentications by the certificate's fingerprint. */
  readonly failures: RateLimiter<string>;
  readonly usage: UsageRecorder;
  /** Takes one failure that a partner of the sandbox asked for. `codes` are those that the operation documents. */
  readonly booking: {
    takeFailure(client: number, codes: readonly string[]): Promise<SimulatedFailure | null>;
  };
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
