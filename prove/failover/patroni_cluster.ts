import { randomBytes } from "node:crypto";
import { chmodSync, copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDatabase, type State, urlsAt } from "@gold-partner/dev";
import { until } from "../../testing/until.ts";
import type { ProofDatabase } from "../deployment.ts";
import { Etcd } from "./etcd.ts";
import { PatroniNode, type Status } from "./patroni_node.ts";
import { makeFolder } from "./processes.ts";

const SETTINGS = fileURLToPath(new URL("../../deploy/patroni/patroni.yaml", import.meta.url));
const NAMES = ["n1", "n2", "n3"];
const LOG_TAIL = 3000;

/** Three nodes with the settings of deploy/patroni, and their etcd. */
export class PatroniCluster {
  readonly #folder: string;
  readonly #password = randomBytes(16).toString("hex");
  readonly #nodes: PatroniNode[] = [];
  #etcd: Etcd | undefined;
  #leader: PatroniNode | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(): Promise<PatroniCluster> {
    const cluster = new PatroniCluster(makeFolder());
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async #start(): Promise<void> {
    // The account of the nodes may be unable to read the repository.
    const settings = join(this.#folder, "patroni.yaml");
    copyFileSync(SETTINGS, settings);
    chmodSync(settings, 0o644);
    this.#etcd = await Etcd.start(this.#folder);
    const shared = {
      folder: this.#folder,
      settings,
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
   * Waits until one node is the primary and both others stream from it, and etcd lists both as standbys that
   * may become the leader.
   */
  async untilWhole(): Promise<void> {
    let seen: (Status | undefined)[] = [];
    await until(
      async () => {
        seen = await Promise.all(this.#nodes.map((node) => node.ask()));
        return this.#readRoles(seen);
      },
      () => [seen, this.#nodes.map(({ name }) => this.#logOf(name))],
    );
  }

  #readRoles(statuses: readonly (Status | undefined)[]): boolean {
    const leaders = this.#nodes.filter((_, n) => statuses[n]?.role === "primary");
    this.#leader = leaders[0];
    const standbys = statuses.filter((status) =>
      status?.quorum_standby && status.replication_state === "streaming"
    );
    return leaders.length === 1 && standbys.length === this.#nodes.length - 1;
  }

  #logOf(name: string): string {
    return readFileSync(join(this.#folder, `${name}.log`), "utf8").slice(-LOG_TAIL);
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
  superuserUrl = (database = "postgres"): string =>
    `postgres://postgres:${this.#password}@127.0.0.1:${this.port}/${database}`;

  async stop(): Promise<void> {
    for (const node of this.#nodes) await node.killHost();
    await this.#etcd?.stop();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
