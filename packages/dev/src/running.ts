import type { Credentials } from "./partner.ts";
import type { State } from "./state.ts";
import type { Listener } from "./story.ts";

export interface StartOptions extends Listener {
  readonly port: number;
  readonly stateDir: string;
  readonly reset: boolean;
  readonly demo: boolean;
  /** The real Envoy in place of the development gateway. */
  readonly envoy?: boolean;
  /** PEM of another authority whose certificates receivers on this machine may have. */
  readonly webhookCa?: string;
  /** What the proxy lets through for one certificate, for a new state; a partner may have a quarter of it. */
  readonly floodPerSecond?: number;
  /** Ends the start between two steps, with everything stopped. */
  readonly signal?: AbortSignal;
}

export interface Running {
  readonly credentials: Credentials;
  readonly baseUrl: string;
  readonly state: State;
  /** When a part of it ends by itself: the sentence that says so. */
  readonly died: Promise<string>;
  stop(): Promise<void>;
}
