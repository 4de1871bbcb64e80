import { setTimeout as sleep } from "node:timers/promises";
import { fateOf } from "../booking/lane.ts";
import type { AttemptEntry, DeliveryStore, EndpointEntry } from "./delivery_store.ts";
import type { HeldEndpoint } from "./held_endpoint.ts";

interface Finished {
  readonly endpoint: HeldEndpoint;
  readonly attempt: AttemptEntry;
}

/** What one endpoint has to tell: its attempts, and itself unless it is lost. */
interface Share {
  readonly endpoint: HeldEndpoint;
  readonly attempts: AttemptEntry[];
  entry: EndpointEntry | undefined;
}

interface SettlementEars {
  /** The endpoint turned out not to be this worker's any more. */
  readonly onGone: (endpoint: HeldEndpoint) => void;
  /** The database has what was told of it. */
  readonly onSettled: (endpoint: HeldEndpoint) => void;
  /** The database refuses what is told of it, for good. */
  readonly onRefused: (endpoint: HeldEndpoint, error: unknown) => void;
}

const BATCH_ATTEMPTS = 512;
/** Nobody waits for what is settled, and a call costs as much as many attempts in one: a few have it wait a moment for others. */
const FEW_ATTEMPTS = 64;
const BREATH_MS = 10;
/** Somebody else holds its rows: it is told again after this, with what came of it meanwhile. */
const LOCKED_MS = 1000;

/**
 * Tells the database what became of attempts: one call at a time, with all that ended while the one before was under way. A call
 * that failed is made again as it was, so that what is told of an endpoint never goes beyond the attempts that are told.
 */
export class Settlement {
  readonly #store: Pick<DeliveryStore, "settle">;
  readonly #monotonicMs: () => number;
  readonly #ears: SettlementEars;
  #finished: Finished[] = [];
  #unsettled = 0;
  readonly #marked = new Set<HeldEndpoint>();
  readonly #locked = new Map<HeldEndpoint, { attempts: AttemptEntry[]; readonly untilMs: number }>();
  #batches: (readonly Share[])[] = [];
  #underWay: Promise<boolean> | undefined;

  constructor(store: Pick<DeliveryStore, "settle">, monotonicMs: () => number, ears: SettlementEars) {
    this.#store = store;
    this.#monotonicMs = monotonicMs;
    this.#ears = ears;
  }

  /** How many attempts the database has yet to hear of. */
  get unsettled(): number {
    return this.#unsettled;
  }

  note(endpoint: HeldEndpoint, attempt: AttemptEntry): void {
    this.#finished.push({ endpoint, attempt });
    this.#unsettled++;
  }

  /** Something about the endpoint itself has changed. */
  mark(endpoint: HeldEndpoint): void {
    this.#marked.add(endpoint);
  }

  /** Settles until nothing is left; false where the database does not answer: then it is to be called again. */
  settle(): Promise<boolean> {
    return this.#underWay ??= this.#settleAll().finally(() => this.#underWay = undefined);
  }

  async #settleAll(): Promise<boolean> {
    for (let isFirst = true;;) {
      if (this.#batches.length === 0) {
        if (this.#isEmpty()) return this.#locked.size === 0;
        if (!isFirst && this.#finished.length < FEW_ATTEMPTS) await sleep(BREATH_MS);
        isFirst = false;
        this.#batches = this.#nextBatches();
      }
      const [batch] = this.#batches;
      if (!batch) continue;
      try {
        this.#tell(batch, await this.#send(batch));
      } catch (error) {
        const fate = fateOf(error);
        if (fate !== "final" && fate !== "lock_timeout") return false;
        // One that is locked, or refused for good, must not keep the others from being settled.
        if (batch.length > 1) {
          this.#batches.splice(0, 1, ...batch.map((share) => [share]));
          continue;
        }
        const { endpoint, attempts } = batch[0]!;
        if (fate === "lock_timeout") {
          this.#batches.shift();
          this.#locked.set(endpoint, { attempts, untilMs: this.#monotonicMs() + LOCKED_MS });
          continue;
        }
        this.#ears.onRefused(endpoint, error);
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

  #tell(batch: readonly Share[], gone: ReadonlySet<number>): void {
    for (const { endpoint, entry } of batch) {
      if (!entry || endpoint.lost) continue;
      if (gone.has(endpoint.client)) this.#ears.onGone(endpoint);
      else {
        endpoint.confirm(entry);
        this.#ears.onSettled(endpoint);
      }
    }
  }

  /** Those that were lost apart from the others, among which the same client may be anew. */
  #nextBatches(): (readonly Share[])[] {
    const shares = new Map<HeldEndpoint, Share>();
    const shareOf = (endpoint: HeldEndpoint) => {
      let share = shares.get(endpoint);
      // What is told of an endpoint is told in its order, so what came first stands first.
      const attempts = this.#locked.get(endpoint)?.attempts ?? [];
      if (!share) shares.set(endpoint, share = { endpoint, attempts, entry: undefined });
      return share;
    };
    for (const endpoint of this.#locked.keys()) shareOf(endpoint);
    for (const { endpoint, attempt } of this.#finished.splice(0, BATCH_ATTEMPTS)) {
      if (attempt.ticket === null) endpoint.progress.finish(attempt.sequence);
      shareOf(endpoint).attempts.push(attempt);
    }
    for (const endpoint of this.#marked) shareOf(endpoint);
    this.#marked.clear();
    const nowMs = this.#monotonicMs();
    const all = [...shares.values()].filter(({ endpoint }) =>
      nowMs >= (this.#locked.get(endpoint)?.untilMs ?? nowMs)
    );
    for (const { endpoint } of all) this.#locked.delete(endpoint);
    // Ascending, as everybody locks them.
    all.sort((one, other) => one.endpoint.client - other.endpoint.client);
    const [held, lost] = [
      all.filter(({ endpoint }) => !endpoint.lost),
      all.filter(({ endpoint }) => endpoint.lost),
    ];
    for (const share of held) share.entry = share.endpoint.tell(nowMs);
    return [held, lost.filter(({ attempts }) => attempts.length > 0)].filter((batch) => batch.length > 0);
  }
}
