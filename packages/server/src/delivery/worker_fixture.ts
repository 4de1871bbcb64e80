import { newWebhookSecret, parseWebhookSecret } from "@gold-partner/protocol";
import type {
  AttemptEntry,
  DeliveryStore,
  EndpointEntry,
  EndpointRow,
  EventRow,
  Want,
} from "./delivery_store.ts";
import type { Attempt } from "./send/sender.ts";
import { DeliveryWorker, type WorkerParts } from "./worker.ts";

/**
 * Fixtures for workers: an in-memory database that behaves like the SQL functions in this folder, and
 * receivers with answers that the test controls.
 */

export const SECRET = parseWebhookSecret(newWebhookSecret((length) => new Uint8Array(length).fill(7)));

export interface TestPartner {
  events: number;
  passed: number;
  worker: string | null;
  tenure: number;
  failures: number;
  restsUntilMs: number;
  disabled: boolean;
  readonly retries: Map<number, TestRetry>;
}

/** An event with at least this many tries counts as a test. Tests are sent even to a disabled endpoint. */
export const TEST_TRIES = 100;

interface TestRetry {
  tries: number;
  /** Infinity if parked or delivered. */
  dueMs: number;
  state: "due" | "parked" | "delivered";
}

export interface Sent {
  readonly client: number;
  readonly sequence: number;
  readonly worker: string;
  readonly beganMs: number;
}

export const answered = (httpStatus: number, changes: Partial<Attempt> = {}): Attempt => ({
  durationMs: 1,
  httpStatus,
  error: null,
  answer: null,
  retryAfterSeconds: null,
  ...changes,
});

const INSTANT_MS = 0.001;

type Answer = (sent: Sent, time: number) => Attempt | Promise<Attempt>;

export class Stage {
  readonly partners = new Map<number, TestPartner>();
  readonly sent: Sent[] = [];
  readonly delivered = new Set<string>();
  readonly settled: AttemptEntry[] = [];
  readonly broken: unknown[] = [];
  readonly calls = { claim: 0, renew: 0, take: 0, settle: 0 };
  /** While true, every call to the database except dismiss() fails. */
  away = false;
  /** A call fails if this returns true for the client of any want or attempt in the call. */
  refuses: (call: "take" | "settle", client: number) => boolean = () => false;
  /** The client whose row another transaction has locked. */
  locked: number | undefined;
  /** The most events that were in flight at once. */
  mostInFlight = 0;
  /** How often an event was sent while an attempt of the same event was in flight. */
  twiceAtOnce = 0;
  answer: Answer = () => answered(200);
  #nowMs = performance.now();
  readonly #inFlight = new Set<string>();
  readonly #times = new Map<string, number>();
  #letGo = () => {};
  /** An answer that comes only when the test ends. */
  readonly never = new Promise<Attempt>((resolve) => this.#letGo = () => resolve(answered(500)));
  readonly #workers = new Map<string, number>();
  readonly #running: DeliveryWorker[] = [];

  /**
   * The time advances only by pass(). A pause of the machine therefore makes no worker look dead and ends no
   * endpoint's rest. Each call adds a microsecond, so no two instants are equal.
   */
  readonly nowMs = () => this.#nowMs += INSTANT_MS;

  /** Advances the time by this many milliseconds. */
  pass(ms: number): void {
    this.#nowMs += ms;
  }

  add(client: number, events: number): TestPartner {
    const partner: TestPartner = {
      events,
      passed: 0,
      worker: null,
      tenure: 0,
      failures: 0,
      restsUntilMs: -Infinity,
      disabled: false,
      retries: new Map(),
    };
    this.partners.set(client, partner);
    return partner;
  }

  /**
   * Makes the worker hold the partner's endpoint from now on. Also counts the worker as alive, because
   * another worker could otherwise claim the endpoint before this worker's first heartbeat.
   */
  give(partner: TestPartner, worker: string): void {
    this.#workers.set(worker, this.nowMs());
    partner.worker = worker;
  }

  start(name = "one", changes: Partial<WorkerParts> = {}): DeliveryWorker {
    const worker = new DeliveryWorker({
      store: this.store(name),
      sender: {
        post: (_, headers) => this.#receive(name, headers["webhook-id"]!),
      },
      schedule: [1, 1],
      now: () => 1_750_000_000_000,
      monotonicMs: this.nowMs,
      random: () => 0.5,
      report: {
        onAttempt: () => {},
        onSigned: () => {},
        onBroken: (_, error) => void this.broken.push(error),
      },
      openSecrets: async () => [{ id: 1, retireAtMs: Infinity, secret: SECRET }],
      beatMs: 10,
      ...changes,
    });
    this.#running.push(worker);
    return worker;
  }

  async stop(): Promise<void> {
    this.#letGo();
    // Advance the clock, because a worker that cannot settle its attempts retries until 15 s have passed by
    // this clock.
    const timer = setInterval(() => this.pass(1000), 10);
    await Promise.all(this.#running.splice(0).map((worker) => worker.stop())).finally(() =>
      clearInterval(timer)
    );
  }

  /** Waits until the condition holds. */
  async until(so: () => boolean, timeoutMs = 120_000): Promise<void> {
    for (const untilMs = performance.now() + timeoutMs; !so(); await pause(2)) {
      if (performance.now() > untilMs) throw new Error(`The condition was not met within ${timeoutMs} ms.`);
    }
  }

  /** For each endpoint that no worker holds: ends its rest, enables it, and makes its retries due. */
  endWaits(): void {
    for (const partner of this.partners.values()) {
      if (partner.worker !== null) continue;
      Object.assign(partner, { restsUntilMs: -Infinity, disabled: false });
      for (const retry of partner.retries.values()) if (retry.state === "due") retry.dueMs = this.nowMs();
    }
  }

  isDone(): boolean {
    return [...this.partners.values()].every(({ events, passed, retries }) =>
      passed === events && ![...retries.values()].some(({ state }) => state === "due")
    );
  }

  async #receive(worker: string, id: string): Promise<Attempt> {
    const [client, sequence] = id.slice("evt_".length).split("-").map(Number) as [number, number];
    const name = `${client} ${sequence}`;
    if (this.#inFlight.has(name)) this.twiceAtOnce++;
    this.#inFlight.add(name);
    this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight.size);
    const sent = { client, sequence, worker, beganMs: performance.now() };
    this.sent.push(sent);
    const time = (this.#times.get(name) ?? 0) + 1;
    this.#times.set(name, time);
    const attempt = await this.answer(sent, time);
    await pause(0);
    this.#inFlight.delete(name);
    if (attempt.httpStatus === 200) this.delivered.add(name);
    return attempt;
  }

  store(worker: string): DeliveryStore {
    const call = async <T>(name: keyof Stage["calls"], act: () => T): Promise<T> => {
      this.calls[name]++;
      await pause(0);
      if (this.away) throw Object.assign(new Error("away"), { code: "ECONNREFUSED" });
      const result = act();
      await pause(0);
      return result;
    };
    return {
      claim: (clients, most) => call("claim", () => this.#claim(worker, clients, most)),
      renew: () =>
        call("renew", () => {
          this.#workers.set(worker, this.nowMs());
          return [...this.partners].filter(([, one]) => one.worker === worker).map(rowOf);
        }),
      take: (wants) =>
        call("take", () => {
          this.#check("take", wants);
          return wants.flatMap((want) => this.#take(worker, want));
        }),
      settle: (attempts, entries) =>
        call("settle", () => {
          this.#check("settle", attempts);
          return this.#settle(worker, attempts, entries);
        }),
      dismiss: async () => {
        for (const partner of this.partners.values()) if (partner.worker === worker) partner.worker = null;
        this.#workers.delete(worker);
      },
    };
  }

  #check(call: "take" | "settle", items: readonly { readonly client: number }[]): void {
    if (items.some(({ client }) => this.refuses(call, client))) throw new Error("refused");
    if (call === "settle" && items.some(({ client }) => client === this.locked)) {
      throw Object.assign(new Error("locked"), { code: "55P03" });
    }
  }

  #isAlive(worker: string | null): boolean {
    return worker !== null && this.nowMs() - (this.#workers.get(worker) ?? -Infinity) < 5000;
  }

  #claim(worker: string, clients: readonly number[] | null, most: number): EndpointRow[] {
    if (!this.#isAlive(worker)) return [];
    const free = [...this.partners].filter(([client, one]) =>
      (clients === null || clients.includes(client)) && !this.#isAlive(one.worker) &&
      one.restsUntilMs <= this.nowMs() &&
      (!one.disabled && one.events > one.passed ||
        [...one.retries.values()].some((retry) => this.#isDue(one, retry)))
    ).slice(0, most);
    for (const [, one] of free) {
      one.worker = worker;
      one.tenure++;
    }
    return free.map(rowOf);
  }

  #isDue({ disabled }: TestPartner, { state, dueMs, tries }: TestRetry): boolean {
    return state === "due" && dueMs <= this.nowMs() && (!disabled || tries >= TEST_TRIES);
  }

  #take(worker: string, { client, tenure, after, room }: Want): EventRow[] {
    const partner = this.partners.get(client)!;
    if (partner.worker !== worker || partner.tenure !== tenure) return [];
    const rows: EventRow[] = [];
    for (const [sequence, retry] of partner.retries) {
      if (rows.length === (partner.disabled ? room : (room + 1) >> 1) || !this.#isDue(partner, retry)) {
        continue;
      }
      retry.dueMs = this.nowMs() + 20_000;
      rows.push(eventOf(client, sequence, retry.tries, `${retry.dueMs}`));
    }
    for (let sequence = after + 1; sequence <= partner.events && rows.length < room; sequence++) {
      if (partner.disabled) break;
      const row = eventOf(client, sequence, 0, null);
      rows.push(partner.retries.has(sequence) ? { ...row, body: null } : row);
    }
    return rows.reverse();
  }

  #settle(worker: string, attempts: readonly AttemptEntry[], entries: readonly EndpointEntry[]): number[] {
    this.settled.push(...attempts);
    const kept = new Set<number>();
    const enabled = new Set<number>();
    for (const { client, tenure, from, passed, failures, restMs, disabled } of entries) {
      const partner = this.partners.get(client)!;
      const isLeftThere = partner.passed === from || partner.passed === passed;
      if (partner.worker !== worker || partner.tenure !== tenure || !isLeftThere || passed < from) continue;
      kept.add(client);
      partner.passed = passed;
      partner.failures = failures;
      partner.restsUntilMs = restMs === null ? -Infinity : this.nowMs() + restMs;
      if (disabled) partner.disabled = true;
    }
    for (const { client, sequence, ticket, tries, httpStatus, againInMs } of attempts) {
      const partner = this.partners.get(client)!;
      const { retries } = partner;
      const known = retries.get(sequence);
      const state = httpStatus === 200 ? "delivered" : againInMs === null ? "parked" : "due";
      const retry: TestRetry = { tries, state, dueMs: this.nowMs() + (againInMs ?? Infinity) };
      if (ticket === null && state !== "delivered" && kept.has(client) && !known) {
        retries.set(sequence, retry);
      }
      if (ticket !== null && known && `${known.dueMs}` === ticket) {
        retries.set(sequence, retry);
        if (state === "delivered" && partner.disabled && known.tries >= TEST_TRIES) enabled.add(client);
      }
    }
    for (const client of enabled) {
      Object.assign(this.partners.get(client)!, {
        worker: null,
        disabled: false,
        failures: 0,
        restsUntilMs: -Infinity,
      });
    }
    const released = entries.filter(({ client, released }) => {
      const partner = this.partners.get(client)!;
      const rests = partner.restsUntilMs > this.nowMs();
      const waits = !partner.disabled && partner.events > partner.passed ||
        [...partner.retries.values()].some((retry) => this.#isDue(partner, retry));
      if (!released || !kept.has(client) || waits && !rests) return false;
      partner.worker = null;
      return true;
    });
    return [...entries.filter(({ client }) => !kept.has(client)), ...released].map(({ client }) => client)
      .concat([
        ...enabled,
      ]);
  }
}

const rowOf = ([client, { tenure, passed, failures, disabled }]: [number, TestPartner]): EndpointRow => ({
  client,
  partner: client,
  number: 1,
  tenure,
  url: `https://receiver.example/${client}`,
  passed: `${passed}`,
  failures,
  disabled,
  secrets: [{ id: 1, sealed: "", sealing_key: "k", retire_at: null }],
});

const eventOf = (client: number, sequence: number, tries: number, ticket: string | null): EventRow => ({
  client,
  sequence: `${sequence}`,
  id: `${client}-${sequence}`,
  body: "{}",
  tries,
  ticket,
  follows: ticket === null ? `${sequence - 1}` : null,
});

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
