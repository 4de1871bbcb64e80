import type { Sql } from "postgres";

const PAUSE_MS = 3_600_000;

/** Has a place made for the attempts of the weeks ahead, and those dropped that are not kept any more. */
export function startAttemptsKeeper(sql: Sql): { stop(): void } {
  // Three weeks are made ahead, so one turn that fails is of no account.
  const keep = () => void sql`select gold.keep_attempts()`.catch(() => {});
  const timer = setInterval(keep, PAUSE_MS);
  keep();
  return { stop: () => clearInterval(timer) };
}
