// Measures the programs that this benchmark compares with the service; they are called peers. The contenders
// run alternately, and one measured interval of a contender is a turn. Everything is prepared before the
// clock of a turn starts.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sample } from "../harness.ts";
import { latencyOf } from "../summary.ts";
import { familyCpuMs, processCpuMs } from "../../testing/process_cpu.ts";
import type { Stack } from "./stack.ts";
import { type PgbenchPlan, startPgbench } from "./pgbench.ts";
import type { QuoteRun } from "./quote_run.ts";
import { latenciesBetween } from "./transaction_log.ts";

export interface Taker {
  takeTurn(turnMs: number): Promise<Sample>;
  stop(): void;
}

/**
 * A turn gets this many times the quotes that it needs at the last turn's rate, plus SPARE_QUOTES. If the
 * peer runs out of quotes, the measurement is invalid.
 */
const SPARE = 3;
const SPARE_QUOTES = 5000;
const FIRST_GUESS_PER_SECOND = 30_000;
const POLL_MS = 20;
const CLIENTS_AT_ONCE = 200;
const WARM_UP_TRIES = 10;

/** The Postgres server that does a peer's work. */
type Server = Pick<Stack, "sql" | "postgresPid">;

interface PeerPlan extends PgbenchPlan {
  /** Operations done so far. */
  count(): Promise<number>;
}

/**
 * Runs a script with pgbench. Transactions that are in flight at the end of a turn also count, which slightly
 * favours the peer.
 */
export function peerTaker(stack: Server, { count, ...plan }: PeerPlan): Taker {
  const pgbench = startPgbench(plan);
  const run = async (turnMs: number): Promise<Sample> => {
    const [done, loadCpuMs] = [await count(), processCpuMs(pgbench.pid)];
    const [startCpuMs, startMs] = [familyCpuMs(stack.postgresPid), performance.now()];
    pgbench.release();
    await sleep(turnMs);
    pgbench.hold();
    const wallMs = performance.now() - startMs;
    await untilQuiet(stack);
    return {
      operations: await count() - done,
      wallMs,
      cpuMs: familyCpuMs(stack.postgresPid) - startCpuMs,
      loadCpuMs: processCpuMs(pgbench.pid) - loadCpuMs,
    };
  };
  let warm = false;
  return {
    async takeTurn(turnMs) {
      // Warm up first, because connecting, preparing and planning take long on a busy machine.
      for (let tries = 0; !warm && tries < WARM_UP_TRIES; tries++) {
        warm = (await run(turnMs + plan.connections * POLL_MS)).operations >= plan.connections;
      }
      const startMs = Date.now();
      let sample = await run(turnMs);
      if (plan.logPrefix === undefined) return sample;
      const latencies = () =>
        latenciesBetween(readFileSync(`${plan.logPrefix}.${pgbench.pid}`, "utf8"), startMs, Date.now());
      // Repeat until pgbench has written to its log. It writes about 100 lines at a time, which may take
      // longer than one turn on a busy machine.
      while (latencies().length === 0) sample = await run(turnMs);
      return { ...sample, ...latencyOf(latencies()) };
    },
    stop: () => pgbench.stop(),
  };
}

/** Runs gold.book_orders with pgbench. Each order executes the next quote of a run. */
export async function functionTaker(
  stack: Stack,
  quotes: QuoteRun,
  { script, connections, logPrefix }: {
    script: string;
    connections: number;
    logPrefix?: string | undefined;
  },
): Promise<Taker> {
  const { sql, firstClient } = stack;
  const numbers = `peer."${quotes.name}"`;
  await sql.unsafe(`create sequence ${numbers} minvalue 0`);
  const count = async () => {
    const [row] = await sql.unsafe(
      `select case when is_called then last_value + 1 else 0 end::int as next from ${numbers}`,
    );
    return row!.next as number;
  };
  const { takeTurn, stop } = peerTaker(stack, {
    script,
    connections,
    logPrefix,
    databaseUrl: stack.databaseUrl,
    variables: { numbers, first_client: firstClient, partners: quotes.partners, run: quotes.name },
    count,
  });
  let ratePerSecond = FIRST_GUESS_PER_SECOND;
  return {
    async takeTurn(turnMs) {
      const [spent, executed] = [await count(), await countExecuted(stack)];
      await quotes.fill(spent + Math.ceil(ratePerSecond * turnMs / 1000 * SPARE) + SPARE_QUOTES);
      const sample = await takeTurn(turnMs);
      await sealChains(stack);
      requireBooked(await count() - spent, await countExecuted(stack) - executed);
      ratePerSecond = sample.operations / sample.wallMs * 1000;
      return sample;
    },
    stop,
  };
}

/**
 * Seals the hash chains in the turn that made the records. Otherwise the service's own sealer, which runs
 * once a second, would seal them in another contender's turn.
 */
export async function sealChains({ sql }: Pick<Stack, "sql">): Promise<void> {
  const unsealed = () =>
    sql`select client_id from gold.unsealed_tail() order by client_id limit ${CLIENTS_AT_ONCE}`;
  for (let some = await unsealed(); some.length > 0; some = await unsealed()) {
    await sql`select gold.seal_next(${some.map(({ client_id }) => client_id as number)}::int[])`;
  }
}

/** Counts events, because every order is one event of its client. */
export async function countExecuted({ sql }: Stack): Promise<number> {
  const [row] = await sql`select sum(event_sequence)::int as events from gold.account where client_id > 0`;
  return row!.events as number;
}

export function requireBooked(sent: number, booked: number): void {
  if (sent !== booked) {
    throw new Error(`${sent} requests were sent and ${booked} were booked. The measurement is invalid.`);
  }
}

/**
 * Waits until pgbench's in-flight transactions have ended. Ignores a backend that waits for a lock: the
 * paused pgbench may hold that lock in an open transaction until the next turn.
 */
async function untilQuiet({ sql }: Server): Promise<void> {
  for (let quiet = 0; quiet < 2;) {
    await sleep(POLL_MS);
    const [row] = await sql`
      select count(*)::int as active from pg_stat_activity
      where application_name = 'pgbench' and state = 'active' and wait_event_type is distinct from 'Lock'`;
    quiet = row!.active === 0 ? quiet + 1 : 0;
  }
}
