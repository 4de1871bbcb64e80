// Runs one of the service versions that the benchmark compares: `npm start` from that version's source tree,
// with its own Postgres.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort, startPostgres } from "@gold-partner/dev/postgres";
import postgres, { type Sql } from "postgres";
import { sealChains } from "../orders/contenders.ts";
import { type GeneratorProcess, startGenerator } from "../orders/generator_process.ts";
import { onboardPartners } from "../orders/partners.ts";
import { familyCpuMs, processCpuMs } from "../../testing/process_cpu.ts";

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

interface Processes {
  readonly base_url: string;
  readonly pids: { readonly postgres: number; readonly server: number };
  readonly ready: boolean;
}

const PARTNERS = 1000;
const IN_FLIGHT = 64;
const READY_MS = 180_000;
const STOP_MS = 30_000;
const POLL_MS = 100;
/**
 * Prevents checkpoints and autovacuum during the benchmark. They are rare and expensive, so one of them would
 * slow down only one version's turn.
 */
const SETTINGS = { max_wal_size: "8GB", checkpoint_timeout: "1h", autovacuum: "off" };
const IS_DENO = process.versions["deno"] !== undefined;

/** Starts the version with the source tree `root`. Its state is in `dir`, which the caller removes. */
export async function openVersion(name: string, root: string, dir: string): Promise<Version> {
  const place = {
    name,
    root,
    stateDir: join(dir, "state"),
    log: join(dir, "log"),
    port: await findFreePort(),
  };
  mkdirSync(dir, { recursive: true });
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
        await sender.prepare({ plan, partners: PARTNERS, firstPartner: 0, inFlight: IN_FLIGHT });
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
  readonly name: string;
  readonly root: string;
  readonly stateDir: string;
  readonly log: string;
  /** Stays the same after a restart, because the partners' base URL contains it. */
  readonly port: number;
}

interface Launched {
  readonly sql: Sql;
  readonly baseUrl: string;
  readonly pids: Processes["pids"];
  stop(): Promise<void>;
}

/** Runs the version's `npm start`. After a restart, it continues with the state in `stateDir`. */
async function launch({ name, root, stateDir, log, port }: Place): Promise<Launched> {
  const runFile = join(stateDir, "run.json");
  rmSync(runFile, { force: true });
  const child = startTree(root, stateDir, log, port);
  try {
    const { base_url: baseUrl, pids } = await awaitReady(child, runFile, name, log);
    const server = await startPostgres({ dataDir: join(stateDir, "postgres") });
    const sql = postgres(server.superuserUrl("gold"), { max: 1, onnotice: () => {} });
    const stop = async () => {
      await sql.end();
      await stopChild(child);
      // Stop Postgres here. Some versions of `npm start` leave it running when they are stopped in a certain
      // way.
      await server.stop();
    };
    return { sql, baseUrl, pids, stop };
  } catch (error) {
    await stopChild(child);
    throw error;
  }
}

function startTree(root: string, stateDir: string, logFile: string, port: number): ChildProcess {
  const log = openSync(logFile, "a");
  const main = join(root, "packages", "dev", "src", "main.ts");
  const runtime = IS_DENO ? ["run", "--no-check", "-A", main] : [join(root, "tools", "program.mjs"), main];
  const args = [...runtime, "--port", `${port}`, "--state", stateDir, "--no-demo"];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", log, log] });
  closeSync(log);
  return child;
}

async function awaitReady(child: ChildProcess, file: string, name: string, log: string): Promise<Processes> {
  for (const untilMs = performance.now() + READY_MS; performance.now() < untilMs; await sleep(POLL_MS)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${name} did not start:\n${readFileSync(log, "utf8").trim()}`);
    }
    const found = readProcesses(file);
    if (found?.ready) return found;
  }
  throw new Error(`${name} was not ready within ${READY_MS / 1000} s:\n${readFileSync(log, "utf8").trim()}`);
}

function readProcesses(file: string): Processes | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Processes;
  } catch {
    return undefined; // The file does not exist yet, or is being written.
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await exited;
  clearTimeout(timer);
}
