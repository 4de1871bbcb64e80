import type { WebhookSecret } from "@gold-partner/protocol";
import type { EndpointEntry, EndpointRow, EventRow } from "./delivery_store.ts";
import { Pace } from "./pace.ts";
import { Progress } from "./progress.ts";

/** A webhook secret that is ready to sign. */
export interface OpenSecret {
  readonly id: number;
  readonly retireAtMs: number;
  readonly secret: WebhookSecret;
}

/** An event that waits for its turn. */
export interface Waiting {
  readonly sequence: number;
  readonly id: string;
  readonly body: string;
  readonly tries: number;
  readonly ticket: string | null;
  readonly takenMs: number;
}

/** An event that is tried by itself is this worker's for 20 s, of which an attempt and its settling may take the most. */
const TICKET_MS = 4000;
/** How long it is kept without work: the next event of a partner often follows the last one. */
const IDLE_MS = 5000;
/** Events that are taken before the database has those that came first: what a lost worker had beyond them is sent again. */
const AHEAD_MAX = 1024;

/** An endpoint that this worker holds, and what it has in hand for it. */
export class HeldEndpoint {
  readonly client: number;
  readonly tenure: number;
  readonly pace: Pace;
  readonly progress: Progress;
  /** As far as the database knows. */
  settled: number;
  url: string;
  disabled: boolean;
  /** None until they are opened. */
  secrets: readonly OpenSecret[] = [];
  /** Which secrets these are, as the database has them. */
  secretsKey: string | undefined;
  inFlight = 0;
  /** New events up to this number are in hand, or done. */
  takenTo: number;
  /** There may be events that it has not taken. */
  mayHaveMore = true;
  /** Somebody else has it, or nobody: what is still under way to it ends, and no more is said of it. */
  lost = false;
  /** It is being given back. */
  leaving = false;
  busyAtMs: number;
  #queue: Waiting[] = [];

  constructor(row: EndpointRow, nowMs: number) {
    this.client = row.client;
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

  /** An endpoint with failures: of these no more than half of all attempts are. */
  get ails(): boolean {
    return this.pace.failures > 0;
  }

  isReady(nowMs: number): boolean {
    return this.#queue.length > 0 && this.inFlight < this.pace.window && this.maySend(nowMs);
  }

  maySend(nowMs: number): boolean {
    return !this.lost && !this.leaving && this.secrets.length > 0 && this.pace.restMs(nowMs) === 0;
  }

  /** How many events it would take now: twice what may be under way, so that none waits for the next ones to be read. */
  room(nowMs: number): number {
    const { window } = this.pace;
    const isNear = this.takenTo - this.settled < AHEAD_MAX;
    return this.mayHaveMore && isNear && this.#queue.length < window && this.maySend(nowMs)
      ? 2 * window - this.#queue.length
      : 0;
  }

  /**
   * Takes in hand what was read: first what somebody asked for, then what is tried again, then the others in their order. To an
   * endpoint that ails the new ones go before what failed already: they tell more of it.
   */
  add(rows: readonly EventRow[], takenMs: number): void {
    if (this.lost) return;
    const events = rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
    const { ails } = this;
    const rank = ({ ticket, tries }: Pick<EventRow, "ticket" | "tries">) =>
      ticket === null ? 1 : tries === 0 ? -1 : ails ? 2 : 0;
    events.sort((one, other) => rank(one) - rank(other) || one.sequence - other.sequence);
    for (const { sequence, id, body, tries, ticket } of events) {
      if (ticket === null) {
        // What lies before it was put back while these were read: they come again after it.
        if (sequence !== this.takenTo + 1) continue;
        this.takenTo = sequence;
      }
      if (body === null) this.progress.finish(sequence);
      else this.#queue.push({ sequence, id, body, tries, ticket, takenMs });
    }
  }

  /** The next one; undefined where those that were waiting are not this worker's any more. */
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

  /** Puts back what waits: new events are taken anew, and one that is tried by itself is due again. */
  empty(): void {
    for (const { ticket, sequence } of this.#queue) {
      if (ticket === null) this.takenTo = Math.min(this.takenTo, sequence - 1);
    }
    this.#queue = [];
    this.mayHaveMore = true;
  }

  /** What the database is told of it; one that has nothing to do is given back with it. */
  tell(nowMs: number): EndpointEntry {
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

  /** The database has it. */
  confirm({ passed, released }: EndpointEntry): void {
    this.settled = passed;
    this.leaving = false;
    // What it was not given back for.
    if (released) this.mayHaveMore = true;
  }

  /** Nothing is under way, and nothing will be for a while. */
  isIdle(nowMs: number): boolean {
    if (this.inFlight > 0 || this.#queue.length > 0) return false;
    return this.pace.restMs(nowMs) > 0 || (!this.mayHaveMore && nowMs - this.busyAtMs >= IDLE_MS);
  }
}
