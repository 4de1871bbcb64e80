import { classifySqlError } from "../database/classify_sql_error.ts";
import type { DeliveryStore, EventRow, Want } from "./delivery_store.ts";
import type { HeldEndpoint } from "./held_endpoint.ts";
import { partOfFree } from "./turn_order.ts";

const ENDPOINTS_PER_CALL = 256;
const EVENTS_PER_CALL = 1024;
/** The maximum number of events that are queued in memory, for all endpoints together. */
const WAITING_MAX = 4096;

interface FeederParts {
  readonly store: Pick<DeliveryStore, "take">;
  readonly monotonicMs: () => number;
  /** How many events are queued in memory now. */
  readonly waiting: () => number;
  readonly mayTake: () => boolean;
  /** The read of this endpoint's events has ended, perhaps without any event. */
  readonly onFed: (endpoint: HeldEndpoint) => void;
  /** The database permanently refuses to return this endpoint's events. */
  readonly onRefused: (endpoint: HeldEndpoint, error: unknown) => void;
}

/**
 * Reads events for the endpoints that have room. Calls run one at a time. Endpoints that ask during a call
 * are served together by the next call.
 */
export class Feeder {
  readonly #parts: FeederParts;
  readonly #asking = new Set<HeldEndpoint>();
  #isReading = false;

  constructor(parts: FeederParts) {
    this.#parts = parts;
  }

  /** Call this when the endpoint may have room and there may be events for it. */
  ask(endpoint: HeldEndpoint): void {
    if (endpoint.room(this.#parts.monotonicMs()) > 0) this.#asking.add(endpoint);
  }

  async pump(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (let wants; (wants = this.#nextWants()).size > 0;) await this.#take(wants);
    } catch {
      // Ignore the error: if the database is unavailable, the next heartbeat asks again.
    } finally {
      this.#isReading = false;
    }
  }

  /**
   * Chooses the endpoints for the next call. If the call is full, the remaining endpoints come first in the
   * following call. An endpoint that already has its share of the queue is left out; it asks again when one
   * of its attempts begins.
   */
  #nextWants(): Map<HeldEndpoint, Want> {
    const wants = new Map<HeldEndpoint, Want>();
    if (this.#asking.size === 0 || !this.#parts.mayTake()) return wants;
    const nowMs = this.#parts.monotonicMs();
    let free = WAITING_MAX - this.#parts.waiting();
    let left = EVENTS_PER_CALL;
    for (const endpoint of this.#asking) {
      if (wants.size === ENDPOINTS_PER_CALL || free <= 0 || left <= 0) break;
      this.#asking.delete(endpoint);
      const room = Math.min(endpoint.room(nowMs), partOfFree(free) - endpoint.waiting, left);
      if (room <= 0) continue;
      free -= room;
      left -= room;
      endpoint.mayHaveMore = false;
      const { client, tenure, takenTo: after } = endpoint;
      wants.set(endpoint, { client, tenure, after, room });
    }
    return wants;
  }

  async #take(wants: ReadonlyMap<HeldEndpoint, Want>): Promise<void> {
    const beganMs = this.#parts.monotonicMs();
    let rows: readonly EventRow[];
    try {
      rows = await this.#parts.store.take([...wants.values()]);
    } catch (error) {
      if (classifySqlError(error) === "rejected") return await this.#takeApart(wants, error);
      for (const endpoint of wants.keys()) endpoint.mayHaveMore = true;
      throw error;
    }
    const rowsOf = new Map<number, EventRow[]>([...wants.values()].map(({ client }) => [client, []]));
    for (const row of rows) rowsOf.get(row.client)?.push(row);
    for (const [endpoint, { client, room }] of wants) {
      const own = rowsOf.get(client) ?? [];
      if (own.length >= room) endpoint.mayHaveMore = true;
      endpoint.add(own, beganMs);
      this.#parts.onFed(endpoint);
    }
  }

  /** Reads each endpoint alone, so that an endpoint whose events cannot be read does not block the others. */
  async #takeApart(wants: ReadonlyMap<HeldEndpoint, Want>, error: unknown): Promise<void> {
    for (const [endpoint, want] of wants) {
      if (wants.size === 1) this.#parts.onRefused(endpoint, error);
      else await this.#take(new Map([[endpoint, want]]));
    }
  }
}
