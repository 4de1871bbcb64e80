import type { HeldEndpoint } from "./held_endpoint.ts";

/** How many attempts of this process may be in flight at once. */
const IN_FLIGHT_MAX = 1024;
/**
 * How many of these attempts may go to failing endpoints, that is, endpoints with failures. They are limited
 * because an attempt to a dead endpoint stays in flight until its deadline.
 */
const FAILING_MAX = IN_FLIGHT_MAX / 2;

/**
 * Returns how much of a free amount one endpoint may use: an eighth, but at least 1. The rest stays for other
 * endpoints, even if many endpoints have begun to hang and have no failures yet.
 */
export const partOfFree = (free: number): number => Math.max(1, free >> 3);

/**
 * Whether the endpoint was failing when an attempt began. end() lowers the count that this attempt raised,
 * although the endpoint may have changed since.
 */
interface Place {
  readonly failing: boolean;
}

/**
 * Chooses the endpoint that sends next. Endpoints take turns, and each turn sends one event. Failing
 * endpoints wait in a separate line. Turns alternate between the two lines, so failing endpoints get at most
 * every other turn while other endpoints wait.
 */
export class TurnOrder {
  readonly #lines = { well: new Set<HeldEndpoint>(), failing: new Set<HeldEndpoint>() };
  #inFlight = 0;
  #failing = 0;
  #failingWasNext = false;

  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * Puts the endpoint at the end of its line, if it can send. An endpoint that is already in the line keeps
   * its place.
   */
  offer(endpoint: HeldEndpoint, nowMs: number): void {
    const { well, failing } = this.#lines;
    const [line, other] = endpoint.isFailing ? [failing, well] : [well, failing];
    other.delete(endpoint);
    if (endpoint.isReady(nowMs)) line.add(endpoint);
  }

  /** Returns the next endpoint and removes it from its line. Turns alternate between the two lines. */
  next(nowMs: number): HeldEndpoint | undefined {
    if (this.#inFlight >= IN_FLIGHT_MAX) return undefined;
    const { well, failing } = this.#lines;
    const lines = this.#failing >= FAILING_MAX
      ? [well]
      : this.#failingWasNext
      ? [well, failing]
      : [failing, well];
    const most = partOfFree(IN_FLIGHT_MAX - this.#inFlight);
    for (const line of lines) {
      for (const endpoint of line) {
        if (endpoint.inFlight >= most) continue;
        line.delete(endpoint);
        if (endpoint.isReady(nowMs) && endpoint.isFailing === (line === failing)) {
          this.#failingWasNext = line === failing;
          return endpoint;
        }
        this.offer(endpoint, nowMs);
      }
    }
    return undefined;
  }

  begin(endpoint: HeldEndpoint): Place {
    const place = { failing: endpoint.isFailing };
    this.#inFlight++;
    endpoint.inFlight++;
    if (place.failing) this.#failing++;
    return place;
  }

  end(endpoint: HeldEndpoint, place: Place): void {
    this.#inFlight--;
    endpoint.inFlight--;
    if (place.failing) this.#failing--;
  }
}
