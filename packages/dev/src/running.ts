import type { Credentials } from "./partner.ts";
import type { State } from "./state.ts";
import type { Listener } from "./progress.ts";

export interface StartOptions extends Listener {
  readonly port: number;
  readonly stateDir: string;
  readonly reset: boolean;
  readonly demo: boolean;
  /** Starts the real Envoy instead of the development gateway. */
  readonly envoy?: boolean;
  /** Ends the single-operator mode once the demo partner is onboarded. */
  readonly twoPeople?: boolean;
  /** PEM of an additional CA that the service trusts for webhook receivers on this machine. */
  readonly webhookCa?: string;
  /**
   * Requests per second that the proxy lets through for one certificate. Set this limit only with a new
   * state, because a start that skips the migration does not store it in the database. A partner's rate may
   * be at most a quarter of this limit.
   */
  readonly floodPerSecond?: number;
  /** How many batches of each kind of booking may be in flight. Default: the service's own. */
  readonly lanes?: number;
  /** How long the demo waits for each webhook. Default: 15 s. */
  readonly webhookTimeoutMs?: number | undefined;
  /** Called when the start has failed, before the parts that were started are stopped. */
  readonly onFailure?: (error: Error) => void;
  /** Aborts the start between two steps and stops everything that was started. */
  readonly signal?: AbortSignal;
}

export interface Running {
  readonly credentials: Credentials;
  readonly baseUrl: string;
  readonly state: State;
  /** Resolves with an error sentence if a part exits unexpectedly. */
  readonly died: Promise<string>;
  stop(): Promise<void>;
}
