import type { WebhookSecret } from "@gold-partner/protocol";
import type { Simulations } from "../admission/registry/snapshot.ts";
import type { OpenSecret, Waiting } from "./held_endpoint.ts";

type Armed = NonNullable<Simulations["webhooks"]>;

/** How a simulation changes the first attempt of one event. */
export interface Disturbance {
  /** How long the worker waits before it sends the event. */
  readonly waitMs: number;
  readonly isSentTwice: boolean;
  /** The secrets that sign instead of the partner's active ones. */
  readonly signsWith: ((own: readonly OpenSecret[]) => readonly WebhookSecret[]) | undefined;
}

export type DisturbanceOf = (client: number, event: Waiting) => Disturbance | undefined;

const OUT_OF_ORDER_SECONDS = 5;

/**
 * Decides by an event's sequence number whether its partner's simulation changes the event. So every worker
 * decides alike. `foreign` is a secret that belongs to no partner.
 */
export function createDisturbances(
  armedOf: (client: number) => Armed | undefined,
  now: () => number,
  foreign: WebhookSecret,
): DisturbanceOf {
  // While secrets overlap, the last one is the older one. A receiver must accept it, too.
  const otherSecret = (own: readonly OpenSecret[]) => [own.length > 1 ? own.at(-1)!.secret : foreign];
  return (client, { sequence, tries, ticket }) => {
    const armed = armedOf(client);
    if (!armed || tries > 0 || Date.parse(armed.until) <= now()) return undefined;
    const place = sequence - armed.from;
    if (place < 0 || place >= armed.count) return undefined;
    return {
      // An event from the retry table belongs to this worker for only 20 s, so it cannot wait.
      waitMs: ticket === null ? 1000 * waitSeconds(armed, place) : 0,
      isSentTwice: armed.kind === "twice",
      signsWith: armed.kind === "other_secret" ? otherSecret : undefined,
    };
  };
}

function waitSeconds({ kind, seconds }: Armed, place: number): number {
  if (kind === "late") return seconds!;
  return kind === "out_of_order" && place % 2 === 0 ? OUT_OF_ORDER_SECONDS : 0;
}
