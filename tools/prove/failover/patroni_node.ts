import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findFreePort, findPostmaster } from "@gold-partner/dev/postgres";
import { childrenOf } from "../../testing/process_cpu.ts";
import { sendSignal } from "../../testing/send_signal.ts";
import { findPython, startProgram } from "./processes.ts";
import type { Repository } from "../restore/repository.ts";
import { killProgram } from "../../testing/kill_program.ts";

const PACKAGES = fileURLToPath(new URL("../../../.tools/patroni", import.meta.url));
const BINARIES = process.env.PG_BIN ?? "/usr/lib/postgresql/15/bin";
const ASK_MS = 1000;
const LOG_TAIL = 3000;

/** The members of Patroni's report that the proof reads. */
export interface Status {
  readonly role: string;
  /** `streaming` while this standby receives WAL. */
  readonly replication_state?: string;
  /** Whether this standby may become the leader, according to etcd. */
  readonly quorum_standby?: boolean;
}

interface Shared {
  readonly folder: string;
  /** The folder of the settings that all nodes share. */
  readonly settings: string;
  /** The repository of the backups. Without it, the nodes archive nothing. */
  readonly repository?: Repository | undefined;
  readonly etcd: string;
  readonly password: string;
}

/** One Patroni and the Postgres server that it runs. */
export class PatroniNode {
  readonly name: string;
  readonly port: number;
  readonly #apiPort: number;
  readonly #shared: Shared;
  readonly data: string;
  #patroni: ChildProcess | undefined;
  #frozen: readonly number[] = [];
  #commands = 0;

  private constructor(name: string, port: number, apiPort: number, shared: Shared) {
    this.name = name;
    this.port = port;
    this.#apiPort = apiPort;
    this.#shared = shared;
    this.data = join(shared.folder, name);
  }

  static async start(name: string, shared: Shared): Promise<PatroniNode> {
    if (!existsSync(join(PACKAGES, "patroni"))) {
      throw new Error("Patroni is not installed. Run: npm run tools -- patroni");
    }
    const node = new PatroniNode(name, await findFreePort(), await findFreePort(), shared);
    node.start();
    return node;
  }

  /** The postmaster's process. */
  get pid(): number {
    return findPostmaster(this.data)!.pid;
  }

  start(): void {
    this.#patroni = this.#start(this.#logName, [...this.#program("patroni"), this.#shared.settings]);
  }

  /** Runs patronictl, as an operator does on this node, and returns its output. */
  control(...command: readonly string[]): Promise<string> {
    return this.#run([...this.#program("patronictl"), "-c", this.#shared.settings, ...command]);
  }

  /** Runs commands of an operator on this node, in a shell with the account of the servers. */
  async shell(commands: string): Promise<void> {
    const functions = [
      // The settings are not in /etc/patroni.
      `patronictl() { shift 2; ${
        this.#program("patronictl").join(" ")
      } -c '${this.#shared.settings}' "$@"; }`,
      // The restored settings may have the port of another node. In production, all nodes use the same port.
      `pg_ctl() { '${join(BINARIES, "pg_ctl")}' --options='-p ${this.port}' "$@"; }`,
    ];
    await this.#run(["/bin/sh", "-ec", [...functions, commands].join("\n")]);
  }

  async #run(command: readonly [string, ...string[]]): Promise<string> {
    const name = `${this.name}_command_${++this.#commands}`;
    const [code] = await once(this.#start(name, command), "exit");
    const output = readFileSync(join(this.#shared.folder, `${name}.log`), "utf8");
    if (code !== 0) throw new Error(`${command.join(" ")} exited with ${code}: ${output.slice(-LOG_TAIL)}`);
    return output;
  }

  /** Differs from the name of Postgres' log, which docs/recovery.md puts beside the data folder. */
  get #logName(): string {
    return `patroni_${this.name}`;
  }

  #program(name: string): [string, ...string[]] {
    return [findPython(), join(PACKAGES, "bin", name)];
  }

  #start(name: string, command: readonly [string, ...string[]]): ChildProcess {
    const { folder, etcd, password, repository } = this.#shared;
    const [address, api] = [`127.0.0.1:${this.port}`, `127.0.0.1:${this.#apiPort}`];
    return startProgram(name, command, {
      folder,
      // A shell starts Python, too.
      reads: [PACKAGES, BINARIES, dirname(findPython())],
      environment: {
        ...repository?.environmentOf(this),
        PYTHONPATH: realpathSync(PACKAGES),
        PATRONI_NAME: this.name,
        PATRONI_ETCD3_HOSTS: etcd,
        PATRONI_RESTAPI_LISTEN: api,
        PATRONI_RESTAPI_CONNECT_ADDRESS: api,
        PATRONI_POSTGRESQL_LISTEN: address,
        PATRONI_POSTGRESQL_CONNECT_ADDRESS: address,
        PATRONI_POSTGRESQL_DATA_DIR: this.data,
        PATRONI_POSTGRESQL_BIN_DIR: BINARIES,
        PATRONI_POSTGRESQL_PGPASS: join(folder, `${this.name}.pgpass`),
        PATRONI_SUPERUSER_USERNAME: "postgres",
        PATRONI_SUPERUSER_PASSWORD: password,
        PATRONI_REPLICATION_USERNAME: "replicator",
        PATRONI_REPLICATION_PASSWORD: password,
      },
    });
  }

  /** The last lines that Patroni and Postgres printed. */
  readLog(): string {
    return readFileSync(join(this.#shared.folder, `${this.#logName}.log`), "utf8").slice(-LOG_TAIL);
  }

  /** What the node reports about itself. Undefined if it does not answer. */
  async ask(): Promise<Status | undefined> {
    try {
      const reply = await fetch(`http://127.0.0.1:${this.#apiPort}/patroni`, {
        signal: AbortSignal.timeout(ASK_MS),
      });
      return await reply.json() as Status;
    } catch {
      return undefined;
    }
  }

  /** Kills every process of Postgres, as a crash does. Patroni keeps running. */
  killPostgres(): void {
    for (const pid of this.#stopRunning()) sendSignal(pid, "SIGKILL");
  }

  /** Kills what still runs of Patroni and Postgres. */
  async stop(): Promise<void> {
    if (this.#patroni) await killProgram(this.#patroni);
    for (const pid of this.#stopPostgres()) sendSignal(pid, "SIGKILL");
  }

  /** Kills Patroni and Postgres, as the loss of the machine does. */
  async killHost(): Promise<void> {
    await killProgram(this.#patroni!);
    this.killPostgres();
  }

  /** Stops Patroni and Postgres without closing their connections, as a hung machine does. */
  freeze(): void {
    const patroni = this.#patroni!.pid!;
    sendSignal(patroni, "SIGSTOP");
    this.#frozen = [patroni, ...this.#stopRunning()];
  }

  thaw(): void {
    for (const pid of this.#frozen) sendSignal(pid, "SIGCONT");
    this.#frozen = [];
  }

  /** Throws if Postgres does not run, because a fault must not hit nothing. */
  #stopRunning(): number[] {
    const stopped = this.#stopPostgres();
    if (stopped.length === 0) throw new Error(`${this.name} runs no Postgres, so the fault hits nothing`);
    return stopped;
  }

  /** Stops the postmaster first, so that it starts no other process. Returns all stopped processes. */
  #stopPostgres(): number[] {
    const postmaster = findPostmaster(this.data)?.pid;
    if (postmaster === undefined) return [];
    sendSignal(postmaster, "SIGSTOP");
    const children = childrenOf(postmaster);
    for (const pid of children) sendSignal(pid, "SIGSTOP");
    return [postmaster, ...children];
  }
}
