// One version of the service under comparison: its own `npm start` from its own tree, with a Postgres of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort, startPostgres } from "@gold-partner/dev";
import postgres, { type Sql } from "postgres";
import { sealChains } from "../orders/contenders.ts";
import { type GeneratorProcess, startGenerator } from "../orders/generator_process.ts";
import { onboardPartners } from "../orders/partners.ts";
import { familyCpuMs, processCpuMs } from "../process_cpu.ts";

export type Operation = "order" | "quote";

export interface Cpu {
  readonly serviceMs: number;
  readonly postgresMs: number;
}

export interface Version {
  /** Gives the planner its statistics, as autovacuum would. */
  analyze(): Promise<void>;
  /** Signs so many requests. Orders execute the quotes that were kept last. */
  prepare(operation: Operation, count: number): Promise<void>;
  /** Sends the next requests and returns how many milliseconds that took. */
  send(count: number): Promise<number>;
  /** Does the work that the requests left to the background. */
  finish(): Promise<void>;
  /** Keeps the quotes that were made, for the orders that follow. */
  keepQuotes(): Promise<void>;
  /** What the processes have used so far. */
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
/** Checkpoints and autovacuum come rarely and cost much: they would fall into one version's turn and not into the other's. */
const SETTINGS = { max_wal_size: "8GB", checkpoint_timeout: "1h", autovacuum: "off" };
const IS_DENO = process.versions["deno"] !== undefined;

/** Starts the tree in `root` with its state in `dir`, which is removed by the caller. */
export async function openVersion(name: string, root: string, dir: string): Promise<Version> {
  const stateDir = join(dir, "state");
  const log = join(dir, "log");
  const child = await startTree(root, dir, stateDir, log);
  const stops: (() => Promise<unknown>)[] = [() => stopChild(child)];
  const stop = async () => {
    for (const one of stops.splice(0)) await one();
  };
  try {
    const { base_url: baseUrl, pids } = await awaitReady(child, join(stateDir, "run.json"), name, log);
    const server = await startPostgres({ dataDir: join(stateDir, "postgres") });
    // Not every version of npm start stops its Postgres however it is stopped itself.
    stops.push(() => server.stop());
    const sql = postgres(server.superuserUrl("gold"), { max: 1, onnotice: () => {} });
    stops.unshift(() => sql.end());
    for (const [setting, value] of Object.entries(SETTINGS)) {
      await sql.unsafe(`alter system set ${setting} = '${value}'`);
    }
    await sql`select pg_reload_conf()`;
    const { clientSecret, partners } = await onboardPartners(sql, stateDir, PARTNERS);
    const socket = join(stateDir, "run", "server.sock");
    const generator = await startGenerator({ socket, baseUrl, clientSecret, partners });
    stops.unshift(() => Promise.resolve(generator.stop()));
    const analyze = async () => void await sql`vacuum analyze`;
    return { analyze, ...turnsOf({ sql, generator, pids }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Parts {
  readonly sql: Sql;
  readonly generator: GeneratorProcess;
  readonly pids: Processes["pids"];
}

function turnsOf({ sql, generator, pids }: Parts): Omit<Version, "analyze" | "stop"> {
  let quoteIds: readonly string[] = [];
  return {
    async prepare(operation, count) {
      const asked = operation === "quote" ? { newQuotes: count } : { ordersOf: quoteIds.slice(0, count) };
      await generator.prepare({ asked, partners: PARTNERS, firstPartner: 0, inFlight: IN_FLIGHT });
    },
    send: async (count) => (await generator.run(count)).wallMs,
    // The service seals once a second: what it leaves unsealed is work of the requests that were sent.
    finish: () => sealChains({ sql }),
    async keepQuotes() {
      quoteIds = await generator.readQuoteIds();
    },
    readCpu: () => ({ serviceMs: processCpuMs(pids.server), postgresMs: familyCpuMs(pids.postgres) }),
  };
}

async function startTree(
  root: string,
  dir: string,
  stateDir: string,
  logFile: string,
): Promise<ChildProcess> {
  mkdirSync(dir, { recursive: true });
  const port = await findFreePort();
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
