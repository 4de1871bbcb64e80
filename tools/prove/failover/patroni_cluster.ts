import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDatabase, type State, urlsAt } from "@gold-partner/dev";
import { until } from "../../testing/until.ts";
import type { ProofDatabase } from "../stage/deployment.ts";
import { type Etcd, startEtcd } from "./etcd.ts";
import { PatroniNode, type Status } from "./patroni_node.ts";
import { makeFolder } from "./processes.ts";
import { Repository } from "../restore/repository.ts";

const SETTINGS = fileURLToPath(new URL("../../../deploy/patroni", import.meta.url));
const NAMES = ["n1", "n2", "n3"];

/**
 * What backups change in the tests: the account of the servers is not `postgres`, and their sockets are
 * elsewhere.
 */
const withBackups = (text: string, folder: string): string =>
  text.replace("local all postgres peer", "local all postgres trust")
    .replace("unix_socket_directories: /var/run/postgresql", `unix_socket_directories: ${folder}`)
    // Shows when each row was committed.
    .replace('synchronous_commit: "on"', '$&\n        track_commit_timestamp: "on"');

/** Three nodes with the settings of deploy/patroni, and their etcd. With backups, they share a repository. */
export class PatroniCluster {
  readonly #folder: string;
  readonly #password = randomBytes(16).toString("hex");
  readonly #nodes: PatroniNode[] = [];
  readonly #repository: Repository | undefined;
  #etcd: Etcd | undefined;
  #leader: PatroniNode | undefined;

  private constructor(folder: string, backups: boolean) {
    this.#folder = folder;
    if (backups) this.#repository = new Repository(folder);
  }

  static async start({ backups = false } = {}): Promise<PatroniCluster> {
    const cluster = new PatroniCluster(makeFolder(), backups);
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async #start(): Promise<void> {
    // The account of the nodes may be unable to read deploy/.
    const settings = join(this.#folder, "settings");
    mkdirSync(settings);
    for (const name of this.#repository ? ["patroni.yaml", "backup.yaml"] : ["patroni.yaml"]) {
      const text = readFileSync(join(SETTINGS, name), "utf8");
      writeFileSync(join(settings, name), this.#repository ? withBackups(text, this.#folder) : text);
      chmodSync(join(settings, name), 0o644);
    }
    chmodSync(settings, 0o755);
    this.#etcd = await startEtcd(this.#folder);
    const shared = {
      folder: this.#folder,
      settings,
      repository: this.#repository,
      etcd: this.#etcd.address,
      password: this.#password,
    };
    for (const name of NAMES) this.#nodes.push(await PatroniNode.start(name, shared));
    await this.untilWhole();
  }

  /** The primary, as of the last untilWhole(). */
  get leader(): PatroniNode {
    return this.#leader!;
  }

  get standbys(): PatroniNode[] {
    return this.#nodes.filter((node) => node !== this.#leader);
  }

  /**
   * Waits until one node is the primary and `standbys` others stream from it, and etcd lists them as standbys
   * that may become the leader.
   */
  async untilWhole(wanted = NAMES.length - 1): Promise<void> {
    let seen: (Status | undefined)[] = [];
    await until(
      async () => {
        seen = await Promise.all(this.#nodes.map((node) => node.ask()));
        return this.#readRoles(seen, wanted);
      },
      () => [seen, this.#nodes.map((node) => node.readLog())],
    );
  }

  #readRoles(statuses: readonly (Status | undefined)[], wanted: number): boolean {
    const leaders = this.#nodes.filter((_, n) => statuses[n]?.role === "primary");
    this.#leader = leaders[0];
    const standbys = statuses.filter((status) =>
      status?.quorum_standby && status.replication_state === "streaming"
    );
    return leaders.length === 1 && standbys.length === wanted;
  }

  /** Runs a command of pgBackRest on the machine of this node. */
  backRest(node: PatroniNode, ...command: readonly string[]): string {
    return this.#repository!.run(node, ...command);
  }

  /** Creates the database and its logins. */
  async createDatabase(state: State): Promise<ProofDatabase> {
    await createDatabase(state, this);
    return { postgres: this, urls: await urlsAt(state, ...this.#nodes.map(({ port }) => port)) };
  }

  get port(): number {
    return this.leader.port;
  }

  get pid(): number {
    return this.leader.pid;
  }

  /** The primary's URL. */
  superuserUrl = (database = "postgres"): string => this.urlOf(this.leader, database);

  urlOf({ port }: PatroniNode, database = "postgres"): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${port}/${database}`;
  }

  /** Kills all nodes. etcd goes on. */
  async killAll(): Promise<void> {
    for (const node of this.#nodes) await node.stop();
  }

  async stop(): Promise<void> {
    await this.killAll();
    await this.#etcd?.stop();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
