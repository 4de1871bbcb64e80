import type { Booking } from "./booking/booking.ts";
import type { Registry } from "./admission/registry/registry.ts";
import type { Config } from "./config.ts";
import type { Log } from "./operations/log.ts";
import type { Metrics } from "./operations/metrics.ts";
import type { TokenAuthority } from "./admission/token/token_authority.ts";
import type { Reads } from "./reads.ts";

/** What the app is made of. Time, randomness and the database come in here and nowhere else. */
export interface Deps {
  readonly config: Config;
  readonly registry: Registry;
  readonly tokens: TokenAuthority;
  readonly booking: Booking;
  readonly reads: Reads;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Milliseconds by the database's time. */
  now(): number;
  random(length: number): Uint8Array;
  pepper: Uint8Array;
}
