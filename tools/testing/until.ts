import { setTimeout as sleep } from "node:timers/promises";

/**
 * Affects only how long a failing test takes. High, because a busy machine may need a hundred times as long
 * as an idle one.
 */
const CEILING_MS = 120_000;
const PAUSE_MS = 10;

/**
 * Waits until the condition holds, and returns its first truthy value. Use this instead of a fixed pause,
 * which would be too long on an idle machine and too short on a busy one. `seen` returns extra state for the
 * error message.
 *
 * @throws Error when the condition does not hold within `ceilingMs`.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  seen: () => unknown = () => undefined,
  ceilingMs: number = CEILING_MS,
): Promise<T> {
  const endMs = performance.now() + ceilingMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > endMs) break;
    await sleep(PAUSE_MS);
  }
  const state = JSON.stringify(await seen());
  throw new Error(
    `The condition did not become true within ${ceilingMs / 1000} s: ${condition}${
      state ? `; seen: ${state}` : ""
    }`,
  );
}
