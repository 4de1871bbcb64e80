import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "../settings/config.ts";
import type { Log } from "../operations/log.ts";
import type { Service } from "./service.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const PROCESSES_MAX = 64;
const NUMBER = "{n}";
const ADDRESSES = ["LISTEN", "OPERATIONS_LISTEN"];
/** The exit code of a process that could not start to serve. */
export const EXIT_DEPENDENCY = 3;
const REST_MS = 1000;
const DOUBLINGS_MAX = 4;
/**
 * The time limit for the end of a process after the drain. In-flight webhooks get 15 s and database
 * connections 5 s, so only a hang takes longer.
 */
const END_MS = 25_000;

/** Returns one environment for each process. Replaces {n} by the number of the process, from 1. */
export function numberProcesses(variables: Variables): Variables[] {
  const { PROCESSES = "1", METRICS_LISTEN = "off" } = variables;
  const count = Number(PROCESSES);
  if (!/^[1-9][0-9]?$/.test(PROCESSES) || count > PROCESSES_MAX) {
    throw new ConfigError([
      `PROCESSES must be a whole number from 1 to ${PROCESSES_MAX}; got "${PROCESSES}".`,
    ]);
  }
  const numbered = METRICS_LISTEN === "off" ? ADDRESSES : [...ADDRESSES, "METRICS_LISTEN"];
  const shared = numbered.filter((name) => count > 1 && !variables[name]?.includes(NUMBER));
  if (shared.length > 0) {
    throw new ConfigError(
      shared.map((name) =>
        `${name} must contain ${NUMBER} if PROCESSES is ${count}, such as ${exampleOf(name)}: ` +
        `${NUMBER} becomes the process's number, so that each process has its own address.`
      ),
    );
  }
  return Array.from({ length: count }, (_, index) => {
    const own = numbered.map((name) => [name, variables[name]?.replaceAll(NUMBER, `${index + 1}`)]);
    return { ...variables, ...Object.fromEntries(own), PROCESSES: "1" };
  });
}

const exampleOf = (name: string) =>
  name === "METRICS_LISTEN" ? `0.0.0.0:946${NUMBER}` : `unix:/run/gold/${name.toLowerCase()}_${NUMBER}.sock`;

/**
 * The pause in milliseconds before a process is started again. It doubles with each failed start, up to 16 s,
 * because each start takes CPU time from the processes that serve.
 */
export const restMs = (failures: number): number => REST_MS * 2 ** Math.min(failures, DOUBLINGS_MAX);

/**
 * Runs this program once for each environment. A process that ends is started again while the others keep
 * serving. If a process exits with EXIT_DEPENDENCY at its first start, all processes are stopped. This
 * program then exits with EXIT_DEPENDENCY, too, like a single process that cannot start.
 */
export function keepProcesses(environments: readonly Variables[], log: Log): Service {
  const stopped = new AbortController();
  const running = new Set<ChildProcess>();

  const keep = async (environment: Variables, index: number): Promise<void> => {
    let failures = 0;
    for (let begun = false; !stopped.signal.aborted; begun = true) {
      const child = startProcess(environment);
      running.add(child);
      const [code, signal] = await once(child, "exit").catch((error: Error) => [error.message]) as unknown[];
      running.delete(child);
      if (stopped.signal.aborted) return;
      failures = code === EXIT_DEPENDENCY ? failures + 1 : 0;
      if (failures > 0 && !begun) return void stop().then(() => process.exit(EXIT_DEPENDENCY));
      // Exit code 0 is no error: a process exits with 0 after a stop signal, such as when processes are
      // replaced one after another.
      log(code === 0 ? "info" : "error", "process ended, another one follows", {
        process: index + 1,
        ...(child.pid === undefined ? {} : { pid: child.pid }),
        exit: `${code ?? signal}`,
      });
      await sleep(restMs(failures), undefined, { signal: stopped.signal }).catch(() => {});
    }
  };
  log("info", "several processes serve, each counts rates by itself", {
    processes: environments.length,
    pid: process.pid,
  });
  const end = (signal: "SIGTERM" | "SIGKILL") => running.forEach(({ pid }) => sendSignal(pid, signal));
  const stop = async () => {
    stopped.abort();
    end("SIGTERM");
    // Kill processes that hang and do not react to SIGTERM. Such a process would keep its address, and the
    // next service could not use the address.
    const cut = setTimeout(() => {
      log("warn", "killing processes that did not end", { processes: running.size });
      end("SIGKILL");
    }, Number(environments[0]?.DRAIN_SECONDS ?? 0) * 1000 + END_MS);
    await kept;
    clearTimeout(cut);
  };
  const kept = Promise.all(environments.map(keep));
  return { stop };
}

function startProcess(environment: Variables): ChildProcess {
  const [file, ...args] = process.argv.slice(1);
  const runtime = "Deno" in globalThis ? ["run", "--no-check", "-A"] : process.execArgv;
  return spawn(process.execPath, [...runtime, file!, ...args], {
    // The child stops when its standard input closes, which happens however this process ends.
    env: { ...environment, STOP_WITH_STDIN: "1" },
    stdio: ["pipe", "inherit", "inherit"],
  });
}

/**
 * Sends the signal by process id. After child.kill(), Deno reports the signal as the child's end, even if the
 * child exits with a code.
 */
function sendSignal(pid: number | undefined, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // Ignore a process that has already ended.
  }
}
