import type { Query } from "../database/query.ts";

const PAUSE_MS = 3_600_000;

/**
 * Creates the partitions for the attempts of the coming weeks, and drops the partitions that are past their
 * retention.
 */
export function startAttemptsKeeper(sql: Query, onFailure: (error: unknown) => void): { stop(): void } {
  // A failed call does no harm yet, because partitions exist three weeks ahead.
  const keep = () => void sql`select gold.keep_attempts()`.catch(onFailure);
  const timer = setInterval(keep, PAUSE_MS);
  keep();
  return { stop: () => clearInterval(timer) };
}
