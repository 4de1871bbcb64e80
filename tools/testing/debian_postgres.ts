import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { findFreePort } from "@gold-partner/dev/postgres";

/**
 * The account of the servers. If this process is root, it is nobody (65534), because Postgres refuses to run
 * as root.
 */
export const ACCOUNT = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const READY_MS = 30_000;
const SETTINGS = ["listen_addresses=127.0.0.1", "max_connections=200", "wal_keep_size=64MB"];

/** A new folder that the servers' account owns. */
export function makeServerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gold-standby-"));
  if (ACCOUNT.uid !== undefined) chownSync(folder, ACCOUNT.uid, ACCOUNT.gid);
  return folder;
}

export class MissingPostgres extends Error {}

/** The path of one of Postgres' programs: in `folder`, or where PG_BIN or Debian's package has it. */
export function findProgram(
  name: string,
  folder = process.env.PG_BIN ?? "/usr/lib/postgresql/15/bin",
): string {
  const program = join(folder, name);
  if (existsSync(program)) return program;
  throw new MissingPostgres(
    `${program} does not exist. Install postgresql-15, or set PG_BIN to its programs.`,
  );
}

const optionsIn = (folder: string) => ({ ...ACCOUNT, cwd: folder, env: { LC_ALL: "C", TZ: "UTC" } });

interface ServerOptions {
  /** The folder of the Unix socket. Without it, the server has only TCP. */
  readonly socketFolder?: string;
  /** The folder of Postgres' programs; Debian's by default. */
  readonly programs?: string;
  /** Environment variables of the server and of the programs that it starts. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The superuser's password on every server of this process. */
const PASSWORD = randomBytes(16).toString("hex");

/** One server of Debian's Postgres on loopback TCP. On its Unix socket, the account of the server is `postgres`. */
export class DebianPostgres {
  readonly port: number;
  readonly #data: string;
  readonly #more: ServerOptions;
  #process: ChildProcess | undefined;

  /** A server on this data folder, which does not run yet. */
  constructor(data: string, port: number, more: ServerOptions = {}) {
    this.#data = data;
    this.port = port;
    this.#more = more;
  }

  static async create(folder: string, more?: ServerOptions): Promise<DebianPostgres> {
    const server = new DebianPostgres(join(folder, "primary"), await findFreePort(), more);
    server.initialize();
    await server.start();
    return server;
  }

  /** Makes the data folder of a new server. */
  initialize(): void {
    const file = join(this.#data, "..", "password");
    writeFileSync(file, PASSWORD);
    const authentication = ["--auth-host=scram-sha-256", "--auth-local=peer", `--pwfile=${file}`];
    this.#run("initdb", ["-U", "postgres", ...authentication, "-E", "UTF8", "--no-sync"]);
    rmSync(file);
    if (this.#more.socketFolder === undefined) return;
    const account = ACCOUNT.uid === undefined ? userInfo().username : "nobody";
    const edit = (name: string, change: (text: string) => string) =>
      writeFileSync(join(this.#data, name), change(readFileSync(join(this.#data, name), "utf8")));
    edit("pg_hba.conf", (text) => text.replaceAll(/\bpeer$/gm, "peer map=proof"));
    edit("pg_ident.conf", (text) => `${text}proof ${account} postgres\n`);
  }

  /** A standby that streams from this server under the name `standby`. */
  async createStandby(folder: string): Promise<DebianPostgres> {
    const standby = new DebianPostgres(join(folder, "standby"), await findFreePort());
    const from =
      `host=127.0.0.1 port=${this.port} user=postgres password=${PASSWORD} application_name=standby`;
    standby.#run("pg_basebackup", ["-d", from, "-R", "-c", "fast", "--no-sync"]);
    await standby.start();
    return standby;
  }

  static urlAt(port: number, database: string): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${database}`;
  }

  /** The postmaster's process. */
  get pid(): number {
    return this.#process!.pid!;
  }

  url(database = "postgres"): string {
    return DebianPostgres.urlAt(this.port, database);
  }

  async start(): Promise<void> {
    const { socketFolder = "", environment = {} } = this.#more;
    const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
    const options = optionsIn(join(this.#data, ".."));
    this.#process = spawn(findProgram("postgres", this.#more.programs), [
      "-D",
      this.#data,
      "-p",
      `${this.port}`,
      "-k",
      socketFolder,
      ...settings,
    ], {
      ...options,
      env: { ...options.env, ...environment },
      stdio: "ignore",
    });
    const sql = postgres(this.url(), { max: 1, onnotice: () => {}, connect_timeout: 2, backoff: () => 0.1 });
    const untilMs = performance.now() + READY_MS;
    try {
      while (!await sql`select 1`.then(() => true, () => false)) {
        if (performance.now() > untilMs) throw new Error(`Postgres on port ${this.port} does not answer.`);
        await sleep(50);
      }
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** Ends all processes of this server at once with SIGQUIT, as a crash would. */
  async crash(): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (server && server.exitCode === null && server.kill("SIGQUIT")) await once(server, "exit");
  }

  promote(): void {
    this.#run("pg_ctl", ["promote", "-w"]);
  }

  #run(program: string, args: readonly string[]): void {
    const folder = join(this.#data, "..");
    execFileSync(findProgram(program, this.#more.programs), [...args, "-D", this.#data], {
      ...optionsIn(folder),
      stdio: "pipe",
    });
  }
}
