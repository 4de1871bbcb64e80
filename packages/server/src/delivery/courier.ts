import { setTimeout as sleep } from "node:timers/promises";
import { ID_PREFIX, signWebhook } from "@gold-partner/protocol";
import type { Disturbance, DisturbanceOf } from "./disturb_webhooks.ts";
import type { HeldEndpoint, OpenSecret, Waiting } from "./held_endpoint.ts";
import type { RetrySchedule } from "../settings/retry_schedule.ts";
import type { Attempt, Sender } from "./send/sender.ts";
import type { Settlement } from "./settlement.ts";
import { TurnOrder } from "./turn_order.ts";
import { evaluateAttempt, type Verdict } from "./verdict.ts";

export interface CourierParts {
  readonly sender: Pick<Sender, "post">;
  readonly schedule: RetrySchedule;
  /** Unix milliseconds by the database's clock. */
  readonly now: () => number;
  readonly monotonicMs: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly report: CourierReport;
  /**
   * Returns the unusual delivery that the event's partner has simulated for its first attempt: a delay, a
   * second send, or another signing secret. Returns undefined for a usual delivery, and always in production.
   */
  readonly disturbanceOf?: DisturbanceOf;
}

interface EndedAttempt {
  readonly event: Waiting;
  readonly attempt: Attempt;
  readonly verdict: Verdict;
  /** The endpoint's number of failures in a row, not counting this attempt. */
  readonly failuresBefore: number;
}

/** Callbacks for logs, metrics and the last-use dates of webhook secrets. */
export interface CourierReport {
  readonly onAttempt: (endpoint: HeldEndpoint, ended: EndedAttempt) => void;
  readonly onSigned: (partner: number, secrets: readonly OpenSecret[], atMs: number) => void;
  /**
   * Called in two cases: signing or sending threw an error, which is a bug; or the database permanently
   * refused an endpoint's events or attempts.
   */
  readonly onBroken: (endpoint: HeldEndpoint, error: unknown) => void;
}

interface CourierListener {
  /** An attempt has started, so the endpoint has room for another event. */
  readonly onBegun: (endpoint: HeldEndpoint) => void;
  readonly onEnded: (endpoint: HeldEndpoint) => void;
}

/**
 * The maximum number of attempts that are in flight or whose results are not stored yet. At this number
 * nothing more is sent, so that results do not pile up while the database is unavailable.
 */
const UNSETTLED_MAX = 4096;
/**
 * How long an endpoint rests after a 410. The worker releases it at once, because a resting endpoint is idle.
 * After the rest, the endpoint gets only tests.
 */
const GONE_REST_MS = 1000;
const BROKEN: Attempt = {
  durationMs: 0,
  httpStatus: null,
  error: null,
  answer: null,
  retryAfterSeconds: null,
};

/** An attempt in flight. TurnOrder needs `place` to stop counting the attempt when it ends. */
interface Turn {
  readonly endpoint: HeldEndpoint;
  readonly event: Waiting;
  readonly beganMs: number;
  readonly place: ReturnType<TurnOrder["begin"]>;
}

/** Sends queued events, taking turns between the endpoints, and gives each result to the settlement. */
export class Courier {
  readonly #parts: CourierParts;
  readonly #settlement: Settlement;
  readonly #listener: CourierListener;
  readonly #turns = new TurnOrder();
  #onQuiet: (() => void) | undefined;

  constructor(parts: CourierParts, settlement: Settlement, listener: CourierListener) {
    this.#parts = parts;
    this.#settlement = settlement;
    this.#listener = listener;
  }

  get inFlight(): number {
    return this.#turns.inFlight;
  }

  /** Must be called whenever the endpoint may have an event to send. */
  offer(endpoint: HeldEndpoint): void {
    this.#turns.offer(endpoint, this.#parts.monotonicMs());
  }

  pump(): void {
    const nowMs = this.#parts.monotonicMs();
    while (this.#settlement.unsettled + this.inFlight < UNSETTLED_MAX) {
      const endpoint = this.#turns.next(nowMs);
      if (!endpoint) return;
      this.#send(endpoint, nowMs);
      this.#turns.offer(endpoint, nowMs);
      this.#listener.onBegun(endpoint);
    }
  }

  /** Resolves when no attempt is in flight. */
  async quiet(): Promise<void> {
    if (this.inFlight > 0) await new Promise<void>((resolve) => this.#onQuiet = resolve);
  }

  #send(endpoint: HeldEndpoint, beganMs: number): void {
    // Without an active secret, next() returns no event and nothing is sent. The next heartbeat then loads
    // newer secrets, or lets the endpoint rest.
    endpoint.dropRetired(this.#parts.now());
    const event = endpoint.next(beganMs);
    if (!event) return;
    const turn = { endpoint, event, beganMs, place: this.#turns.begin(endpoint) };
    const disturbance = this.#parts.disturbanceOf?.(endpoint.partner, event);
    if (!disturbance?.waitMs) return this.#attempt(turn, disturbance);
    void sleep(disturbance.waitMs, undefined, { ref: false }).then(() => this.#attempt(turn, disturbance));
  }

  #attempt(turn: Turn, disturbance: Disturbance | undefined): void {
    const { endpoint, event, beganMs, place } = turn;
    const attemptedAtMs = this.#parts.now();
    const wasDisabled = endpoint.disabled;
    void this.#post(endpoint, event, attemptedAtMs, disturbance).then((attempt) => {
      const tried = { tries: event.tries, disabled: wasDisabled };
      const verdict = evaluateAttempt(attempt, tried, this.#parts.schedule, this.#parts.random);
      const failuresBefore = endpoint.pace.failures;
      this.#apply(endpoint, verdict, beganMs);
      const { client } = endpoint;
      const { sequence, follows, ticket } = event;
      const { retryAfterSeconds: _, ...recorded } = attempt;
      const { againInMs } = verdict;
      const tries = event.tries + 1;
      this.#settlement.note(endpoint, {
        client,
        sequence,
        follows,
        ticket,
        tries,
        attemptedAtMs,
        ...recorded,
        againInMs,
      });
      this.#parts.report.onAttempt(endpoint, { event, attempt, verdict, failuresBefore });
      if (disturbance?.isSentTwice) return this.#attempt(turn, undefined);
      this.#turns.end(endpoint, place);
      this.offer(endpoint);
      this.#listener.onEnded(endpoint);
      if (this.inFlight === 0) this.#onQuiet?.();
    });
  }

  async #post(
    endpoint: HeldEndpoint,
    { id, body }: Waiting,
    atMs: number,
    disturbance: Disturbance | undefined,
  ): Promise<Attempt> {
    const { partner, url, secrets } = endpoint;
    try {
      const message = { id: ID_PREFIX.event + id, timestamp: Math.floor(atMs / 1000), body };
      const signing = disturbance?.signsWith?.(secrets) ?? secrets.map(({ secret }) => secret);
      const headers = {
        "webhook-id": message.id,
        "webhook-timestamp": `${message.timestamp}`,
        "webhook-signature": signWebhook(message, signing),
      };
      if (!disturbance?.signsWith) this.#parts.report.onSigned(partner, secrets, atMs);
      return await this.#parts.sender.post(url, headers, body);
    } catch (error) {
      this.#parts.report.onBroken(endpoint, error);
      return BROKEN;
    }
  }

  /** Applies the result of an attempt to its endpoint. */
  #apply(endpoint: HeldEndpoint, { outcome, restMs }: Verdict, beganMs: number): void {
    const { pace } = endpoint;
    const nowMs = this.#parts.monotonicMs();
    endpoint.busyAtMs = nowMs;
    if (outcome === "delivered") {
      pace.noteSuccess();
      return;
    }
    if (outcome === "disabled") endpoint.disabled = true;
    pace.noteFailure(beganMs, nowMs, outcome === "disabled" ? GONE_REST_MS : restMs);
    if (pace.restMs(nowMs) > 0) endpoint.empty();
  }
}
