import { setTimeout as sleep } from "node:timers/promises";
import type { Partner } from "../admission/registry/snapshot.ts";

/** Reads a value for each partner that has an open stream, such as its price. One read serves all streams. */
export interface Feed<Value> {
  /** Calls `onValue` with each value that is read for the follower's partner, until the returned function is called. */
  follow(follower: Follower, onValue: (value: Value) => void): () => void;
}

interface Follower {
  /** The partner as it is registered now. */
  readonly partner: Partner;
}

const TICK_MS = 50;
/** A value whose read began longer ago than this, and that cannot be read again, must not look current. */
const LOST_MS = 200;
/** A lost value looks current for at most this much longer. */
const LOST_CHECK_MS = 25;

/**
 * Reads the values every TICK_MS while there are followers. If no read succeeds for LOST_MS, all followers get `lost`.
 * Without `lost`, they get nothing.
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
    const losing = lost !== undefined && setInterval(() => {
      if (monotonicMs() - readAtMs <= LOST_MS) return;
      for (const onValue of followers.values()) onValue(lost);
    }, LOST_CHECK_MS);
    while (followers.size > 0) {
      const startedMs = monotonicMs();
      const partners = new Map([...followers.keys()].map(({ partner }) => [partner.id, partner]));
      const reading = read([...partners.values()]).then((valueOf) => {
        readAtMs = startedMs;
        for (const [{ partner }, onValue] of followers) {
          if (partners.has(partner.id)) onValue(valueOf(partner));
        }
      }, () => {});
      await Promise.all([sleep(TICK_MS), reading]);
    }
    if (losing) clearInterval(losing);
    running = false;
  };

  return {
    follow(follower, onValue) {
      followers.set(follower, onValue);
      if (!running) {
        running = true;
        void run();
      }
      return () => void followers.delete(follower);
    },
  };
}
