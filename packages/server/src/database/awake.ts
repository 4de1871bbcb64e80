import { setTimeout as sleep } from "node:timers/promises";
import { NO_PRIMARY } from "@gold-partner/database";
import type { Query } from "./query.ts";

const TIMEOUT_MS = 60_000;
const PAUSE_MS = 20;
/** The SQLSTATE of a server that is starting, or recovering after a crash, and the code during a failover. */
const STARTING_UP: readonly unknown[] = ["57P03", NO_PRIMARY];

/**
 * Waits up to a minute for a database that is starting or has no primary yet. Then throws the database's
 * error. Throws any other error at once, because the address may be wrong.
 */
export async function untilAwake(sql: Query): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return void await sql`select 1`;
    } catch (error) {
      if (!STARTING_UP.includes((error as { code?: unknown }).code) || performance.now() > deadline) {
        throw error;
      }
      await sleep(PAUSE_MS);
    }
  }
}
