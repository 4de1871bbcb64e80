import { Refusal } from "../http/refusal.ts";

type AccountQueue = <T>(client: number, read: () => Promise<T>) => Promise<T>;

interface Queue {
  length: number;
  end: Promise<unknown>;
  /**
   * True after a read timed out on the account's lock. The reads that wait behind that read are then refused,
   * because each of them would time out as well.
   */
  stuck: boolean;
}

const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Runs a client's reads that lock its account one at a time. If another session has locked the account, these
 * reads occupy one connection and not the whole pool. If `most` reads of a client are queued or running, a
 * further read is refused at once.
 */
export function createAccountQueue(most: number): AccountQueue {
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
    "Your account is locked or too many of its reads are queued. Repeat the request after Retry-After.",
  );
