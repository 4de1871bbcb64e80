import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { findFreePort, findPostmaster } from "@gold-partner/local-postgres";
import { childrenOf, findPython, killProgram, signal, startProgram } from "./processes.ts";

const PACKAGES = fileURLToPath(new URL("../../.tools/patroni", import.meta.url));
const BINARIES = process.env.PG_BIN ?? "/usr/lib/postgresql/15/bin";
const ASK_MS = 1000;

/** The members of Patroni's own report that the proof reads. */
export interface Status {
  readonly role: string;
  /** `streaming` while this standby receives the log. */
  readonly replication_state?: string;
  /** Whether this standby may become the leader, as etcd has it. */
  readonly quorum_standby?: boolean;
}

interface Shared {
  readonly folder: string;
  /** The file that all nodes share. */
  readonly settings: string;
  readonly etcd: string;
  readonly password: string;
}

/** One Patroni and the Postgres server that it runs. */
export class PatroniNode {
  readonly name: string;
  readonly port: number;
  readonly #apiPort: number;
  readonly #shared: Shared;
  readonly #data: string;
  #patroni: ChildProcess | undefined;
  #frozen: readonly number[] = [];

  private constructor(name: string, port: number, apiPort: number, shared: Shared) {
    this.name = name;
    this.port = port;
    this.#apiPort = apiPort;
    this.#shared = shared;
    this.#data = join(shared.folder, name);
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
    return findPostmaster(this.#data)!.pid;
  }

  start(): void {
    this.#patroni = this.#run("patroni", this.#shared.settings);
  }

  /** Runs patronictl, as an operator does on this node. */
  async control(...command: readonly string[]): Promise<void> {
    const child = this.#run("patronictl", "-c", this.#shared.settings, ...command);
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`patronictl ${command.join(" ")} exited with ${code}.`);
  }

  #run(program: string, ...args: readonly string[]): ChildProcess {
    const { folder, etcd, password } = this.#shared;
    const [address, api] = [`127.0.0.1:${this.port}`, `127.0.0.1:${this.#apiPort}`];
    return startProgram(this.name, [findPython(), join(PACKAGES, "bin", program), ...args], {
      folder,
      reads: [PACKAGES, BINARIES],
      environment: {
        PYTHONPATH: realpathSync(PACKAGES),
        PATRONI_NAME: this.name,
        PATRONI_ETCD3_HOSTS: etcd,
        PATRONI_RESTAPI_LISTEN: api,
        PATRONI_RESTAPI_CONNECT_ADDRESS: api,
        PATRONI_POSTGRESQL_LISTEN: address,
        PATRONI_POSTGRESQL_CONNECT_ADDRESS: address,
        PATRONI_POSTGRESQL_DATA_DIR: this.#data,
        PATRONI_POSTGRESQL_BIN_DIR: BINARIES,
        PATRONI_POSTGRESQL_PGPASS: join(folder, `${this.name}.pgpass`),
        PATRONI_SUPERUSER_USERNAME: "postgres",
        PATRONI_SUPERUSER_PASSWORD: password,
        PATRONI_REPLICATION_USERNAME: "replicator",
        PATRONI_REPLICATION_PASSWORD: password,
      },
    });
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

  /** Kills every process of Postgres, as a crash does. Patroni goes on. */
  killPostgres(): void {
    for (const pid of this.#stopPostgres()) signal(pid, "SIGKILL");
  }

  /** Kills Patroni and Postgres, as the loss of the machine does. */
  async killHost(): Promise<void> {
    await killProgram(this.#patroni!);
    this.killPostgres();
  }

  /** Stops Patroni and Postgres without closing their connections, as a machine does that hangs. */
  freeze(): void {
    const patroni = this.#patroni!.pid!;
    signal(patroni, "SIGSTOP");
    this.#frozen = [patroni, ...this.#stopPostgres()];
  }

  thaw(): void {
    for (const pid of this.#frozen) signal(pid, "SIGCONT");
    this.#frozen = [];
  }

  /** Stops the postmaster first, so that it starts no further process. Returns all stopped processes. */
  #stopPostgres(): number[] {
    const postmaster = findPostmaster(this.#data)?.pid;
    if (postmaster === undefined) return [];
    signal(postmaster, "SIGSTOP");
    const children = childrenOf(postmaster);
    for (const pid of children) signal(pid, "SIGSTOP");
    return [postmaster, ...children];
  }
}
