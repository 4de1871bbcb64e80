// Runs pgbench and pauses it between its turns, the intervals in which it is measured. Like the service, it
// keeps its connections with their prepared statements and plans. A turn lasts from release() to hold().
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { sendSignal } from "../../testing/send_signal.ts";

const PEERS = new URL("../peers/", import.meta.url);
const DEBIAN = "/usr/lib/postgresql";
const LONGER_THAN_ANY_RUN_SECONDS = 86_400;

export interface PgbenchPlan {
  /** A file of `tools/bench/peers`, or the name of one of pgbench's own scripts. */
  readonly script: string;
  readonly connections: number;
  readonly databaseUrl: string;
  readonly variables?: Readonly<Record<string, string | number>>;
  /**
   * Path prefix of pgbench's log of each transaction's latency. Set it only to measure latency, because
   * writing the log is a large part of pgbench's work.
   */
  readonly logPrefix?: string | undefined;
}

interface Pgbench {
  readonly pid: number;
  release(): void;
  hold(): void;
  stop(): void;
}

/** Starts pgbench and pauses it at once. */
export function startPgbench(
  { script, connections, databaseUrl, variables = {}, logPrefix }: PgbenchPlan,
): Pgbench {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const child = spawn(findPgbench(), [
    "--no-vacuum",
    "--protocol=prepared",
    script.endsWith(".sql") ? `--file=${fileURLToPath(new URL(script, PEERS))}` : `--builtin=${script}`,
    `--client=${connections}`,
    `--jobs=${Math.min(2, connections)}`,
    `--time=${LONGER_THAN_ANY_RUN_SECONDS}`,
    ...(logPrefix === undefined ? [] : ["--log", `--log-prefix=${logPrefix}`]),
    ...Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`),
  ], {
    env: {
      PATH: process.env.PATH,
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: password,
      PGDATABASE: pathname.slice(1),
      PGAPPNAME: "pgbench",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => said += text);
  child.once("error", (error) => said += `error: ${error.message}`);
  const signal = (name: "SIGSTOP" | "SIGCONT"): void => {
    // Check the output: if a client's script fails, pgbench drops that client and continues with the others.
    if (child.exitCode !== null || /error|aborted/i.test(said)) {
      throw new Error(`pgbench with ${script} failed: ${said}`);
    }
    // Signal by process id: under Deno, child.kill() signals a child only once.
    process.kill(child.pid!, name);
  };
  signal("SIGSTOP");
  return {
    pid: child.pid!,
    release: () => signal("SIGCONT"),
    hold: () => signal("SIGSTOP"),
    stop: () => {
      if (child.exitCode === null) sendSignal(child.pid!, "SIGKILL");
    },
  };
}

/**
 * Prefers the newest of Debian's packages, because Debian's wrapper in PATH expects Debian's own clusters.
 */
function places(): string[] {
  const versions = (existsSync(DEBIAN) ? readdirSync(DEBIAN) : []).sort((left, right) =>
    Number(right) - Number(left)
  );
  return [
    ...versions.map((version) => join(DEBIAN, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter),
  ];
}

function findPgbench(): string {
  const found = places().map((folder) => join(folder, "pgbench")).find(existsSync);
  if (found !== undefined) return found;
  throw new Error(
    "pgbench was not found; the benchmark compares with it. Install PostgreSQL (Debian: apt-get install postgresql).",
  );
}
