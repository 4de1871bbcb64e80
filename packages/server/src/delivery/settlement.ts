import { setTimeout as sleep } from "node:timers/promises";
import { classifySqlError } from "../database/classify_sql_error.ts";
import type { AttemptEntry, DeliveryStore, EndpointEntry } from "./delivery_store.ts";
import type { HeldEndpoint } from "./held_endpoint.ts";

interface Finished {
  readonly endpoint: HeldEndpoint;
  readonly attempt: AttemptEntry;
}

/** One endpoint's part of a batch: the attempts, and the endpoint's state unless the endpoint is lost. */
interface Share {
  readonly endpoint: HeldEndpoint;
  readonly attempts: AttemptEntry[];
  entry: EndpointEntry | undefined;
}

interface SettlementListener {
  /**
   * Called when this worker does not hold the endpoint any more: it was released, enabled by a test, or
   * claimed by another worker.
   */
  readonly onGone: (endpoint: HeldEndpoint) => void;
  /** Called when the database has stored the endpoint's state. */
  readonly onSettled: (endpoint: HeldEndpoint) => void;
  /** Called when the database permanently refuses the endpoint's attempts or state. */
  readonly onRefused: (endpoint: HeldEndpoint, error: unknown) => void;
}

const BATCH_ATTEMPTS = 512;
/**
 * A follow-up call with fewer attempts than this first waits GATHER_MS for more attempts. The fixed cost of a
 * call is as high as the cost of many attempts. No partner waits for the settlement.
 */
const FEW_ATTEMPTS = 64;
const GATHER_MS = 10;
/**
 * If another transaction has locked the endpoint's row, the call is repeated after this pause. The repeated
 * call also includes the attempts that finished meanwhile.
 */
const LOCKED_MS = 1000;

/**
 * Reports finished attempts to the database. Calls run one at a time. A call contains the attempts that
 * finished during the earlier calls, at most BATCH_ATTEMPTS new ones. If the database is unavailable, the
 * call is repeated unchanged, so that an endpoint's mark never passes an attempt that was not reported.
 */
export class Settlement {
  readonly #store: Pick<DeliveryStore, "settle">;
  readonly #monotonicMs: () => number;
  readonly #listener: SettlementListener;
  #finished: Finished[] = [];
  #unsettled = 0;
  readonly #marked = new Set<HeldEndpoint>();
  readonly #locked = new Map<HeldEndpoint, { attempts: AttemptEntry[]; readonly untilMs: number }>();
  #batches: (readonly Share[])[] = [];
  #inFlight: Promise<boolean> | undefined;

  constructor(store: Pick<DeliveryStore, "settle">, monotonicMs: () => number, listener: SettlementListener) {
    this.#store = store;
    this.#monotonicMs = monotonicMs;
    this.#listener = listener;
  }

  /** How many attempts the database has not stored yet. */
  get unsettled(): number {
    return this.#unsettled;
  }

  note(endpoint: HeldEndpoint, attempt: AttemptEntry): void {
    this.#finished.push({ endpoint, attempt });
    this.#unsettled++;
  }

  /** Call this when the endpoint's own state has changed, so that the next call includes it. */
  mark(endpoint: HeldEndpoint): void {
    this.#marked.add(endpoint);
  }

  /**
   * Settles until nothing is left. Resolves to false if the database does not answer or a locked endpoint
   * still waits; the caller then calls again.
   */
  settle(): Promise<boolean> {
    return this.#inFlight ??= this.#settleAll().finally(() => this.#inFlight = undefined);
  }

  async #settleAll(): Promise<boolean> {
    for (let isFirst = true;;) {
      if (this.#batches.length === 0) {
        if (this.#isEmpty()) return this.#locked.size === 0;
        if (!isFirst && this.#finished.length < FEW_ATTEMPTS) await sleep(GATHER_MS);
        isFirst = false;
        this.#batches = this.#nextBatches();
      }
      const [batch] = this.#batches;
      if (!batch) continue;
      try {
        this.#onStored(batch, await this.#send(batch));
      } catch (error) {
        const found = classifySqlError(error);
        if (found !== "rejected" && found !== "lock_timeout") return false;
        // Send each endpoint alone, so that a locked or refused endpoint does not keep the others from being
        // settled.
        if (batch.length > 1) {
          this.#batches.splice(0, 1, ...batch.map((share) => [share]));
          continue;
        }
        const { endpoint, attempts } = batch[0]!;
        if (found === "lock_timeout") {
          this.#batches.shift();
          this.#locked.set(endpoint, { attempts, untilMs: this.#monotonicMs() + LOCKED_MS });
          continue;
        }
        this.#listener.onRefused(endpoint, error);
      }
      this.#batches.shift();
      for (const { attempts } of batch) this.#unsettled -= attempts.length;
    }
  }

  #isEmpty(): boolean {
    const nowMs = this.#monotonicMs();
    const isLocked = [...this.#locked.values()].every(({ untilMs }) => nowMs < untilMs);
    return this.#finished.length === 0 && this.#marked.size === 0 && isLocked;
  }

  async #send(batch: readonly Share[]): Promise<ReadonlySet<number>> {
    const attempts = batch.flatMap((share) => share.attempts);
    const entries = batch.flatMap(({ entry }) => entry ?? []);
    return new Set(await this.#store.settle(attempts, entries));
  }

  #onStored(batch: readonly Share[], gone: ReadonlySet<number>): void {
    for (const { endpoint, entry } of batch) {
      if (!entry || endpoint.lost) continue;
      if (gone.has(endpoint.client)) this.#listener.onGone(endpoint);
      else {
        endpoint.confirm(entry);
        this.#listener.onSettled(endpoint);
      }
    }
  }

  /**
   * Puts held and lost endpoints into separate batches. An endpoint may be in both: it was lost, and is held again by
   * a newer claim.
   */
  #nextBatches(): (readonly Share[])[] {
    const shares = new Map<HeldEndpoint, Share>();
    const shareOf = (endpoint: HeldEndpoint) => {
      let share = shares.get(endpoint);
      // Put the attempts that waited for the lock first, because an endpoint's attempts are reported in
      // order.
      const attempts = this.#locked.get(endpoint)?.attempts ?? [];
      if (!share) shares.set(endpoint, share = { endpoint, attempts, entry: undefined });
      return share;
    };
    for (const endpoint of this.#locked.keys()) shareOf(endpoint);
    for (const { endpoint, attempt } of this.#finished.splice(0, BATCH_ATTEMPTS)) {
      if (attempt.follows !== null) endpoint.progress.finish(attempt.follows, attempt.sequence);
      shareOf(endpoint).attempts.push(attempt);
    }
    for (const endpoint of this.#marked) shareOf(endpoint);
    this.#marked.clear();
    const nowMs = this.#monotonicMs();
    const all = [...shares.values()].filter(({ endpoint }) =>
      nowMs >= (this.#locked.get(endpoint)?.untilMs ?? nowMs)
    );
    for (const { endpoint } of all) this.#locked.delete(endpoint);
    // Sort by id. All code locks endpoints in this order, so two calls cannot deadlock.
    all.sort((one, other) => one.endpoint.client - other.endpoint.client);
    const [held, lost] = [
      all.filter(({ endpoint }) => !endpoint.lost),
      all.filter(({ endpoint }) => endpoint.lost),
    ];
    for (const share of held) share.entry = share.endpoint.report(nowMs);
    return [held, lost.filter(({ attempts }) => attempts.length > 0)].filter((batch) => batch.length > 0);
  }
}
