import { classifySqlError } from "../database/classify_sql_error.ts";
import type { Outcome } from "./outcome.ts";

/** An item of a batch. Each item belongs to one client. */
export interface BatchItem {
  readonly client: number;
}

export interface Sending {
  /**
   * Wait for a client whose account another transaction has locked, instead of reporting the client as busy.
   */
  readonly wait: boolean;
  /** An earlier attempt may have been committed: look for its result before anything else. */
  readonly settle: boolean;
}

export type Send<Item> = (items: readonly Item[], sending: Sending) => Promise<Outcome[]>;

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  /** The error of an attempt that lost its connection. Whether that attempt was committed is unknown. */
  lost: unknown;
}

interface BatchInFlight {
  readonly size: number;
  /** From then on, another batch may be sent although it is not full. */
  readonly overlapsFromMs: number;
}

export interface BatcherOptions {
  readonly batchesInFlight: number;
  readonly batchItems: number;
  readonly queueItems: number;
  readonly overloaded: () => Error;
  /** The queue limit of one client, so that one client cannot fill the queue for the others. */
  readonly clientQueueItems: number;
  /** Default: COMMIT_WAIT_MS. */
  readonly commitWaitMs?: number;
  /** Default: GATHER_MS. */
  readonly gatherMs?: number;
  /** Set to true if `send` never reports a client as busy, because it always waits for the client's lock. */
  readonly waits?: boolean;
}

const ATTEMPTS = 4;
/** How long a batch waits for announced items. */
const GATHER_MS = 2;
/**
 * While a batch of more than SMALL_ITEMS is in flight, the next one waits until it is full, or for OVERLAP_MS.
 * That is longer than Postgres computes a batch, and shorter than a slow commit.
 */
const SMALL_ITEMS = 2;
const OVERLAP_MS = 10;
/** How long an item waits after it was sent. Its commit may be waiting for the standby. */
const COMMIT_WAIT_MS = 10_000;

/**
 * The error of a request that may have been committed: the connection was lost, the commit took too long, or
 * the statement or its wait for the standby was cancelled.
 */
export class InDoubtError extends Error {
  override readonly name: string = "InDoubtError";
}

const inDoubt = (cause: unknown) => new InDoubtError("the outcome is unknown", { cause });

/**
 * Sends a single order alone and at once. Under load, a batch holds the items that arrived during the previous
 * batch. A client is in one batch at a time, because a second batch would have to wait for the lock of the
 * client's account.
 */
export class Batcher<Item extends BatchItem> {
  readonly #send: Send<Item>;
  readonly #options: BatcherOptions;
  #queue: Waiting<Item>[] = [];
  readonly #clientsInFlight = new Set<number>();
  readonly #waitingOf = new Map<number, number>();
  readonly #inFlight = new Set<BatchInFlight>();
  #expected = 0;
  #gatheringUntilMs = 0;
  #isDue = false;
  readonly #sent = new Set<{ readonly sentMs: number }>();

  constructor(send: Send<Item>, options: BatcherOptions) {
    this.#send = send;
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** How long ago the oldest items without an outcome were sent, in seconds. 0 if there are none. */
  get oldestSeconds(): number {
    const nowMs = performance.now();
    return Math.max(0, ...[...this.#sent].map(({ sentMs }) => nowMs - sentMs)) / 1000;
  }

  /** Rejects all items that were not sent yet. */
  rejectWaiting(error: Error): void {
    for (const { reject } of this.#queue) reject(error);
    this.#queue = [];
    this.#waitingOf.clear();
  }

  submit(item: Item): Promise<Outcome> {
    const { queueItems, clientQueueItems, overloaded } = this.#options;
    const ofClient = this.#waitingOf.get(item.client) ?? 0;
    if (this.#queue.length >= queueItems || ofClient >= clientQueueItems) return Promise.reject(overloaded());
    this.#waitingOf.set(item.client, ofClient + 1);
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject, lost: undefined });
      this.#pumpSoon();
    });
  }

  /**
   * Announces an item while `admission` runs, which submits the item when it has succeeded. A batch waits for
   * announced items for up to GATHER_MS, because a statement costs as much as many items.
   */
  async expect<Admitted>(admission: Promise<Admitted>): Promise<Admitted> {
    this.#expected++;
    try {
      return await admission;
    } finally {
      this.#expected--;
      this.#pumpSoon();
    }
  }

  /** Pumps at the end of this turn of the event loop. All items that the turn submits are in one batch. */
  #pumpSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#pump();
    });
  }

  /**
   * Whether the waiting items should wait for more, because a statement costs as much as many items. The end
   * of an announced admission, the end of a batch and the timer of a batch in flight pump again.
   */
  #isGathering(): boolean {
    if (this.#queue.length >= this.#options.batchItems) return false;
    const nowMs = performance.now();
    for (const { size, overlapsFromMs } of this.#inFlight) {
      if (size > SMALL_ITEMS && nowMs < overlapsFromMs) return true;
    }
    if (this.#expected === 0 || this.#queue.length === 0) return false;
    if (this.#gatheringUntilMs === 0) this.#gatheringUntilMs = nowMs + (this.#options.gatherMs ?? GATHER_MS);
    return nowMs < this.#gatheringUntilMs;
  }

  #pump(): void {
    while (this.#inFlight.size < this.#options.batchesInFlight && !this.#isGathering()) {
      const batch = this.#takeBatch();
      if (batch.length === 0) return;
      this.#gatheringUntilMs = 0;
      const inFlight = { size: batch.length, overlapsFromMs: performance.now() + OVERLAP_MS };
      this.#inFlight.add(inFlight);
      const overlap = setTimeout(() => this.#pump(), OVERLAP_MS + 1);
      void this.#run(batch).finally(() => {
        clearTimeout(overlap);
        this.#inFlight.delete(inFlight);
        this.#pumpSoon();
      });
    }
  }

  #takeBatch(): Waiting<Item>[] {
    const batch: Waiting<Item>[] = [];
    const rest: Waiting<Item>[] = [];
    for (const waiting of this.#queue) {
      const free = batch.length < this.#options.batchItems && !this.#clientsInFlight.has(waiting.item.client);
      (free ? batch : rest).push(waiting);
    }
    this.#queue = rest;
    for (const { item: { client } } of batch) {
      this.#clientsInFlight.add(client);
      const left = this.#waitingOf.get(client)! - 1;
      if (left === 0) this.#waitingOf.delete(client);
      else this.#waitingOf.set(client, left);
    }
    return batch;
  }

  async #run(batch: readonly Waiting<Item>[]): Promise<void> {
    const sentMs = performance.now();
    const busy = await this.#limit(batch, sentMs, this.#settle(batch, this.#options.waits ?? false));
    const clients = new Set(batch.map(({ item }) => item.client));
    const busyClients = groupByClient(busy);
    for (const client of clients) if (!busyClients.has(client)) this.#clientsInFlight.delete(client);
    // A wait for a lock that another process holds does not count as a batch in flight, because it delays
    // only that client's items.
    for (const [client, group] of busyClients) {
      void this.#limit(group, sentMs, this.#settle(group, true)).finally(() => {
        this.#clientsInFlight.delete(client);
        this.#pump();
      });
    }
  }

  /**
   * Rejects the items that have no outcome in time, with InDoubtError. Never cancels the statement, because
   * Postgres acknowledges a cancelled wait for the standby as a commit. So the statement goes on and keeps
   * its place in flight, and the key gives its outcome later.
   */
  async #limit<Result>(
    batch: readonly Waiting<Item>[],
    sentMs: number,
    settled: Promise<Result>,
  ): Promise<Result> {
    const entry = { sentMs };
    this.#sent.add(entry);
    const untilMs = sentMs + (this.#options.commitWaitMs ?? COMMIT_WAIT_MS);
    const timer = setTimeout(() => {
      for (const { reject } of batch) reject(inDoubt(new Error("the commit took too long")));
    }, untilMs - performance.now());
    try {
      return await settled;
    } finally {
      clearTimeout(timer);
      this.#sent.delete(entry);
    }
  }

  /** Sends the items, resolves those that have an outcome, and returns those whose client was busy. */
  async #settle(batch: readonly Waiting<Item>[], wait: boolean): Promise<Waiting<Item>[]> {
    let outcomes: Outcome[];
    try {
      outcomes = await this.#sendSurely(batch, wait);
    } catch (error) {
      if (batch.length === 1 || error instanceof InDoubtError || classifySqlError(error) !== "rejected") {
        for (const { reject, lost } of batch) {
          reject(lost === undefined ? error : inDoubt(lost));
        }
        return [];
      }
      // Send each item alone, so that a bad item fails alone. The batch was rolled back, so nothing is booked
      // twice. The items of one client keep their order.
      await Promise.all([...groupByClient(batch).values()].map(async (group) => {
        for (const one of group) await this.#settle([one], true);
      }));
      return [];
    }
    const busy: Waiting<Item>[] = [];
    batch.forEach((waiting, index) => {
      const outcome = outcomes[index]!;
      if (outcome.outcome === "busy" && !wait) busy.push(waiting);
      else waiting.resolve(outcome);
    });
    return busy;
  }

  /**
   * Sends the items and retries transient errors, in ATTEMPTS attempts at most. After a lost connection it is
   * unknown whether the attempt was committed, so each retry looks for the earlier result first (`settle`).
   */
  async #sendSurely(batch: readonly Waiting<Item>[], wait: boolean): Promise<Outcome[]> {
    const items = batch.map(({ item }) => item);
    for (let attempt = 1;; attempt++) {
      const settle = batch.some(({ lost }) => lost !== undefined);
      try {
        return await this.#send(items, { wait, settle });
      } catch (error) {
        const found = classifySqlError(error);
        if (found === "lock_timeout" && wait && !settle) {
          return items.map(() => ({ outcome: "idempotency_request_in_progress", status: null, body: null }));
        }
        if (found === "in_doubt") throw inDoubt(error);
        if (found === "connection_lost") { for (const one of batch) one.lost = error; }
        // Once an attempt may have been committed, retry after every error but a rejection, because the
        // outcome is still unknown. ATTEMPTS limits the retries.
        const open = found === "transient" || found === "connection_lost" || (settle && found !== "rejected");
        if (!open || attempt === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20 * 4 ** attempt * (0.5 + Math.random())));
      }
    }
  }
}

export const oldestSecondsOf = (batchers: readonly { readonly oldestSeconds: number }[]): number =>
  Math.max(...batchers.map(({ oldestSeconds }) => oldestSeconds));

function groupByClient<Item extends BatchItem>(
  waiting: readonly Waiting<Item>[],
): Map<number, Waiting<Item>[]> {
  const groups = new Map<number, Waiting<Item>[]>();
  for (const one of waiting) {
    const group = groups.get(one.item.client);
    if (group) group.push(one);
    else groups.set(one.item.client, [one]);
  }
  return groups;
}
