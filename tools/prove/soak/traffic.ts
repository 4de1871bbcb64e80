import { setTimeout as sleep } from "node:timers/promises";
import { type DayTrader, spreadActions } from "./day.ts";
import type { KeptIds } from "./kept_ids.ts";

/** How many actions were due in a span of time, and the results of the actions that ended in this span. */
export interface Slice {
  readonly due: number;
  readonly done: number;
  /**
   * For orders, the time from the moment when the action was due until the order was executed. Includes any
   * wait before sending.
   */
  readonly orderMs: readonly number[];
  readonly failures: ReadonlyMap<string, number>;
}

const TICK_MS = 5;
const WARM_UP_EACH = 50;

/**
 * Starts actions at a fixed rate, without waiting for earlier actions. The proof does not use k6, because on
 * a small machine k6 would take more processor time than the service.
 */
export class Traffic {
  /** The orders that were answered with success. */
  readonly accepted: KeptIds;
  readonly #dayTraders: readonly DayTrader[];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #actions = spreadActions();
  #arrivals = Promise.resolve();
  #on = false;
  #turn = 0;
  #slice = newSlice();

  /** `openDayTraders` creates the traders. Each trader must call `failed` for each of its failures. */
  constructor(accepted: KeptIds, openDayTraders: (failed: (what: string) => void) => readonly DayTrader[]) {
    this.accepted = accepted;
    this.#dayTraders = openDayTraders((what) => this.#fail(what));
  }

  /** Opens the traders and warms up the service. Without the warm-up, the first actions would queue. */
  async open(): Promise<void> {
    for (const id of await Promise.all(this.#dayTraders.map((dayTrader) => dayTrader.open()))) {
      this.accepted.add(id);
    }
    const worker = async () => {
      for (let n = 0; n < WARM_UP_EACH; n++) await this.#do(performance.now());
    };
    await Promise.all(this.#dayTraders.map(worker));
  }

  start(perSecond: number): void {
    this.#on = true;
    this.#arrivals = this.#arrive(perSecond);
  }

  /** Returns the results since the last call. */
  take(): Slice {
    const slice = this.#slice;
    this.#slice = newSlice();
    return slice;
  }

  /** Starts nothing more, and waits for the actions in progress. */
  async stop(): Promise<void> {
    this.#on = false;
    await this.#arrivals;
    await Promise.all(this.#inFlight);
  }

  async renewTokens(): Promise<void> {
    await Promise.all(this.#dayTraders.map((dayTrader) => dayTrader.renewToken()));
  }

  async #arrive(perSecond: number): Promise<void> {
    const startMs = performance.now();
    for (let arrived = 0; this.#on; await sleep(TICK_MS)) {
      for (const due = (performance.now() - startMs) * perSecond / 1000; arrived < due; arrived++) {
        const action = this.#do(startMs + arrived * 1000 / perSecond).catch((error: Error) =>
          this.#fail(error.message)
        );
        this.#inFlight.add(action);
        void action.then(() => this.#inFlight.delete(action));
      }
    }
  }

  #fail(what: string): void {
    const { failures } = this.#slice;
    failures.set(what, (failures.get(what) ?? 0) + 1);
  }

  async #do(dueMs: number): Promise<void> {
    const turn = this.#turn++;
    const action = this.#actions[turn % this.#actions.length]!;
    // Each action goes to the next partner. After each round the order of partners shifts by one, so that
    // every partner gets every kind of action.
    const dayTrader = this
      .#dayTraders[(turn + Math.floor(turn / this.#actions.length)) % this.#dayTraders.length]!;
    this.#slice.due++;
    const orderId = await dayTrader.do(action);
    this.#slice.done++;
    if (orderId === undefined) return;
    this.accepted.add(orderId);
    this.#slice.orderMs.push(performance.now() - dueMs);
  }
}

const newSlice = () => ({ due: 0, done: 0, orderMs: [] as number[], failures: new Map<string, number>() });
