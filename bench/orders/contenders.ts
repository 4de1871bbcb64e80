// The contenders' turns: each measures itself, for what it needs is made ready before its clock starts.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { noteWork, type Work } from "../database_work.ts";
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

/** So many tell how fast it is, more or less. */
const FIRST_ORDERS = 2000;
const FIRST_ORDERS_EACH_IN_FLIGHT = 200;
/** Before each turn: while the others had theirs, V8 dropped compiled code that was not used. */
const WARM_UP_MS = 2500;
const TURN_TRIES = 3;
/** More quotes than the last turn's rate asks for: a peer that runs out of them has measured nothing. */
const SPARE = 3;
const SPARE_QUOTES = 5000;
const FIRST_GUESS_PER_SECOND = 30_000;
const POLL_MS = 20;
const CLIENTS_AT_ONCE = 200;
const WARM_UP_TRIES = 10;

class TurnTooShort extends Error {}

/** What a turn is like besides its width. */
interface TurnOptions {
  readonly inFlight: number;
  /** Runs in the middle of the turn, and is over before the next one begins. */
  readonly interlude?: (() => PromiseLike<unknown>) | undefined;
  /** Takes what each turn asks of the database. */
  readonly works?: Work[];
}

/** The service itself. */
export function serviceTaker(
  house: House,
  quotes: QuoteRun,
  { inFlight, interlude, works = [] }: TurnOptions,
): Taker {
  const { generator } = house;
  let spent = 0;
  let ordersAMs = 0;
  const cpuMs = () => processCpuMs(house.servicePid) + familyCpuMs(house.postgresPid);
  const send = async (operations: number, interludeAfterMs?: number): Promise<Sample> => {
    await quotes.fill(spent + operations);
    await generator.prepare({
      quoteIds: quotes.idsBetween(spent, spent + operations),
      partners: quotes.partners,
      firstPartner: spent % quotes.partners,
      inFlight,
    });
    spent += operations;
    const executed = await countExecuted(house);
    let isRunning = true;
    const between = async () => {
      if (!interlude || interludeAfterMs === undefined) return;
      await sleep(interludeAfterMs);
      if (!isRunning) throw new TurnTooShort("The turn was over before what is to happen in its middle.");
      await interlude();
    };
    const [sample] = await Promise.all([
      noteWork(interludeAfterMs === undefined ? [] : works, house.sql, async () => {
        const startCpuMs = cpuMs();
        const report = await generator.run();
        isRunning = false;
        await sealChains(house);
        return { operations, ...report, cpuMs: cpuMs() - startCpuMs };
      }),
      between(),
    ]);
    requireExecuted(operations, await countExecuted(house) - executed);
    return sample;
  };
  return {
    async takeTurn(turnMs) {
      // One of each partner at least: a token that is seen for the first time costs a verification of its own.
      const warmUp = async (orders: number) => {
        const { operations, wallMs } = await send(Math.max(quotes.partners, orders));
        ordersAMs = operations / wallMs;
      };
      if (ordersAMs === 0) await warmUp(Math.min(FIRST_ORDERS, FIRST_ORDERS_EACH_IN_FLIGHT * inFlight));
      await warmUp(Math.ceil(ordersAMs * WARM_UP_MS));
      for (let tries = 1;; tries++) {
        try {
          return await send(Math.ceil(ordersAMs * turnMs), turnMs / 2);
        } catch (error) {
          // The machine stood still while it warmed up, and is faster now.
          if (!(error instanceof TurnTooShort) || tries === TURN_TRIES) throw error;
          await warmUp(Math.ceil(2 * ordersAMs * WARM_UP_MS));
        }
      }
    },
    stop() {},
  };
}

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
      requireExecuted(await count() - spent, await countExecuted(house) - executed);
      ratePerSecond = sample.operations / sample.wallMs * 1000;
      return sample;
    },
    stop,
  };
}

/** Whoever made the records pays for their links: the service's own sealer, once a second, would do it in another's turn. */
async function sealChains({ sql }: House): Promise<void> {
  const unsealed = () =>
    sql`select client_id from gold.unsealed_tail() order by client_id limit ${CLIENTS_AT_ONCE}`;
  for (let some = await unsealed(); some.length > 0; some = await unsealed()) {
    await sql`select gold.seal_next(${some.map(({ client_id }) => client_id as number)}::int[])`;
  }
}

/** Every order is an event of its client. */
async function countExecuted({ sql }: House): Promise<number> {
  const [row] = await sql`select sum(event_sequence)::int as events from gold.account where client_id > 0`;
  return row!.events as number;
}

function requireExecuted(sent: number, executed: number): void {
  if (sent !== executed) {
    throw new Error(`${sent} orders were sent and ${executed} executed: nothing was measured.`);
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
