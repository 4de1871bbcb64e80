import { ID_PREFIX, signWebhook } from "@gold-partner/protocol";
import type { HeldEndpoint, OpenSecret, Waiting } from "./held_endpoint.ts";
import type { RetrySchedule } from "./retry_schedule.ts";
import type { Attempt, Sender } from "./send/sender.ts";
import type { Settlement } from "./settlement.ts";
import { TurnOrder } from "./turn_order.ts";
import { judgeAttempt, type Verdict } from "./verdict.ts";

export interface CourierParts {
  readonly sender: Pick<Sender, "post">;
  readonly schedule: RetrySchedule;
  /** Milliseconds by the database's time. */
  readonly now: () => number;
  readonly monotonicMs: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly report: CourierReport;
}

interface EndedAttempt {
  readonly event: Waiting;
  readonly attempt: Attempt;
  readonly verdict: Verdict;
  /** Of the endpoint, in a row, before this attempt counted. */
  readonly failuresBefore: number;
}

/** What others want to know of an attempt. */
export interface CourierReport {
  readonly onAttempt: (endpoint: HeldEndpoint, ended: EndedAttempt) => void;
  readonly onSigned: (client: number, secrets: readonly OpenSecret[], atMs: number) => void;
  /** Signing or sending threw, which it never should. */
  readonly onBroken: (client: number, error: unknown) => void;
}

interface CourierEars {
  /** An attempt has begun: there is room for another event. */
  readonly onBegun: (endpoint: HeldEndpoint) => void;
  readonly onEnded: (endpoint: HeldEndpoint) => void;
}

/** More results than these wait for a database that is away: then nothing more is sent. */
const UNSETTLED_MAX = 4096;
/** An endpoint that is gone is let go at once; from then on nothing but a test is taken for it. */
const GONE_REST_MS = 1000;
const BROKEN: Attempt = {
  durationMs: 0,
  httpStatus: null,
  error: null,
  answer: null,
  retryAfterSeconds: null,
};

/** Carries what waits to the endpoints, each in its turn, and hands what came of it to the settlement. */
export class Courier {
  readonly #parts: CourierParts;
  readonly #settlement: Settlement;
  readonly #ears: CourierEars;
  readonly #turns = new TurnOrder();
  #onQuiet: (() => void) | undefined;

  constructor(parts: CourierParts, settlement: Settlement, ears: CourierEars) {
    this.#parts = parts;
    this.#settlement = settlement;
    this.#ears = ears;
  }

  get inFlight(): number {
    return this.#turns.inFlight;
  }

  /** The endpoint may have something that can be sent. */
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
      this.#ears.onBegun(endpoint);
    }
  }

  /** Resolves when nothing is under way any more. */
  async quiet(): Promise<void> {
    if (this.inFlight > 0) await new Promise<void>((resolve) => this.#onQuiet = resolve);
  }

  #send(endpoint: HeldEndpoint, beganMs: number): void {
    const attemptedAtMs = this.#parts.now();
    // The next beat brings others, or has the endpoint rest.
    endpoint.dropRetired(attemptedAtMs);
    const event = endpoint.next(beganMs);
    if (!event) return;
    const wasDisabled = endpoint.disabled;
    const place = this.#turns.begin(endpoint);
    void this.#post(endpoint, event, attemptedAtMs).then((attempt) => {
      this.#turns.end(endpoint, place);
      const tried = { tries: event.tries, disabled: wasDisabled };
      const verdict = judgeAttempt(attempt, tried, this.#parts.schedule, this.#parts.random);
      const failuresBefore = endpoint.pace.failures;
      this.#judge(endpoint, verdict, beganMs);
      const { client } = endpoint;
      const { sequence, ticket } = event;
      const { retryAfterSeconds: _, ...told } = attempt;
      const { againInMs } = verdict;
      const tries = event.tries + 1;
      this.#settlement.note(endpoint, { client, sequence, ticket, tries, attemptedAtMs, ...told, againInMs });
      this.#parts.report.onAttempt(endpoint, { event, attempt, verdict, failuresBefore });
      this.offer(endpoint);
      this.#ears.onEnded(endpoint);
      if (this.inFlight === 0) this.#onQuiet?.();
    });
  }

  async #post(endpoint: HeldEndpoint, { id, body }: Waiting, atMs: number): Promise<Attempt> {
    const { client, url, secrets } = endpoint;
    try {
      const message = { id: ID_PREFIX.event + id, timestamp: Math.floor(atMs / 1000), body };
      const headers = {
        "webhook-id": message.id,
        "webhook-timestamp": `${message.timestamp}`,
        "webhook-signature": signWebhook(message, secrets.map(({ secret }) => secret)),
      };
      this.#parts.report.onSigned(client, secrets, atMs);
      return await this.#parts.sender.post(url, headers, body);
    } catch (error) {
      this.#parts.report.onBroken(client, error);
      return BROKEN;
    }
  }

  /** What the attempt means for the endpoint. */
  #judge(endpoint: HeldEndpoint, { outcome, restMs }: Verdict, beganMs: number): void {
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
