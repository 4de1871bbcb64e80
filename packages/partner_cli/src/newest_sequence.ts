import type { GoldClient } from "@gold-partner/client";

/**
 * Returns the sequence number of the newest event, or 0. The list of events begins at the oldest, so the
 * newest is found by bisection: about 2 log2(n) requests for n events.
 */
export async function newestSequence(client: GoldClient, signal?: AbortSignal): Promise<number> {
  const hasEventsAfter = async (after: number) =>
    (await client.listEvents({ after, limit: 1 }, { signal })).items.length > 0;
  if (!await hasEventsAfter(0)) return 0;
  // The first loop doubles `high` until no event is after it. There is always an event after `low`.
  let [low, high] = [0, 1];
  while (await hasEventsAfter(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await hasEventsAfter(middle)) low = middle;
    else high = middle;
  }
  return high;
}
