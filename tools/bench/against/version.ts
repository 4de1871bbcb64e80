// Runs one of the service versions that the benchmark compares: `npm start` from that version's source tree,
// with its own Postgres.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findFreePort, startPostgres } from "@gold-partner/dev/postgres";
import postgres, { type Sql } from "postgres";
import { visitConsole } from "../../testing/console_visitor.ts";
import { StartedTree } from "../../testing/npm_start.ts";
import { sealChains } from "../orders/contenders.ts";
import { type GeneratorProcess, startGenerator } from "../orders/generator_process.ts";
import { onboardPartners } from "../orders/partners.ts";
import { familyCpuMs, processCpuMs } from "../../testing/process_cpu.ts";
import { until } from "../../testing/until.ts";

export type Operation = "order" | "quote";

export interface Cpu {
  readonly serviceMs: number;
  readonly postgresMs: number;
}

export interface Version {
  /** Gives the planner its statistics, as autovacuum would. */
  analyze(): Promise<void>;
  /** Stops all processes of this version and starts them again with the same database. */
  restart(): Promise<void>;
  /**
   * Prepares `count` requests and signs the orders. The orders execute the quotes that keepQuotes() stored.
   */
  prepare(operation: Operation, count: number): Promise<void>;
  /** Sends the next requests and returns how many milliseconds that took. */
  send(count: number): Promise<number>;
  /** Completes the background work that the requests caused. */
  finish(): Promise<void>;
  /** Stores the ids of the quotes that were created, for the orders that are prepared next. */
  keepQuotes(): Promise<void>;
  /** The CPU time that the processes have used so far. */
  readCpu(): Cpu;
  stop(): Promise<void>;
}

const PARTNERS = 1000;
/**
 * Prevents checkpoints and autovacuum during the benchmark. They are rare and expensive, so one of them would
 * slow down only one version's turn.
 */
const SETTINGS = { max_wal_size: "8GB", checkpoint_timeout: "1h", autovacuum: "off" };

interface VersionPlan {
  /** The source tree. */
  readonly root: string;
  /** The folder for the state, which the caller removes. */
  readonly dir: string;
  readonly inFlight: number;
  /** Somebody watches the first page of the version's console. */
  readonly isWatched: boolean;
}

const LIVE_MS = { "/live": 2000, "/waiting": 5000, "/series.json": 60_000 };

/** Starts a version. */
export async function openVersion({ root, dir, inFlight, isWatched }: VersionPlan): Promise<Version> {
  const place = { root, stateDir: join(dir, "state"), port: await findFreePort(), isWatched };
  let launched = await launch(place);
  let generator: GeneratorProcess | undefined;
  const stop = async () => {
    generator?.stop();
    await launched.stop();
  };
  try {
    for (const [setting, value] of Object.entries(SETTINGS)) {
      await launched.sql.unsafe(`alter system set ${setting} = '${value}'`);
    }
    await launched.sql`select pg_reload_conf()`;
    const { clientSecret, partners } = await onboardPartners(launched.sql, place.stateDir, PARTNERS);
    const socket = join(place.stateDir, "run", "server.sock");
    const sender = await startGenerator({ socket, baseUrl: launched.baseUrl, clientSecret, partners });
    generator = sender;
    let quoteIds: readonly string[] = [];
    return {
      analyze: async () => void await launched.sql`vacuum analyze`,
      async restart() {
        await launched.stop();
        launched = await launch(place);
      },
      async prepare(operation, count) {
        const plan = operation === "quote" ? { newQuotes: count } : { ordersOf: quoteIds.slice(0, count) };
        await sender.prepare({ plan, partners: PARTNERS, firstPartner: 0, inFlight });
      },
      send: async (count) => (await sender.run(count)).wallMs,
      // Seal the rest here, so that its cost is measured with the requests that caused it. The service itself
      // seals only once a second.
      finish: () => sealChains(launched),
      async keepQuotes() {
        quoteIds = await sender.readQuoteIds();
      },
      readCpu: () => ({
        serviceMs: processCpuMs(launched.pids.server),
        postgresMs: familyCpuMs(launched.pids.postgres),
      }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Place {
  readonly root: string;
  readonly stateDir: string;
  /** Stays the same after a restart, because the partners' base URL contains it. */
  readonly port: number;
  readonly isWatched: boolean;
}

interface Launched {
  readonly sql: Sql;
  readonly baseUrl: string;
  readonly pids: Readonly<Record<"postgres" | "server", number>>;
  stop(): Promise<void>;
}

/** Runs the version's `npm start`. After a restart, it continues with the state in `stateDir`. */
async function launch({ root, stateDir, port, isWatched }: Place): Promise<Launched> {
  const tree = new StartedTree(root, stateDir, ["--port", `${port}`]);
  try {
    const { base_url: baseUrl, pids } = await tree.untilReady();
    const server = await startPostgres({ dataDir: join(stateDir, "postgres") });
    const sql = postgres(server.superuserUrl("gold"), { max: 1, onnotice: () => {} });
    const unwatch = isWatched ? await watchConsole(stateDir) : () => {};
    const stop = async () => {
      unwatch();
      await sql.end();
      await tree.stop();
      // Stop Postgres here. Some versions of `npm start` leave it running when they are stopped in a certain
      // way.
      await server.stop();
    };
    return { sql, baseUrl, pids, stop };
  } catch (error) {
    await tree.stop();
    throw error;
  }
}

/** Loads again what the first page of a console loads again by itself, as often as in a browser. */
async function watchConsole(stateDir: string): Promise<() => void> {
  const enter = async () => visitConsole((await readFile(join(stateDir, "console"), "utf8")).trim());
  const visit = (await until(() => enter().catch(() => undefined)))!;
  await visit("/");
  let isOver = false;
  const report = (error: Error) => isOver || console.error(`The console is not watched: ${error.message}`);
  const timers = Object.entries(LIVE_MS).map(([path, everyMs]) =>
    setInterval(() => void visit(path).catch(report), everyMs)
  );
  return () => {
    isOver = true;
    timers.forEach(clearInterval);
  };
}
