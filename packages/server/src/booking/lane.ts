import type { Outcome } from "./outcome.ts";

/** What a lane carries: anything of one client. */
export interface LaneItem {
  readonly client: number;
}

export interface Sending {
  /** Wait for a client that is locked elsewhere, instead of reporting it busy. */
  readonly wait: boolean;
  /** An earlier attempt may have been committed: look for its result before anything else. */
  readonly settle: boolean;
}

export type Send<Item> = (items: readonly Item[], sending: Sending) => Promise<Outcome[]>;

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  /** The loss of a connection after which nobody knows whether an attempt stands. */
  lost: unknown;
}

export interface LaneOptions {
  readonly lanes: number;
  readonly batchItems: number;
  readonly queueItems: number;
  readonly overloaded: () => Error;
  /** At most so many of one client: nobody fills the queue for the others. */
  readonly clientQueueItems: number;
  /** Its Send knows no busy clients: it always waits. */
  readonly waits?: boolean;
}

const ATTEMPTS = 4;

/** The connection was lost, and what became of the request could not be found out. */
export class InDoubtError extends Error {
  override readonly name: string = "InDoubtError";
}

const inDoubt = (cause: unknown) => new InDoubtError("the outcome is unknown", { cause });

/**
 * Batches without a timer: what waits is sent as soon as a lane is free, so an order that comes alone goes alone and at
 * once, and under load each batch is what came in while the one before was under way. A client is in one lane at a
 * time: two lanes would wait for each other on its account.
 */
export class Lane<Item extends LaneItem> {
  readonly #send: Send<Item>;
  readonly #options: LaneOptions;
  #queue: Waiting<Item>[] = [];
  readonly #clientsUnderWay = new Set<number>();
  readonly #waitingOf = new Map<number, number>();
  readonly #sizesUnderWay: number[] = [];

  constructor(send: Send<Item>, options: LaneOptions) {
    this.#send = send;
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.length;
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
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#sizesUnderWay.length < this.#options.lanes) {
      // A few that came while a large batch is under way fare better in the next one than alone: a statement of its own costs
      // as much as many items. Beside a small batch nobody waits.
      const batch = this.#takeBatch(Math.ceil(Math.max(1, ...this.#sizesUnderWay) / 2));
      if (batch.length === 0) return;
      this.#sizesUnderWay.push(batch.length);
      void this.#run(batch).finally(() => {
        this.#sizesUnderWay.splice(this.#sizesUnderWay.indexOf(batch.length), 1);
        this.#pump();
      });
    }
  }

  #takeBatch(least: number): Waiting<Item>[] {
    const batch: Waiting<Item>[] = [];
    const rest: Waiting<Item>[] = [];
    for (const waiting of this.#queue) {
      const free = batch.length < this.#options.batchItems && !this.#clientsUnderWay.has(waiting.item.client);
      (free ? batch : rest).push(waiting);
    }
    if (batch.length < least) return [];
    this.#queue = rest;
    for (const { item: { client } } of batch) {
      this.#clientsUnderWay.add(client);
      const left = this.#waitingOf.get(client)! - 1;
      if (left === 0) this.#waitingOf.delete(client);
      else this.#waitingOf.set(client, left);
    }
    return batch;
  }

  async #run(batch: readonly Waiting<Item>[]): Promise<void> {
    const busy = await this.#settle(batch, this.#options.waits ?? false);
    const clients = new Set(batch.map(({ item }) => item.client));
    const busyClients = groupByClient(busy);
    for (const client of clients) if (!busyClients.has(client)) this.#clientsUnderWay.delete(client);
    // A client that another process holds is waited for outside the lane: it delays only its own orders.
    for (const [client, group] of busyClients) {
      void this.#settle(group, true).finally(() => {
        this.#clientsUnderWay.delete(client);
        this.#pump();
      });
    }
  }

  /** Sends, answers what can be answered, and returns what found its client busy. */
  async #settle(batch: readonly Waiting<Item>[], wait: boolean): Promise<Waiting<Item>[]> {
    let outcomes: Outcome[];
    try {
      outcomes = await this.#sendSurely(batch, wait);
    } catch (error) {
      if (batch.length === 1 || fateOf(error) !== "final") {
        for (const { reject, lost } of batch) {
          reject(lost === undefined ? error : inDoubt(lost));
        }
        return [];
      }
      // A bad item fails alone: the batch was rolled back, each item runs once by itself, a client's in their order.
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

  /** Repeats what failed in passing. After a lost connection nobody knows whether the commit came first, so it asks. */
  async #sendSurely(batch: readonly Waiting<Item>[], wait: boolean): Promise<Outcome[]> {
    const items = batch.map(({ item }) => item);
    for (let attempt = 1;; attempt++) {
      const settle = batch.some(({ lost }) => lost !== undefined);
      try {
        return await this.#send(items, { wait, settle });
      } catch (error) {
        const fate = fateOf(error);
        if (fate === "lock_timeout" && wait && !settle) {
          return items.map(() => ({ outcome: "idempotency_request_in_progress", status: null, body: null }));
        }
        if (fate === "doubtful") throw inDoubt(error);
        if (fate === "unknown") { for (const one of batch) one.lost = error; }
        // Once an attempt may have been committed, the question stays open while the database is away.
        const open = fate === "retry" || fate === "unknown" || (settle && fate !== "final");
        if (!open || attempt === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20 * 4 ** attempt * (0.5 + Math.random())));
      }
    }
  }
}

function groupByClient<Item extends LaneItem>(
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

type Fate = "final" | "retry" | "lock_timeout" | "unknown" | "doubtful" | "unavailable";

const FATES: readonly (readonly [RegExp, Fate])[] = [
  // Serialization failure, deadlock.
  [/^40(001|P01)$/, "retry"],
  [/^55P03$/, "lock_timeout"],
  // The server is going down, or the connection broke while a statement was under way.
  [/^(57P0[1-5]|08...|40003|CONNECTION_\w+|ECONNRESET|EPIPE)$/, "unknown"],
  // The wait for the standby was cancelled after the commit, or the statement was cancelled and the error does not say when. Do not look
  // for the result: it might be a commit that a failover undoes.
  [/^(57014|COMMIT_UNREPLICATED)$/, "doubtful"],
  // Nothing was committed: no disk space, a failing disk, a replica, or this service refuses writes now.
  [/^(53...|58...|25006|CONNECT_TIMEOUT|service_unavailable)$/, "unavailable"],
];

/** While connecting nothing was sent; on a connection that stood, a statement may have been. */
const NETWORK = /^(ECONNREFUSED|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND)$/;

/** What an error says about the transaction: rolled back for good, rolled back in passing, or perhaps committed. */
export function fateOf(error: unknown): Fate {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (error instanceof InDoubtError) return "unknown";
  if (typeof code !== "string") return "final";
  if (NETWORK.test(code)) return syscall === "write" || syscall === "read" ? "unknown" : "unavailable";
  return FATES.find(([pattern]) => pattern.test(code))?.[1] ?? "final";
}
