import * as fs from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { findFreePort } from "./free_port.ts";
import { listenOnce } from "./port_holder.ts";
import { launch } from "./account.ts";
import { type Binaries, findBinaries } from "./binaries.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { PostgresStartError } from "./error.ts";
import { findPostmaster, isServerOf, type Postmaster, stopPostmaster, waitUntil } from "./postmaster.ts";

export interface PostgresOptions {
  /** The folder that holds, or will hold, the database, its password and its log. */
  dataDir: string;
  /** Default: a free port. */
  port?: number;
  /** A port that must stay free, because another program listens on it later. */
  sparedPort?: number;
  /** Receives one line for each notable step. */
  log?: (line: string) => void;
  /** Server settings, as in postgresql.conf. A reused server keeps its earlier settings. */
  settings?: Record<string, string>;
  /** Environment variables of the server. */
  environment?: Record<string, string>;
  /** Stops the server when this process ends, even by SIGKILL. Not for a server that was already running. */
  endsWithProcess?: boolean;
  /** Called before a server process is started. Gets the folder in its command line. */
  beforeServer?: (clusterDir: string) => void;
  /**
   * Called as soon as the server process exists, long before it answers. Gets its pid and the folder in its
   * command line.
   */
  onServer?: (pid: number, clusterDir: string) => void;
}

export interface RunningPostgres {
  host: "127.0.0.1";
  port: number;
  /** The folder of the Unix socket. Undefined if the path is too long for a socket. */
  socketDir: string | undefined;
  pid: number;
  /** True if the server was already running, for example from an earlier run that was killed. */
  reused: boolean;
  /**
   * Resolves when the server has ended, with its exit code or the name of the signal that ended it. Resolves
   * with undefined for a reused server, because another process started it.
   */
  ended: Promise<number | string | undefined>;
  superuserUrl(database?: string): string;
  stop(): Promise<void>;
}

type Address = Pick<Postmaster, "pid" | "port">;
type Started = Address & Pick<RunningPostgres, "ended">;

const READY_MS = 60_000;
const LOGIN_SECONDS = 5;
const RETRY_PAUSE_MS = 100;
const POLL_MS = 1_000;
/** The longest path that sockaddr_un holds on macOS, without the final zero. On Linux it is longer. */
const SOCKET_PATH_BYTES = 103;
/**
 * A shell script. It starts a watcher and then becomes the server. If the pipe on standard input closes, the
 * watcher stops the server. A line in the pipe says that the server has already ended. The watcher has no
 * parent, because Postgres reports children that it did not start.
 */
const STOP_WITH_PIPE = 'exec 3<&0; ( (read line <&3 || kill -INT $$) & ); exec "$@" </dev/null 3<&-';
const LOG_FILE_BYTES = 16 * 1024 * 1024;

const DEFAULT_SETTINGS = { max_connections: "200", shared_buffers: "256MB" };
const DURABLE_SETTINGS = { fsync: "on", full_page_writes: "on", synchronous_commit: "on" };
const OWN_SETTINGS = ["listen_addresses", "port", "unix_socket_directories", "data_directory"];

/** Starts Postgres on `dataDir`, or finds it running there. Resolves when the server answers. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { log = () => {}, port, sparedPort, settings = {}, onServer = () => {} } = options;
  refuseReserved(settings);
  const binaries = await findBinaries();
  const cluster = await openCluster(options.dataDir, binaries, log);
  const deadline = performance.now() + READY_MS;
  while (performance.now() < deadline) {
    const earlier = findPostmaster(cluster.dir);
    if (earlier) {
      if (await isReusable(cluster, earlier, port)) {
        onServer(earlier.pid, cluster.dir);
        log(`reusing Postgres of an earlier run: process ${earlier.pid}, port ${earlier.port}`);
        return describe(cluster, { ...earlier, ended: pollEnd(cluster, earlier.pid) }, true);
      }
      continue;
    }
    const started = await start(cluster, binaries, port ?? await findFreePort(sparedPort), options);
    if (started) return describe(cluster, started, false);
    if (port !== undefined) await refuseBusyPort(port);
    await sleep(RETRY_PAUSE_MS);
  }
  throw new PostgresStartError(`Postgres did not start within ${READY_MS / 1000} s. See ${cluster.logFile}`);
}

function refuseReserved(settings: Record<string, string>): void {
  for (const name of Object.keys(settings)) {
    if (name in DURABLE_SETTINGS) {
      throw new PostgresStartError(
        `Remove the setting ${name}: it must stay on, or a crash can lose or damage data.`,
      );
    }
    if (OWN_SETTINGS.includes(name)) {
      throw new PostgresStartError(`Remove the setting ${name}: startPostgres() sets it itself.`);
    }
  }
}

/** Returns false if the server ends during the check, because it was stopped or killed just before. */
async function isReusable(cluster: Cluster, { pid, port }: Postmaster, wanted?: number): Promise<boolean> {
  if (!await awaitReady(cluster, pid)) return false;
  if (wanted !== undefined && wanted !== port) {
    throw new PostgresStartError(
      `Postgres already runs on ${cluster.dir} at port ${port} (process ${pid}), not at ${wanted}. ` +
        `Stop it (kill -INT ${pid}), or do not set a port.`,
    );
  }
  try {
    await logIn(cluster, pid, port);
    return true;
  } catch (error) {
    if (isServerOf(cluster.dir, pid)) throw error;
    return false;
  }
}

function describe(cluster: Cluster, { pid, port, ended }: Started, reused: boolean): RunningPostgres {
  let stopped: Promise<void> | undefined;
  return {
    host: "127.0.0.1",
    port,
    socketDir: socketDirOf(cluster, port),
    pid,
    reused,
    ended,
    superuserUrl: (database = "postgres") => superuserUrl(cluster, port, database),
    stop: () => stopped ??= stopPostmaster(cluster.dir, pid),
  };
}

/** Waits for the end of a server that another process started. */
const pollEnd = (cluster: Cluster, pid: number): Promise<undefined> =>
  new Promise((resolve) => {
    const poll = setInterval(() => {
      if (isServerOf(cluster.dir, pid)) return;
      clearInterval(poll);
      resolve(undefined);
    }, POLL_MS);
    poll.unref();
  });

function superuserUrl(cluster: Cluster, port: number, database: string): string {
  return `postgres://postgres:${cluster.superuserPassword}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

function socketDirOf(cluster: Cluster, port: number): string | undefined {
  return Buffer.byteLength(`${cluster.dir}/.s.PGSQL.${port}`) <= SOCKET_PATH_BYTES ? cluster.dir : undefined;
}

/** Returns undefined if another process took the cluster or the port first. */
async function start(
  cluster: Cluster,
  binaries: Binaries,
  port: number,
  { settings = {}, environment, endsWithProcess = false, beforeServer = () => {}, onServer = () => {} }:
    PostgresOptions,
): Promise<Started | undefined> {
  const logBytes = fs.existsSync(cluster.logFile) ? fs.statSync(cluster.logFile).size : 0;
  const startOver = logBytes > LOG_FILE_BYTES;
  const logFd = fs.openSync(cluster.logFile, startOver ? "w" : "a", 0o600);
  const args = serverArguments(cluster, port, settings);
  beforeServer(cluster.dir);
  // Use env to set the variables after setpriv has changed the user. So a preloaded library starts as the
  // server's user and not as root.
  const [command, ...more] = [
    ...(endsWithProcess ? ["/bin/sh", "-c", STOP_WITH_PIPE, "sh"] : []),
    ...(environment ? ["/usr/bin/env", ...assignments(environment)] : []),
    binaries.postgres,
    ...args,
  ];
  const server = launch({
    account: cluster.account,
    command: command!,
    args: more,
    folders: [cluster.dir, dirname(binaries.postgres)],
    logFd,
    hasPipe: endsWithProcess,
  });
  // Ignore errors of the pipe: its reader may have ended.
  server.stdin?.on("error", () => {});
  fs.closeSync(logFd);
  if (server.pid !== undefined) onServer(server.pid, cluster.dir);
  let failure: Error | undefined;
  server.once("error", (error) => failure = error);
  const ended = new Promise<number | string>((resolve) =>
    server.once("exit", (code, signal) => {
      failure ??= new Error("it exited");
      server.stdin?.end("ended\n");
      resolve(code ?? signal!);
    })
  );
  // Do not wait for the server when this program ends. The next start finds the server and reuses it.
  server.unref();
  const pid = server.pid;
  if (pid !== undefined && await awaitReady(cluster, pid, () => failure === undefined)) {
    try {
      await logIn(cluster, pid, port);
    } catch (error) {
      await stopPostmaster(cluster.dir, pid);
      throw error;
    }
    return { pid, port, ended };
  }
  const printed = fs.readFileSync(cluster.logFile).subarray(startOver ? 0 : logBytes).toString();
  if (
    /lock file ".*" (?:already exists|is empty)|pre-existing shared memory|Address already in use/.test(
      printed,
    )
  ) return;
  throw new PostgresStartError(
    `Postgres does not start on ${cluster.dir}: ${printed.trim() || failure?.message}`,
  );
}

const assignments = (environment: Record<string, string>): string[] =>
  Object.entries(environment).map(([name, value]) => `${name}=${value}`);

function serverArguments(cluster: Cluster, port: number, settings: Record<string, string>): string[] {
  const socketDir = socketDirOf(cluster, port);
  const all = {
    ...DEFAULT_SETTINGS,
    ...settings,
    ...DURABLE_SETTINGS,
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: socketDir === undefined ? "" : `"${socketDir.replaceAll('"', '""')}"`,
  };
  return ["-D", cluster.dir, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/**
 * Waits until the server is ready, also through a recovery after a crash. Returns false if the process ends
 * first.
 */
async function awaitReady(
  cluster: Cluster,
  pid: number,
  lives = () => isServerOf(cluster.dir, pid),
): Promise<boolean> {
  const isReady = (): boolean => {
    const found = findPostmaster(cluster.dir);
    return found?.pid === pid && found.status === "ready";
  };
  const settled = await waitUntil(() => !lives() || isReady(), READY_MS);
  if (settled) return lives();
  throw new PostgresStartError(
    `Postgres (process ${pid}) on ${cluster.dir} is not ready after ${READY_MS / 1000} s. ` +
      `See ${cluster.logFile}; end it with kill -INT ${pid} and start again.`,
  );
}

async function logIn(cluster: Cluster, pid: number, port: number): Promise<void> {
  const sql = postgres(superuserUrl(cluster, port, "postgres"), {
    max: 1,
    connect_timeout: LOGIN_SECONDS,
    onnotice: () => {},
  });
  try {
    await sql`select 1`;
  } catch (cause) {
    throw new PostgresStartError(
      `Postgres (process ${pid}, port ${port}) on ${cluster.dir} runs but does not answer: ` +
        `${(cause as Error).message}. End it with kill -INT ${pid} and start again.`,
      { cause },
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const LOOPBACK = "127.0.0.1";

async function refuseBusyPort(port: number): Promise<void> {
  await listenOnce(port, LOOPBACK).catch((cause) => {
    throw new PostgresStartError(
      `Port ${port} is taken: ${cause.message}. Free it, or do not set a port.`,
      { cause },
    );
  });
}
