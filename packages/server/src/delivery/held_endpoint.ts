import type { WebhookSecret } from "@gold-partner/protocol";
import type { EndpointEntry, EndpointRow, EventRow } from "./delivery_store.ts";
import { Pace } from "./pace.ts";
import { Progress } from "./progress.ts";

/** A decrypted webhook secret, ready to sign. */
export interface OpenSecret {
  readonly id: number;
  readonly retireAtMs: number;
  readonly secret: WebhookSecret;
}

/** An event that is queued in memory. */
export interface Waiting {
  readonly sequence: number;
  readonly id: string;
  readonly body: string;
  readonly tries: number;
  readonly ticket: string | null;
  readonly follows: number | null;
  readonly takenMs: number;
}

/**
 * The worker must start to send an event from `retry` within this time. The event belongs to the worker for
 * 20 s, an attempt may take 16 s, and its settlement needs the rest.
 */
const TICKET_MS = 3000;
/** How long the worker keeps an endpoint without work, because a partner's next event often follows soon. */
const IDLE_MS = 5000;
/**
 * By how many numbers the worker may be ahead of the mark in the database. If the worker dies, the events that it
 * sent beyond the mark are sent again.
 */
const AHEAD_MAX = 1024;

/** An endpoint that this worker holds, with its queued events. */
export class HeldEndpoint {
  readonly client: number;
  readonly partner: number;
  readonly number: number;
  readonly tenure: number;
  readonly pace: Pace;
  readonly progress: Progress;
  /** The mark that the database has confirmed. */
  settled: number;
  url: string;
  disabled: boolean;
  /** Empty until they are decrypted. */
  secrets: readonly OpenSecret[] = [];
  /** Identifies the encrypted secrets from which `secrets` was decrypted. */
  secretsKey: string | undefined;
  inFlight = 0;
  /** New events up to this number are queued, in flight or finished. */
  takenTo: number;
  /** True if the database may have events that the worker has not taken. */
  mayHaveMore = true;
  /**
   * True when this worker does not hold the endpoint any more. Attempts in flight still finish, but the
   * worker does not report the endpoint's state.
   */
  lost = false;
  /** True while the release is requested and not yet confirmed. */
  leaving = false;
  busyAtMs: number;
  #queue: Waiting[] = [];

  constructor(row: EndpointRow, nowMs: number) {
    this.client = row.client;
    this.partner = row.partner;
    this.number = row.number;
    this.tenure = row.tenure;
    this.url = row.url;
    this.disabled = row.disabled;
    this.pace = new Pace(row.failures);
    this.takenTo = Number(row.passed);
    this.progress = new Progress(this.takenTo);
    this.settled = this.takenTo;
    this.busyAtMs = nowMs;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** The endpoint has failures. At most half of all in-flight attempts may go to such endpoints. */
  get isFailing(): boolean {
    return this.pace.failures > 0;
  }

  isReady(nowMs: number): boolean {
    return this.#queue.length > 0 && this.inFlight < this.pace.window && this.maySend(nowMs);
  }

  maySend(nowMs: number): boolean {
    return !this.lost && !this.leaving && this.secrets.length > 0 && this.pace.restMs(nowMs) === 0;
  }

  /** How many events to read now: up to twice the window, so that sending does not wait for the next read. */
  room(nowMs: number): number {
    const { window } = this.pace;
    const isNear = this.takenTo - this.settled < AHEAD_MAX;
    return this.mayHaveMore && isNear && this.#queue.length < window && this.maySend(nowMs)
      ? 2 * window - this.#queue.length
      : 0;
  }

  /**
   * Queues the events that were read: first requested events (tests, redeliveries and replays), then retries,
   * then new events in order. For an endpoint with failures, new events come before retries, because a new
   * event says more about the endpoint's state.
   */
  add(rows: readonly EventRow[], takenMs: number): void {
    if (this.lost) return;
    const events = rows.map((row) => ({
      ...row,
      sequence: Number(row.sequence),
      follows: row.follows === null ? null : Number(row.follows),
    }));
    const { isFailing } = this;
    const rank = ({ ticket, tries }: Pick<EventRow, "ticket" | "tries">) =>
      ticket === null ? 1 : tries === 0 ? -1 : isFailing ? 2 : 0;
    events.sort((one, other) => rank(one) - rank(other) || one.sequence - other.sequence);
    for (const { sequence, id, body, tries, ticket, follows } of events) {
      if (follows !== null) {
        // Skip the event, because empty() put an earlier event back during this read. The next read returns
        // both events, in order.
        if (follows !== this.takenTo) continue;
        this.takenTo = sequence;
        if (body === null) this.progress.finish(follows, sequence);
      }
      if (body !== null) this.#queue.push({ sequence, id, body, tries, ticket, follows, takenMs });
    }
  }

  /** Returns the next event to send. Drops events from `retry` that were taken TICKET_MS ago or earlier. */
  next(nowMs: number): Waiting | undefined {
    if (!this.maySend(nowMs)) return undefined;
    for (let waiting = this.#queue.shift(); waiting; waiting = this.#queue.shift()) {
      if (waiting.ticket === null || nowMs - waiting.takenMs < TICKET_MS) return waiting;
    }
    return undefined;
  }

  dropRetired(atMs: number): void {
    if (this.secrets.some(({ retireAtMs }) => retireAtMs <= atMs)) {
      this.secrets = this.secrets.filter(({ retireAtMs }) => atMs < retireAtMs);
    }
  }

  /**
   * Empties the queue. New events are read again, and an event from `retry` becomes due again when its 20 s
   * have passed.
   */
  empty(): void {
    for (const { follows } of this.#queue) {
      if (follows !== null) this.takenTo = Math.min(this.takenTo, follows);
    }
    this.#queue = [];
    this.mayHaveMore = true;
  }

  /** Returns the endpoint's state for the database. If the endpoint is idle, this state also releases it. */
  report(nowMs: number): EndpointEntry {
    const { client, tenure, disabled } = this;
    this.leaving = this.isIdle(nowMs);
    return {
      client,
      tenure,
      from: this.settled,
      passed: this.progress.passed,
      failures: this.pace.failures,
      restMs: Math.ceil(this.pace.restMs(nowMs)) || null,
      disabled,
      released: this.leaving,
    };
  }

  /** Call this when the database has stored the state and this worker still holds the endpoint. */
  confirm({ passed, released }: EndpointEntry): void {
    this.settled = passed;
    this.leaving = false;
    // If the database did not release the endpoint, the endpoint has work. So look for work again.
    if (released) this.mayHaveMore = true;
  }

  /** True if nothing is queued or in flight and the endpoint rests or has had no work for IDLE_MS. */
  isIdle(nowMs: number): boolean {
    if (this.inFlight > 0 || this.#queue.length > 0) return false;
    return this.pace.restMs(nowMs) > 0 || (!this.mayHaveMore && nowMs - this.busyAtMs >= IDLE_MS);
  }
}
