import { Refusal } from "../refusal.ts";

type Turns = <T>(client: number, read: () => Promise<T>) => Promise<T>;

interface Queue {
  length: number;
  end: Promise<unknown>;
  /** The account stayed locked for as long as is waited: those behind would wait as long again, each. */
  stuck: boolean;
}

const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Reads that hold an account wait for it one after the other: while a client's account is locked elsewhere, they keep one
 * connection waiting and never all of them. What comes beyond the queue is refused at once.
 */
export function createTurns(most: number): Turns {
  const queues = new Map<number, Queue>();
  return async (client, read) => {
    const queue = queues.get(client) ?? { length: 0, end: Promise.resolve(), stuck: false };
    if (queue.length >= most) throw busy();
    queue.length++;
    queues.set(client, queue);
    const result = queue.end.then(() => queue.stuck ? Promise.reject(busy()) : read());
    queue.end = result.catch((error: { code?: string }) => {
      if (error.code === LOCK_NOT_AVAILABLE) queue.stuck = true;
    });
    try {
      return await result;
    } finally {
      if (--queue.length === 0) queues.delete(client);
    }
  };
}

const busy = () =>
  new Refusal(
    "service_unavailable",
    "Your account is busy, and more of your reads wait than are taken on; repeat after Retry-After.",
  );
