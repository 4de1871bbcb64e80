// The peers' turns. Each measures itself, and prepares everything before its clock starts.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sample } from "../harness.ts";
import { latencyOf } from "../summary.ts";
import { familyCpuMs, processCpuMs } from "../process_cpu.ts";
import type { House } from "./house.ts";
import { type PgbenchPlan, startPgbench } from "./pgbench.ts";
import type { QuoteRun } from "./quote_run.ts";
import { latenciesBetween } from "./transaction_log.ts";

export interface Taker {
  takeTurn(turnMs: number): Promise<Sample>;
  stop(): void;
}

/** More quotes than the last turn's rate asks for: a peer that runs out of them has measured nothing. */
const SPARE = 3;
const SPARE_QUOTES = 5000;
const FIRST_GUESS_PER_SECOND = 30_000;
const POLL_MS = 20;
const CLIENTS_AT_ONCE = 200;
const WARM_UP_TRIES = 10;

/** Where a peer's work is done. */
type Server = Pick<House, "sql" | "postgresPid">;

interface PeerPlan extends PgbenchPlan {
  /** What it has done so far. */
  count(): Promise<number>;
}

/** A script under pgbench. What was under way when it is held counts too, which favours the peer by a trifle. */
export function peerTaker(house: Server, { count, ...plan }: PeerPlan): Taker {
  const pgbench = startPgbench(plan);
  const run = async (turnMs: number): Promise<Sample> => {
    const [done, loadCpuMs] = [await count(), processCpuMs(pgbench.pid)];
    const [startCpuMs, startMs] = [familyCpuMs(house.postgresPid), performance.now()];
    pgbench.release();
    await sleep(turnMs);
    pgbench.hold();
    const wallMs = performance.now() - startMs;
    await untilQuiet(house);
    return {
      operations: await count() - done,
      wallMs,
      cpuMs: familyCpuMs(house.postgresPid) - startCpuMs,
      loadCpuMs: processCpuMs(pgbench.pid) - loadCpuMs,
    };
  };
  let warm = false;
  return {
    async takeTurn(turnMs) {
      // Connections, statements and plans first, which on a busy machine take their time.
      for (let tries = 0; !warm && tries < WARM_UP_TRIES; tries++) {
        warm = (await run(turnMs + plan.connections * POLL_MS)).operations >= plan.connections;
      }
      const startMs = Date.now();
      let sample = await run(turnMs);
      if (plan.logPrefix === undefined) return sample;
      const latencies = () =>
        latenciesBetween(readFileSync(`${plan.logPrefix}.${pgbench.pid}`, "utf8"), startMs, Date.now());
      // It writes about a hundred lines at a time, which on a busy machine may take more than a turn.
      while (latencies().length === 0) sample = await run(turnMs);
      return { ...sample, ...latencyOf(latencies()) };
    },
    stop: () => pgbench.stop(),
  };
}

/** gold.book_orders under pgbench, which takes the next quote of a run with each order. */
export async function functionTaker(
  house: House,
  quotes: QuoteRun,
  { script, connections, logPrefix }: {
    script: string;
    connections: number;
    logPrefix?: string | undefined;
  },
): Promise<Taker> {
  const { sql, firstClient } = house;
  const numbers = `peer."${quotes.name}"`;
  await sql.unsafe(`create sequence ${numbers} minvalue 0`);
  const count = async () => {
    const [row] = await sql.unsafe(
      `select case when is_called then last_value + 1 else 0 end::int as next from ${numbers}`,
    );
    return row!.next as number;
  };
  const { takeTurn, stop } = peerTaker(house, {
    script,
    connections,
    logPrefix,
    databaseUrl: house.databaseUrl,
    variables: { numbers, first_client: firstClient, partners: quotes.partners, run: quotes.name },
    count,
  });
  let ratePerSecond = FIRST_GUESS_PER_SECOND;
  return {
    async takeTurn(turnMs) {
      const [spent, executed] = [await count(), await countExecuted(house)];
      await quotes.fill(spent + Math.ceil(ratePerSecond * turnMs / 1000 * SPARE) + SPARE_QUOTES);
      const sample = await takeTurn(turnMs);
      await sealChains(house);
      requireBooked(await count() - spent, await countExecuted(house) - executed);
      ratePerSecond = sample.operations / sample.wallMs * 1000;
      return sample;
    },
    stop,
  };
}

/** Whoever made the records pays for their links: the service's own sealer, once a second, would do it in another's turn. */
export async function sealChains({ sql }: Pick<House, "sql">): Promise<void> {
  const unsealed = () =>
    sql`select client_id from gold.unsealed_tail() order by client_id limit ${CLIENTS_AT_ONCE}`;
  for (let some = await unsealed(); some.length > 0; some = await unsealed()) {
    await sql`select gold.seal_next(${some.map(({ client_id }) => client_id as number)}::int[])`;
  }
}

/** Every order is an event of its client. */
export async function countExecuted({ sql }: House): Promise<number> {
  const [row] = await sql`select sum(event_sequence)::int as events from gold.account where client_id > 0`;
  return row!.events as number;
}

export function requireBooked(sent: number, booked: number): void {
  if (sent !== booked) {
    throw new Error(`${sent} requests were sent and ${booked} were booked: the measurement is void.`);
  }
}

/** Until what pgbench had under way has ended; what waits for a transaction that is held with it stays. */
async function untilQuiet({ sql }: Server): Promise<void> {
  for (let quiet = 0; quiet < 2;) {
    await sleep(POLL_MS);
    const [row] = await sql`
      select count(*)::int as active from pg_stat_activity
      where application_name = 'pgbench' and state = 'active' and wait_event_type is distinct from 'Lock'`;
    quiet = row!.active === 0 ? quiet + 1 : 0;
  }
}
