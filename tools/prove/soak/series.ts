import { setTimeout as sleep } from "node:timers/promises";
import { residentMebibytes } from "../stage/resident_memory.ts";
import { addTo } from "../stage/wire.ts";
import type { Stack } from "./stack.ts";
import type { Point } from "./statistics.ts";
import { readDatabaseBytes, readTables, type Table } from "./tables.ts";

/** The measurements of a soak, by seconds since it began. */
export interface Series {
  /** Read once a second. */
  readonly residentMebibytes: readonly Point[];
  /** The memory that the service keeps after a garbage collection. */
  readonly keptMebibytes: readonly Point[];
  readonly databaseBytes: readonly Point[];
  /** Number of orders answered with success so far. */
  readonly orders: readonly Point[];
  readonly latencies: readonly { readonly seconds: number; readonly orderMs: readonly number[] }[];
  readonly tables: readonly { readonly seconds: number; readonly tables: readonly Table[] }[];
  /**
   * How many actions were due, and how many were done. `failures` counts the failed tries by reason, even if
   * a later try of the same action succeeded.
   */
  readonly due: number;
  readonly done: number;
  readonly failures: ReadonlyMap<string, number>;
}

interface Course {
  readonly perSecond: number;
  readonly seconds: number;
  readonly lookEverySeconds: number;
  /** Rare, because a garbage collection stops the service for a moment. */
  readonly collectEverySeconds: number;
}

const SECOND_MS = 1000;
/** The interval between two tokens. Less than the ten minutes that a token lives. */
const RENEW_EVERY_SECONDS = 240;

/** Runs the load, and takes the measurements. */
export async function runCourse(stack: Stack, course: Course): Promise<Series> {
  const { perSecond, seconds, lookEverySeconds, collectEverySeconds } = course;
  const { service, traffic } = stack;
  const watch = new Watch(stack);
  const startMs = performance.now();
  await watch.look(0);
  traffic.start(perSecond);
  for (let second = 1; second <= seconds; second++) {
    await sleep(Math.max(0, startMs + second * SECOND_MS - performance.now()));
    watch.resident.push({ seconds: second, value: residentMebibytes(service.pid) });
    if (second % collectEverySeconds === 0) {
      watch.kept.push({ seconds: second, value: await stack.kept.read(service.pid) });
    }
    if (second % RENEW_EVERY_SECONDS === 0) await traffic.renewTokens();
    if (second % lookEverySeconds === 0) await watch.look(second);
    // Read the deliveries every second, so that each read is small. A long read would delay the actions that
    // are due.
    await stack.deliveries.take();
  }
  await traffic.stop();
  await watch.look(seconds);
  return watch.series();
}

class Watch {
  readonly resident: Point[] = [];
  readonly kept: Point[] = [];
  readonly #stack: Stack;
  readonly #failures = new Map<string, number>();
  readonly #bytes: Point[] = [];
  readonly #orders: Point[] = [];
  readonly #latencies: Series["latencies"][number][] = [];
  readonly #tables: Series["tables"][number][] = [];
  #due = 0;
  #done = 0;

  constructor(stack: Stack) {
    this.#stack = stack;
    // Discard the results from before the soak.
    stack.traffic.take();
  }

  async look(seconds: number): Promise<void> {
    const { deployment: { sql }, traffic } = this.#stack;
    const { due, done, orderMs, failures } = traffic.take();
    this.#due += due;
    this.#done += done;
    this.#latencies.push({ seconds, orderMs });
    for (const [what, times] of failures) addTo(this.#failures, what, times);
    this.#orders.push({ seconds, value: traffic.accepted.count });
    this.#bytes.push({ seconds, value: await readDatabaseBytes(sql) });
    this.#tables.push({ seconds, tables: await readTables(sql) });
  }

  series(): Series {
    return {
      residentMebibytes: this.resident,
      keptMebibytes: this.kept,
      databaseBytes: this.#bytes,
      orders: this.#orders,
      latencies: this.#latencies,
      tables: this.#tables,
      due: this.#due,
      done: this.#done,
      failures: this.#failures,
    };
  }
}
