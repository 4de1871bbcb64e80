import { setTimeout as sleep } from "node:timers/promises";

const TICK_MS = 5;
/** The shortest pause of a timer. */
export const SHORT_TICK_MS = 1;

/** Starts actions at a fixed rate, without waiting for earlier actions. */
export class Arrivals {
  readonly #act: (dueMs: number) => Promise<void>;
  readonly #tickMs: number;
  readonly #inFlight = new Set<Promise<void>>();
  #arriving = Promise.resolve();
  #on = false;

  /** `act` gets the moment at which the action was due. It must not throw. */
  constructor(act: (dueMs: number) => Promise<void>, tickMs = TICK_MS) {
    this.#act = act;
    this.#tickMs = tickMs;
  }

  /** Warms the service up: without it, the first actions would queue while the service is still slow. */
  async warmUp(workers: number, each: number): Promise<void> {
    const work = async () => {
      for (let n = 0; n < each; n++) await this.#act(performance.now());
    };
    await Promise.all(Array.from({ length: workers }, work));
  }

  start(perSecond: number): void {
    this.#on = true;
    this.#arriving = this.#arrive(perSecond);
  }

  /** Starts nothing more, and waits for the actions in progress. */
  async stop(): Promise<void> {
    this.#on = false;
    await this.#arriving;
    await Promise.all(this.#inFlight);
  }

  async #arrive(perSecond: number): Promise<void> {
    const startMs = performance.now();
    for (let arrived = 0; this.#on; await sleep(this.#tickMs)) {
      for (const due = (performance.now() - startMs) * perSecond / 1000; arrived < due; arrived++) {
        const action = this.#act(startMs + arrived * 1000 / perSecond);
        this.#inFlight.add(action);
        void action.then(() => this.#inFlight.delete(action));
      }
    }
  }
}
