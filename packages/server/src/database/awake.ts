import { setTimeout as sleep } from "node:timers/promises";
import type { Query } from "./query.ts";

const TIMEOUT_MS = 60_000;
const PAUSE_MS = 20;
/** SQLSTATE of a server that is starting, or recovering after a crash. */
const STARTING_UP = "57P03";

/**
 * Waits for a database that is starting, up to a minute, and then throws its error. Throws any other error at
 * once, because the address may be wrong.
 */
export async function untilAwake(sql: Query): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return void await sql`select 1`;
    } catch (error) {
      if ((error as { code?: string }).code !== STARTING_UP || performance.now() > deadline) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
