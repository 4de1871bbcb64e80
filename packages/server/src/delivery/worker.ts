import { setTimeout as sleep } from "node:timers/promises";
import { Courier, type CourierParts } from "./courier.ts";
import type { DeliveryStore, EndpointRow, SealedSecret } from "./delivery_store.ts";
import { Feeder } from "./feeder.ts";
import { HeldEndpoint, type OpenSecret } from "./held_endpoint.ts";
import { Settlement } from "./settlement.ts";

export interface WorkerParts extends CourierParts {
  readonly store: DeliveryStore;
  /** Decrypts secrets. Returns those that could be decrypted, perhaps none. Never rejects. */
  readonly openSecrets: (partner: number, sealed: readonly SealedSecret[]) => Promise<readonly OpenSecret[]>;
  readonly beatMs?: number;
}

const BEAT_MS = 1000;
/**
 * How long the worker stays active after a successful heartbeat. Must be less than five seconds: after five
 * seconds without a heartbeat, another worker may claim this worker's endpoints.
 */
const ALIVE_MS = 4000;
const HELD_MAX = 4096;
const CLAIM_MOST = 256;
/**
 * How long a worker waits before it tries again to claim an endpoint that it did not get. Usually another
 * worker holds the endpoint.
 */
const CLAIM_RETRY_MS = 50;
/**
 * How long an endpoint rests if none of its secrets can be decrypted here. Another worker may have the key.
 */
const LOCKED_KEY_RETRY_MS = 2000;
/** How long an endpoint rests if the database refuses to return its events or to settle its attempts. */
const REFUSED_MS = 60_000;
/** How long stop() waits for in-flight attempts: the sender's deadline. */
const STOP_MS = 15_000;
const STOP_PAUSE_MS = 200;

/**
 * Claims endpoints that have work. Reads, sends and settles their events, and releases the endpoints when no
 * work is left. A heartbeat once a second shows that the worker is alive, reads changes to its endpoints, and
 * finds work that no notification announced.
 */
export class DeliveryWorker {
  readonly #parts: WorkerParts;
  readonly #held = new Map<number, HeldEndpoint>();
  readonly #settlement: Settlement;
  readonly #courier: Courier;
  readonly #feeder: Feeder;
  readonly #notified = new Set<number>();
  /** Maps each endpoint whose claim just failed to whether a notification for it has arrived since. */
  readonly #failedClaims = new Map<number, boolean>();
  /**
   * The time at which the database refused to settle an endpoint's attempts. The events are sent again after
   * REFUSED_MS.
   */
  readonly #refusedAtMs = new Map<number, number>();
  readonly #timer: ReturnType<typeof setInterval>;
  #sweeps = true;
  #claiming = false;
  #beating: Promise<void> | undefined;
  #looksAgain = false;
  #aliveAtMs = -Infinity;
  #stopping = false;

  constructor(parts: WorkerParts) {
    const { store, monotonicMs, report } = parts;
    this.#parts = parts;
    this.#settlement = new Settlement(store, monotonicMs, {
      onGone: (endpoint) => this.#letGo(endpoint),
      onSettled: (endpoint) => this.#feeder.ask(endpoint),
      onRefused: (endpoint, error) => {
        report.onBroken(endpoint, error);
        this.#refusedAtMs.set(endpoint.client, monotonicMs());
        this.#drop(endpoint);
      },
    });
    this.#courier = new Courier(parts, this.#settlement, {
      onBegun: (endpoint) => this.#feeder.ask(endpoint),
      onEnded: (endpoint) => {
        this.#feeder.ask(endpoint);
        this.#pump();
      },
    });
    this.#feeder = new Feeder({
      store,
      monotonicMs,
      waiting: () => this.waiting,
      mayTake: () => this.#isActive(),
      onFed: (endpoint) => this.#onFed(endpoint),
      onRefused: (endpoint, error) => {
        report.onBroken(endpoint, error);
        this.#rest(endpoint, REFUSED_MS);
      },
    });
    this.#timer = setInterval(() => this.look(), parts.beatMs ?? BEAT_MS);
    this.look();
  }

  get held(): number {
    return this.#held.size;
  }

  get inFlight(): number {
    return this.#courier.inFlight;
  }

  /** How many events are queued in memory and not yet in flight. */
  get waiting(): number {
    let waiting = 0;
    for (const endpoint of this.#held.values()) waiting += endpoint.waiting;
    return waiting;
  }

  /** Call this when the endpoint may have a new event. `client` is its id. */
  wake(client: number): void {
    const endpoint = this.#held.get(client);
    if (endpoint) {
      endpoint.mayHaveMore = true;
      this.#feeder.ask(endpoint);
    } else if (this.#failedClaims.has(client)) {
      this.#failedClaims.set(client, true);
    } else {
      this.#notified.add(client);
    }
    this.#pump();
  }

  /**
   * Sends a heartbeat now. Call this when an endpoint's URL, its secrets or the worker that holds it may have
   * changed.
   */
  look(): void {
    this.#looksAgain = this.#beating !== undefined;
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
      if (this.#looksAgain && !this.#stopping) this.look();
    });
  }

  /** Starts no new attempts, waits for those in flight, settles them, and releases all endpoints. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const untilMs = this.#parts.monotonicMs() + STOP_MS;
    for (const endpoint of this.#held.values()) endpoint.empty();
    await Promise.race([this.#courier.quiet(), sleep(STOP_MS, undefined, { ref: false })]);
    while (!await this.#settlement.settle() && this.#parts.monotonicMs() < untilMs) {
      await sleep(STOP_PAUSE_MS);
    }
    // Stop the heartbeats only here: until now they prevented other workers from sending events that were in
    // flight.
    clearInterval(this.#timer);
    await this.#beating;
    await this.#parts.store.dismiss().catch(() => {});
  }

  /**
   * False after stop(), and if the last successful heartbeat is too old. Another worker may then hold the
   * endpoints.
   */
  #isActive(): boolean {
    return !this.#stopping && this.#parts.monotonicMs() - this.#aliveAtMs < ALIVE_MS;
  }

  #pump(): void {
    if (this.#isActive()) {
      this.#courier.pump();
      void this.#feeder.pump();
      void this.#claim();
    }
    void this.#settlement.settle();
  }

  async #beat(): Promise<void> {
    const heldBefore = new Map(this.#held);
    const beganMs = this.#parts.monotonicMs();
    try {
      const rows = await this.#parts.store.renew();
      this.#aliveAtMs = beganMs;
      for (const row of rows) {
        const endpoint = heldBefore.get(row.client);
        heldBefore.delete(row.client);
        if (endpoint) this.#open(endpoint, row);
        // Take over an endpoint that the worker does not know: the database granted an earlier claim, but its
        // answer to the worker was lost.
        else if (!this.#held.has(row.client)) this.#adopt(row);
      }
      for (const endpoint of heldBefore.values()) this.#drop(endpoint);
      for (const endpoint of this.#held.values()) {
        endpoint.mayHaveMore = true;
        this.#feeder.ask(endpoint);
        this.#courier.offer(endpoint);
      }
      this.#sweeps = true;
    } catch {
      // Keep sending the events that were read, until ALIVE_MS has passed without the database.
    }
    this.#pump();
  }

  async #claim(): Promise<void> {
    const most = Math.min(CLAIM_MOST, HELD_MAX - this.#held.size);
    if (this.#claiming || most <= 0 || !this.#sweeps && this.#notified.size === 0) return;
    this.#claiming = true;
    const clients = this.#sweeps ? null : [...this.#notified];
    this.#sweeps = false;
    this.#notified.clear();
    try {
      const rows = await this.#parts.store.claim(clients, most);
      for (const row of rows) this.#adopt(row);
      if (rows.length === most) this.#sweeps = true;
      else if (clients) {
        void this.#pauseClaims(
          clients.filter((client) => !this.#held.has(client) && !this.#failedClaims.has(client)),
        );
      }
    } catch {
      // On an error, the next heartbeat looks for all endpoints that have work.
    } finally {
      this.#claiming = false;
    }
    this.#pump();
  }

  /**
   * Every worker is notified of every event. A worker that does not hold the endpoint waits before it tries
   * to claim it again, so that claims do not pile up.
   */
  async #pauseClaims(clients: readonly number[]): Promise<void> {
    for (const client of clients) this.#failedClaims.set(client, false);
    await sleep(CLAIM_RETRY_MS, undefined, { ref: false });
    for (const client of clients) {
      const isWanted = this.#failedClaims.get(client);
      this.#failedClaims.delete(client);
      if (isWanted) this.wake(client);
    }
  }

  #adopt(row: EndpointRow): void {
    const former = this.#held.get(row.client);
    if (former) this.#drop(former);
    const nowMs = this.#parts.monotonicMs();
    const endpoint = new HeldEndpoint(row, nowMs);
    const refusedMs = nowMs - (this.#refusedAtMs.get(row.client) ?? -Infinity);
    if (refusedMs < REFUSED_MS) endpoint.pace.rest(nowMs, REFUSED_MS - refusedMs);
    else this.#refusedAtMs.delete(row.client);
    this.#held.set(row.client, endpoint);
    this.#open(endpoint, row);
  }

  #letGo(endpoint: HeldEndpoint): void {
    const isWanted = endpoint.mayHaveMore && endpoint.pace.restMs(this.#parts.monotonicMs()) === 0;
    this.#drop(endpoint);
    // Look for more events. For example, a notification may have arrived while the endpoint was being
    // released.
    if (isWanted) this.wake(endpoint.client);
  }

  #drop(endpoint: HeldEndpoint): void {
    endpoint.lost = true;
    endpoint.empty();
    if (this.#held.get(endpoint.client) === endpoint) this.#held.delete(endpoint.client);
  }

  /** Applies the endpoint's URL and secrets, which may have changed. */
  #open(endpoint: HeldEndpoint, { url, secrets: sealed }: EndpointRow): void {
    endpoint.url = url;
    const key = sealed.map(({ id, sealing_key, retire_at }) => `${id} ${sealing_key} ${retire_at}`).join();
    if (endpoint.secretsKey === key) return;
    endpoint.secretsKey = key;
    void this.#parts.openSecrets(endpoint.partner, sealed).then((secrets) => {
      // Keep nothing if the secrets changed again while these were being decrypted.
      if (endpoint.secretsKey !== key) return;
      endpoint.secrets = secrets;
      // Clear secretsKey, so that the next heartbeat tries again to decrypt the missing secrets.
      if (secrets.length < sealed.length) endpoint.secretsKey = undefined;
      if (secrets.length === 0) this.#rest(endpoint, LOCKED_KEY_RETRY_MS);
      this.#feeder.ask(endpoint);
      this.#courier.offer(endpoint);
      this.#pump();
    });
  }

  #rest(endpoint: HeldEndpoint, ms: number): void {
    endpoint.pace.rest(this.#parts.monotonicMs(), ms);
    endpoint.empty();
    this.#settlement.mark(endpoint);
    void this.#settlement.settle();
  }

  #onFed(endpoint: HeldEndpoint): void {
    const nowMs = this.#parts.monotonicMs();
    // Drop the events if the endpoint has started to rest while they were being read.
    if (!endpoint.maySend(nowMs)) endpoint.empty();
    if (endpoint.progress.passed > endpoint.settled || endpoint.isIdle(nowMs)) {
      this.#settlement.mark(endpoint);
    }
    this.#feeder.ask(endpoint);
    this.#courier.offer(endpoint);
    this.#pump();
  }
}
