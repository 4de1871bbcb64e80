import type { HeldEndpoint } from "./held_endpoint.ts";

/** Of all attempts that are under way in this process, so many may go to endpoints that ail: a dead one holds its own for long. */
const IN_FLIGHT_MAX = 1024;
const AILING_MAX = IN_FLIGHT_MAX / 2;

/**
 * How much of something one endpoint may have: an eighth of what is free, and one at least. So there is always room for another
 * endpoint, however many began to hang a moment ago and are not known to ail.
 */
export const partOfFree = (free: number): number => Math.max(1, free >> 3);

/** An attempt's place among those under way. */
interface Place {
  readonly ailing: boolean;
}

/**
 * Whose event goes next: one event of each endpoint, then the next of each. Those that ail stand in a line of their own,
 * beside the others and never before them.
 */
export class TurnOrder {
  readonly #lines = { well: new Set<HeldEndpoint>(), ailing: new Set<HeldEndpoint>() };
  #inFlight = 0;
  #ailing = 0;
  #ailingWasNext = false;

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The endpoint stands in line, at its end unless it stands there already. */
  offer(endpoint: HeldEndpoint, nowMs: number): void {
    const { well, ailing } = this.#lines;
    const [line, other] = endpoint.ails ? [ailing, well] : [well, ailing];
    other.delete(endpoint);
    if (endpoint.isReady(nowMs)) line.add(endpoint);
  }

  /** Who is next, by turns from both lines; it is not in line any more. */
  next(nowMs: number): HeldEndpoint | undefined {
    if (this.#inFlight >= IN_FLIGHT_MAX) return undefined;
    const { well, ailing } = this.#lines;
    const lines = this.#ailing >= AILING_MAX ? [well] : this.#ailingWasNext ? [well, ailing] : [ailing, well];
    const most = partOfFree(IN_FLIGHT_MAX - this.#inFlight);
    for (const line of lines) {
      for (const endpoint of line) {
        if (endpoint.inFlight >= most) continue;
        line.delete(endpoint);
        if (endpoint.isReady(nowMs) && endpoint.ails === (line === ailing)) {
          this.#ailingWasNext = line === ailing;
          return endpoint;
        }
        this.offer(endpoint, nowMs);
      }
    }
    return undefined;
  }

  begin(endpoint: HeldEndpoint): Place {
    const place = { ailing: endpoint.ails };
    this.#inFlight++;
    endpoint.inFlight++;
    if (place.ailing) this.#ailing++;
    return place;
  }

  end(endpoint: HeldEndpoint, place: Place): void {
    this.#inFlight--;
    endpoint.inFlight--;
    if (place.ailing) this.#ailing--;
  }
}
