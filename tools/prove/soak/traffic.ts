import { Arrivals } from "../stage/arrivals.ts";
import { type DayTrader, spreadActions } from "./day.ts";
import { addTo } from "../stage/wire.ts";
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

const WARM_UP_EACH = 50;

/**
 * Starts actions of the partners at a fixed rate. The proof does not use k6, because on a small machine k6
 * would take more processor time than the service.
 */
export class Traffic {
  /** The orders that were answered with success. */
  readonly accepted: KeptIds;
  readonly #dayTraders: readonly DayTrader[];
  readonly #actions = spreadActions();
  readonly #arrivals = new Arrivals((dueMs) =>
    this.#do(dueMs).catch((error: Error) => this.#fail(error.message))
  );
  #turn = 0;
  #slice = newSlice();

  /** `openDayTraders` creates the traders. Each trader must call `failed` for each of its failures. */
  constructor(accepted: KeptIds, openDayTraders: (failed: (what: string) => void) => readonly DayTrader[]) {
    this.accepted = accepted;
    this.#dayTraders = openDayTraders((what) => this.#fail(what));
  }

  /** Opens the traders and warms up the service. */
  async open(): Promise<void> {
    for (const id of await Promise.all(this.#dayTraders.map((dayTrader) => dayTrader.open()))) {
      this.accepted.add(id);
    }
    await this.#arrivals.warmUp(this.#dayTraders.length, WARM_UP_EACH);
  }

  start(perSecond: number): void {
    this.#arrivals.start(perSecond);
  }

  /** Returns the results since the last call. */
  take(): Slice {
    const slice = this.#slice;
    this.#slice = newSlice();
    return slice;
  }

  /** Starts nothing more, and waits for the actions in progress. */
  async stop(): Promise<void> {
    await this.#arrivals.stop();
  }

  async renewTokens(): Promise<void> {
    await Promise.all(this.#dayTraders.map((dayTrader) => dayTrader.renewToken()));
  }

  #fail(what: string): void {
    addTo(this.#slice.failures, what);
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
