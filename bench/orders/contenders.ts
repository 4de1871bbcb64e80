// The contenders' turns: each measures itself, for what it needs is made ready before its clock starts.
import { setTimeout as sleep } from "node:timers/promises";
import type { Sample } from "../harness.ts";
import { familyCpuMs, processCpuMs } from "../process_cpu.ts";
import type { GeneratorProcess } from "./generator_process.ts";
import type { House } from "./house.ts";
import { type PgbenchPlan, startPgbench } from "./pgbench.ts";
import { QuoteRun } from "./quote_run.ts";

export interface Taker {
  takeTurn(turnMs: number): Promise<Sample>;
  stop(): void;
}

const WARM_UP_ORDERS = 2000;
const WARM_UP_ORDERS_EACH_IN_FLIGHT = 200;
/** More quotes than the last turn's rate asks for: a peer that runs out of them has measured nothing. */
const SPARE = 3;
const SPARE_QUOTES = 5000;
const FIRST_GUESS_PER_SECOND = 30_000;
const POLL_MS = 20;

/** The service itself, so many requests in flight. */
export function serviceTaker(
  house: House,
  generator: GeneratorProcess,
  quotes: QuoteRun,
  inFlight: number,
): Taker {
  let spent = 0;
  let ratePerSecond: number | undefined;
  const cpuMs = () => processCpuMs(house.servicePid) + familyCpuMs(house.postgresPid);
  const send = async (operations: number): Promise<Sample> => {
    await quotes.fill(spent + operations);
    await generator.prepare({
      quoteIds: quotes.idsBetween(spent, spent + operations),
      partners: quotes.partners,
      firstPartner: spent % quotes.partners,
      inFlight,
    });
    spent += operations;
    const [startCpuMs, executed] = [cpuMs(), await countExecuted(house)];
    const { wallMs } = await generator.run();
    const sample = { operations, wallMs, cpuMs: cpuMs() - startCpuMs };
    requireExecuted(operations, await countExecuted(house) - executed);
    return sample;
  };
  return {
    async takeTurn(turnMs) {
      if (ratePerSecond === undefined) {
        const first = await send(Math.min(WARM_UP_ORDERS, WARM_UP_ORDERS_EACH_IN_FLIGHT * inFlight));
        ratePerSecond = first.operations / first.wallMs * 1000;
      }
      const sample = await send(Math.ceil(ratePerSecond * turnMs / 1000));
      ratePerSecond = sample.operations / sample.wallMs * 1000;
      return sample;
    },
    stop() {},
  };
}

interface PeerPlan extends PgbenchPlan {
  /** What it has done so far. */
  count(): Promise<number>;
}

/** A script under pgbench. What was under way when it is held counts too, which favours the peer by a trifle. */
export function peerTaker(house: House, { count, ...plan }: PeerPlan): Taker {
  const pgbench = startPgbench(plan);
  const run = async (turnMs: number): Promise<Sample> => {
    const [done, startCpuMs, startMs] = [await count(), familyCpuMs(house.postgresPid), performance.now()];
    pgbench.release();
    await sleep(turnMs);
    pgbench.hold();
    const wallMs = performance.now() - startMs;
    await untilQuiet(house);
    return { operations: await count() - done, wallMs, cpuMs: familyCpuMs(house.postgresPid) - startCpuMs };
  };
  let warm = false;
  return {
    async takeTurn(turnMs) {
      // Connections, statements and plans first.
      if (!warm) await run(turnMs + plan.connections * POLL_MS);
      warm = true;
      return await run(turnMs);
    },
    stop: () => pgbench.stop(),
  };
}

/** gold.book_orders under pgbench, which takes the next quote of a run with each order. */
export async function functionTaker(
  house: House,
  quotes: QuoteRun,
  { script, connections }: { script: string; connections: number },
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
    databaseUrl: house.databaseUrl("gold"),
    variables: { numbers, first_client: firstClient, partners: quotes.partners, run: quotes.name },
    count,
  });
  let ratePerSecond = FIRST_GUESS_PER_SECOND;
  return {
    async takeTurn(turnMs) {
      const [spent, executed] = [await count(), await countExecuted(house)];
      await quotes.fill(spent + Math.ceil(ratePerSecond * turnMs / 1000 * SPARE) + SPARE_QUOTES);
      const sample = await takeTurn(turnMs);
      requireExecuted(await count() - spent, await countExecuted(house) - executed);
      ratePerSecond = sample.operations / sample.wallMs * 1000;
      return sample;
    },
    stop,
  };
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
async function untilQuiet({ sql }: House): Promise<void> {
  for (let quiet = 0; quiet < 2;) {
    await sleep(POLL_MS);
    const [row] = await sql`
      select count(*)::int as active from pg_stat_activity
      where application_name = 'pgbench' and state = 'active' and wait_event_type is distinct from 'Lock'`;
    quiet = row!.active === 0 ? quiet + 1 : 0;
  }
}
