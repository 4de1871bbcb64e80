// Measures the service itself, with orders or with quotes. One measured interval is a turn.
import { setTimeout as sleep } from "node:timers/promises";
import { noteWork, type Work } from "../database_work.ts";
import type { Sample } from "../harness.ts";
import { familyCpuMs, processCpuMs } from "../../testing/process_cpu.ts";
import { countExecuted, requireBooked, sealChains, type Taker } from "./contenders.ts";
import type { Plan } from "./generator.ts";
import type { Stack } from "./stack.ts";
import type { QuoteRun } from "./quote_run.ts";

/**
 * Requests of the first warm-up, which measures the contender's rate. With few requests in flight, the first
 * warm-up sends fewer.
 */
const FIRST_REQUESTS = 2000;
const FIRST_REQUESTS_EACH_IN_FLIGHT = 200;
/**
 * Warm-up before each turn, because V8 drops compiled code that was unused during the other contenders'
 * turns.
 */
const WARM_UP_MS = 2500;
const TURN_TRIES = 3;

class TurnTooShort extends Error {}

interface TurnOptions {
  readonly inFlight: number;
  /** Runs in the middle of the turn, and ends before the next turn begins. */
  readonly interlude?: (() => PromiseLike<unknown>) | undefined;
  /** Receives the database work of each turn. */
  readonly works?: Work[];
  /** Receives each turn's CPU time, of the service and of Postgres. */
  readonly cpus?: TurnCpu[];
}

interface Cpu {
  readonly serviceMs: number;
  readonly postgresMs: number;
}

export interface TurnCpu extends Cpu {
  readonly operations: number;
}

/** A stream of requests to the service. The partners take turns in sending them. */
interface Stream {
  readonly partners: number;
  /**
   * Creates the quotes that the requests numbered `from` to `to - 1` need, if any, and returns a description
   * of these requests for the generator.
   */
  ask(from: number, to: number): Promise<Plan>;
  /**
   * Number of records of such requests in the database so far. The caller compares the numbers before and
   * after a turn.
   */
  count(): Promise<number>;
  /** Completes the background work of the requests, so that its CPU time is measured with theirs. */
  finish(): Promise<void>;
}

/** A contender that sends signed orders to the service. */
export function serviceTaker(stack: Stack, quotes: QuoteRun, options: TurnOptions): Taker {
  return streamTaker(stack, {
    partners: quotes.partners,
    async ask(from, to) {
      await quotes.fill(to);
      return { ordersOf: quotes.idsBetween(from, to) };
    },
    count: () => countExecuted(stack),
    finish: () => sealChains(stack),
  }, options);
}

/** A contender in which the first `partners` partners request new quotes from the service. */
export function quoteTaker(stack: Stack, partners: number, options: TurnOptions): Taker {
  return streamTaker(stack, {
    partners,
    ask: (from, to) => Promise.resolve({ newQuotes: to - from }),
    async count() {
      const [row] = await stack
        .sql`select count(*)::int as quotes from gold.idempotency_key where result_kind = 'quote'`;
      return row!.quotes as number;
    },
    finish: () => Promise.resolve(),
  }, options);
}

/**
 * Runs the same turns with limits that no turn reaches, to measure what checking a partner's limits costs.
 */
export function withLimits({ sql }: Stack, taker: Taker): Taker {
  return {
    async takeTurn(turnMs) {
      await sql`
        insert into gold.allowance (bucket, client_id, maximum_open_quotes, maximum_open_grams, maximum_daily_records, open_from, counted_sequence)
        select a.bucket, a.client_id, 1000000, 100000000000, 100000000, gold.first_id_at(clock_timestamp()), a.event_sequence
        from gold.account a where a.client_id > 0`;
      const sample = await taker.takeTurn(turnMs);
      await sql`delete from gold.allowance`;
      return sample;
    },
    stop: () => taker.stop(),
  };
}

function streamTaker(stack: Stack, stream: Stream, options: TurnOptions): Taker {
  const { inFlight, interlude, works = [], cpus } = options;
  const { generator } = stack;
  let sent = 0;
  let requestsAMs = 0;
  const readCpu = (): Cpu => ({
    serviceMs: processCpuMs(stack.servicePid),
    postgresMs: familyCpuMs(stack.postgresPid),
  });
  const send = async (operations: number, interludeAfterMs?: number): Promise<Sample> => {
    await generator.prepare({
      plan: await stream.ask(sent, sent + operations),
      partners: stream.partners,
      firstPartner: sent % stream.partners,
      inFlight,
    });
    sent += operations;
    const booked = await stream.count();
    let isRunning = true;
    const between = async () => {
      if (!interlude || interludeAfterMs === undefined) return;
      await sleep(interludeAfterMs);
      if (!isRunning) throw new TurnTooShort("The turn ended before the action in its middle could run.");
      await interlude();
    };
    const [sample] = await Promise.all([
      noteWork(interludeAfterMs === undefined ? [] : works, stack.sql, async () => {
        const before = readCpu();
        const report = await generator.run();
        isRunning = false;
        await stream.finish();
        const after = readCpu();
        const serviceMs = after.serviceMs - before.serviceMs;
        const postgresMs = after.postgresMs - before.postgresMs;
        if (interludeAfterMs !== undefined) cpus?.push({ operations, serviceMs, postgresMs });
        return { operations, ...report, cpuMs: serviceMs + postgresMs };
      }),
      between(),
    ]);
    requireBooked(operations, await stream.count() - booked);
    return sample;
  };
  return {
    async takeTurn(turnMs) {
      // Send at least one request of each partner before the measurement. The service verifies a token's
      // signature when it first sees the token, and the measurement must not include that.
      const warmUp = async (requests: number) => {
        const { operations, wallMs } = await send(Math.max(stream.partners, requests));
        requestsAMs = operations / wallMs;
      };
      if (requestsAMs === 0) await warmUp(Math.min(FIRST_REQUESTS, FIRST_REQUESTS_EACH_IN_FLIGHT * inFlight));
      await warmUp(Math.ceil(requestsAMs * WARM_UP_MS));
      for (let tries = 1;; tries++) {
        try {
          return await send(Math.ceil(requestsAMs * turnMs), turnMs / 2);
        } catch (error) {
          // Try again: the machine stalled during the warm-up and is faster now, so the estimated rate was
          // too low.
          if (!(error instanceof TurnTooShort) || tries === TURN_TRIES) throw error;
          await warmUp(Math.ceil(2 * requestsAMs * WARM_UP_MS));
        }
      }
    },
    stop() {},
  };
}

/** The CPU time of one request, by process. */
export function describeCpu(turns: readonly TurnCpu[]): string {
  const operations = turns.reduce((sum, turn) => sum + turn.operations, 0);
  const micros = (of: keyof Cpu) =>
    `${(1000 * turns.reduce((sum, turn) => sum + turn[of], 0) / operations).toFixed(0)} µs`;
  return `one request costs ${micros("serviceMs")} of CPU time in the service and ${
    micros("postgresMs")
  } in Postgres`;
}
