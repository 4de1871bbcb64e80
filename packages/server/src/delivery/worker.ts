import { setTimeout as sleep } from "node:timers/promises";
import { Courier, type CourierParts } from "./courier.ts";
import type { DeliveryStore, EndpointRow, SealedSecret } from "./delivery_store.ts";
import { Feeder } from "./feeder.ts";
import { HeldEndpoint, type OpenSecret } from "./held_endpoint.ts";
import { Settlement } from "./settlement.ts";

export interface WorkerParts extends CourierParts {
  readonly store: DeliveryStore;
  /** Those that open, none where none does; never rejects. */
  readonly openSecrets: (client: number, sealed: readonly SealedSecret[]) => Promise<readonly OpenSecret[]>;
  readonly beatMs?: number;
}

const BEAT_MS = 1000;
/** Less than the five seconds after which another worker may have what this one holds. */
const ALIVE_MS = 4000;
const HELD_MAX = 4096;
const CLAIM_MOST = 256;
/** How long it does not ask again for an endpoint that it was told of and did not get: mostly another worker has it. */
const VAIN_MS = 50;
/** How long an endpoint rests whose secrets do not open here: another worker may have the key. */
const SHUT_MS = 2000;
/** How long nothing is sent to an endpoint whose events the database does not give, or of which it takes nothing. */
const REFUSED_MS = 60_000;
/** As long as an attempt may take. */
const STOP_MS = 15_000;
const STOP_PAUSE_MS = 200;

/**
 * Holds endpoints that have work, has their events read, sent and settled, and gives them back when there is nothing more.
 * A beat once a second shows that it is alive, learns what has changed, and finds what nobody told it of.
 */
export class DeliveryWorker {
  readonly #parts: WorkerParts;
  readonly #held = new Map<number, HeldEndpoint>();
  readonly #settlement: Settlement;
  readonly #courier: Courier;
  readonly #feeder: Feeder;
  readonly #told = new Set<number>();
  /** Claimed in vain a moment ago, and whether somebody has told of it since. */
  readonly #vain = new Map<number, boolean>();
  /** What was sent and could not be settled is sent again: not at once. */
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
        report.onBroken(endpoint.client, error);
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
        report.onBroken(endpoint.client, error);
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

  /** How many events it has in hand that are not under way yet. */
  get waiting(): number {
    let waiting = 0;
    for (const endpoint of this.#held.values()) waiting += endpoint.waiting;
    return waiting;
  }

  /** There may be an event for this client. */
  wake(client: number): void {
    const endpoint = this.#held.get(client);
    if (endpoint) {
      endpoint.mayHaveMore = true;
      this.#feeder.ask(endpoint);
    } else if (this.#vain.has(client)) {
      this.#vain.set(client, true);
    } else {
      this.#told.add(client);
    }
    this.#pump();
  }

  /** Beats now: something about endpoints may have changed, their URL, their secrets or who holds them. */
  look(): void {
    this.#looksAgain = this.#beating !== undefined;
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
      if (this.#looksAgain && !this.#stopping) this.look();
    });
  }

  /** Begins nothing more, lets what is under way end, and gives everything back. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const untilMs = this.#parts.monotonicMs() + STOP_MS;
    for (const endpoint of this.#held.values()) endpoint.empty();
    await Promise.race([this.#courier.quiet(), sleep(STOP_MS, undefined, { ref: false })]);
    while (!await this.#settlement.settle() && this.#parts.monotonicMs() < untilMs) {
      await sleep(STOP_PAUSE_MS);
    }
    // It beats to the end: until then nobody else is to send what is under way.
    clearInterval(this.#timer);
    await this.#beating;
    await this.#parts.store.dismiss().catch(() => {});
  }

  /** While the database has not heard of it for long, somebody else may have what it holds. */
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
        // A claim whose answer was lost.
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
      // The database is away; what it gave goes on for a while.
    }
    this.#pump();
  }

  async #claim(): Promise<void> {
    const most = Math.min(CLAIM_MOST, HELD_MAX - this.#held.size);
    if (this.#claiming || most <= 0 || !this.#sweeps && this.#told.size === 0) return;
    this.#claiming = true;
    const clients = this.#sweeps ? null : [...this.#told];
    this.#sweeps = false;
    this.#told.clear();
    try {
      const rows = await this.#parts.store.claim(clients, most);
      for (const row of rows) this.#adopt(row);
      if (rows.length === most) this.#sweeps = true;
      else if (clients) {
        void this.#leaveAlone(clients.filter((client) => !this.#held.has(client) && !this.#vain.has(client)));
      }
    } catch {
      // The next beat looks for all that has work.
    } finally {
      this.#claiming = false;
    }
    this.#pump();
  }

  /** Each event of a partner is told to every worker: those that do not have it are not to claim it with each. */
  async #leaveAlone(clients: readonly number[]): Promise<void> {
    for (const client of clients) this.#vain.set(client, false);
    await sleep(VAIN_MS, undefined, { ref: false });
    for (const client of clients) {
      const isWanted = this.#vain.get(client);
      this.#vain.delete(client);
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
    // Somebody told of an event while it was given back.
    if (isWanted) this.wake(endpoint.client);
  }

  #drop(endpoint: HeldEndpoint): void {
    endpoint.lost = true;
    endpoint.empty();
    if (this.#held.get(endpoint.client) === endpoint) this.#held.delete(endpoint.client);
  }

  /** Its URL and its secrets, which may have changed. */
  #open(endpoint: HeldEndpoint, { url, secrets: sealed }: EndpointRow): void {
    endpoint.url = url;
    const key = sealed.map(({ id, sealing_key, retire_at }) => `${id} ${sealing_key} ${retire_at}`).join();
    if (endpoint.secretsKey === key) return;
    endpoint.secretsKey = key;
    void this.#parts.openSecrets(endpoint.client, sealed).then((secrets) => {
      // Others took their place while these were opened.
      if (endpoint.secretsKey !== key) return;
      endpoint.secrets = secrets;
      // Each beat tries again what did not open.
      if (secrets.length < sealed.length) endpoint.secretsKey = undefined;
      if (secrets.length === 0) this.#rest(endpoint, SHUT_MS);
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
    // It came to rest while these were read.
    if (!endpoint.maySend(nowMs)) endpoint.empty();
    if (endpoint.progress.passed > endpoint.settled || endpoint.isIdle(nowMs)) {
      this.#settlement.mark(endpoint);
    }
    this.#feeder.ask(endpoint);
    this.#courier.offer(endpoint);
    this.#pump();
  }
}
