import { setTimeout as sleep } from "node:timers/promises";
import type { Partner } from "../admission/registry/snapshot.ts";

/** What several partners want to know at once, such as their prices. One read serves all that wait. */
export interface Feed<Value> {
  /** Calls `tell` with each new value of the follower's partner, until the returned function is called. */
  follow(follower: Follower, tell: (value: Value) => void): () => void;
}

interface Follower {
  /** The partner as it is registered now. */
  readonly partner: Partner;
}

const TICK_MS = 50;
/** For longer than this after its read began, a value that cannot be read again must not look current. */
const LOST_MS = 200;
/** A check for lost values adds at most this to their age. With TICK_MS, streams showed values for over 500 ms. */
const LOST_CHECK_MS = 25;

/**
 * Reads the values each TICK_MS while anybody follows. If they cannot be read for LOST_MS, everybody is told `lost`;
 * without it, nobody is told anything.
 */
export function openFeed<Value>(
  read: (partners: readonly Partner[]) => Promise<(partner: Partner) => Value>,
  monotonicMs: () => number,
  lost?: Value,
): Feed<Value> {
  const followers = new Map<Follower, (value: Value) => void>();
  let running = false;

  const run = async () => {
    let readAtMs = monotonicMs();
    const lose = () => {
      if (lost === undefined || monotonicMs() - readAtMs <= LOST_MS) return;
      for (const tell of followers.values()) tell(lost);
    };
    while (followers.size > 0) {
      const slow = setInterval(lose, LOST_CHECK_MS);
      const startedMs = monotonicMs();
      const partners = new Map([...followers.keys()].map(({ partner }) => [partner.id, partner]));
      const told = read([...partners.values()]).then((valueOf) => {
        readAtMs = startedMs;
        for (const [{ partner }, tell] of followers) if (partners.has(partner.id)) tell(valueOf(partner));
      }, lose);
      await Promise.all([sleep(TICK_MS), told.finally(() => clearInterval(slow))]);
    }
    running = false;
  };

  return {
    follow(follower, tell) {
      followers.set(follower, tell);
      if (!running) {
        running = true;
        void run();
      }
      return () => void followers.delete(follower);
    },
  };
}
