import { type ChildProcess, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createDatabase, type State, urlsAt } from "@gold-partner/dev";
import { findFreePort } from "@gold-partner/dev/postgres";
import type { ProofDatabase } from "../../tools/prove/stage/deployment.ts";
import { PatroniNode } from "../../tools/prove/failover/patroni_node.ts";
import { makeFolder, startProgram } from "../../tools/prove/failover/processes.ts";
import { killProgram } from "../../tools/testing/kill_program.ts";
import { until } from "../../tools/testing/until.ts";

const SETTINGS = fileURLToPath(new URL("../../deploy/patroni/patroni.yaml", import.meta.url));
const ETCD = process.env.ETCD ?? "/usr/bin/etcd";
/** The names that docs/high_availability.md gives to its machines. */
const NAMES = ["n1", "n2", "n3"] as const;
/** Without a reply for this time, a machine's etcd does not answer. */
const ASK_MS = 1000;

/** One machine of docs/high_availability.md, with its etcd and its Patroni. */
export class Machine {
  readonly name: string;
  readonly folder: string;
  /** HOST:PORT of etcd for clients and for the other members. */
  readonly etcd: { readonly client: string; readonly peer: string };
  /** Stands for /etc/default/etcd, which Debian's etcd.service reads. */
  readonly etcdSettings: string;
  readonly etcdData: string;
  #etcd: ChildProcess | undefined;
  #node: PatroniNode | undefined;

  private constructor(name: string, folder: string, etcd: Machine["etcd"]) {
    [this.name, this.folder, this.etcd] = [name, folder, etcd];
    this.etcdSettings = join(folder, `${name}_etcd.env`);
    this.etcdData = join(folder, `${name}_etcd`);
  }

  static async create(name: string, folder: string): Promise<Machine> {
    const [client, peer] = [`127.0.0.1:${await findFreePort()}`, `127.0.0.1:${await findFreePort()}`];
    return new Machine(name, folder, { client, peer });
  }

  get node(): PatroniNode {
    return this.#node!;
  }

  /** Starts etcd with the settings of its file. A later line replaces an earlier one, as in systemd. */
  startEtcd(): void {
    const lines = readFileSync(this.etcdSettings, "utf8").matchAll(/^(\w+)="?([^"\n]*)"?$/gm);
    const environment = Object.fromEntries([...lines].map(([, key, value]) => [key!, value!]));
    this.#etcd = startProgram(`etcd_${this.name}`, [ETCD], { folder: this.folder, environment });
  }

  /** Waits until this etcd belongs to a cluster with a majority. */
  untilEtcdServes(): Promise<unknown> {
    return until(() =>
      fetch(`http://${this.etcd.client}/health`, { signal: AbortSignal.timeout(ASK_MS) })
        .then(({ ok }) => ok, () => false)
    );
  }

  async startPatroni(shared: Parameters<typeof PatroniNode.start>[1]): Promise<void> {
    this.#node = await PatroniNode.start(this.name, shared);
  }

  async stop(service: "etcd" | "patroni"): Promise<void> {
    if (service === "patroni") await this.#node?.stop();
    else if (this.#etcd) await killProgram(this.#etcd);
  }

  /** Ends everything on this machine at once. */
  async lose(): Promise<void> {
    await Promise.all([this.stop("etcd"), this.stop("patroni")]);
  }

  /** Starts a lost machine, with the data that it had. */
  boot(): void {
    this.startEtcd();
    this.node.start();
  }
}

/** Three machines, each with etcd, Patroni and the settings of deploy/patroni. */
export class Machines {
  readonly #folder = makeFolder();
  readonly #password = randomBytes(16).toString("hex");
  readonly all: Machine[] = [];
  #leader: Machine | undefined;

  static async start(): Promise<Machines> {
    const machines = new Machines();
    try {
      await machines.#start();
      return machines;
    } catch (error) {
      await machines.stop();
      throw error;
    }
  }

  async #start(): Promise<void> {
    if (!existsSync(ETCD)) {
      throw new Error(`${ETCD} does not exist: install etcd-server, or set ETCD to its path.`);
    }
    for (const name of NAMES) this.all.push(await Machine.create(name, this.#folder));
    const cluster = this.all.map(({ name, etcd }) => `${name}=http://${etcd.peer}`).join(",");
    for (const machine of this.all) {
      const { name, etcd: { client, peer }, etcdData, etcdSettings } = machine;
      const settings = {
        ETCD_NAME: name,
        ETCD_DATA_DIR: etcdData,
        ETCD_LISTEN_CLIENT_URLS: `http://${client}`,
        ETCD_ADVERTISE_CLIENT_URLS: `http://${client}`,
        ETCD_LISTEN_PEER_URLS: `http://${peer}`,
        ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${peer}`,
        ETCD_INITIAL_CLUSTER: cluster,
      };
      writeFileSync(
        etcdSettings,
        Object.entries(settings).map(([key, value]) => `${key}=${value}\n`).join(""),
      );
      machine.startEtcd();
    }
    await this.all[0]!.untilEtcdServes();
    // The account of the nodes may be unable to read deploy/.
    const settings = join(this.#folder, "settings");
    mkdirSync(settings);
    writeFileSync(join(settings, "patroni.yaml"), readFileSync(SETTINGS));
    chmodSync(settings, 0o755);
    chmodSync(join(settings, "patroni.yaml"), 0o644);
    const shared = {
      folder: this.#folder,
      settings,
      etcd: this.all.map(({ etcd }) => etcd.client).join(","),
      password: this.#password,
    };
    for (const machine of this.all) await machine.startPatroni(shared);
    await this.untilWhole();
  }

  /** The machine of the primary, as of the last untilWhole(). */
  get leader(): Machine {
    return this.#leader!;
  }

  get standbys(): Machine[] {
    return this.all.filter((machine) => machine !== this.#leader);
  }

  /** Waits until one machine is the leader and `wanted` others are standbys for which a commit may wait. */
  async untilWhole(wanted = NAMES.length - 1): Promise<void> {
    await until(async () => {
      const statuses = await Promise.all(this.all.map(({ node }) => node.ask()));
      const leaders = this.all.filter((_, n) => statuses[n]?.role === "primary");
      this.#leader = leaders[0];
      const standbys = statuses.filter((status) =>
        status?.quorum_standby && status.replication_state === "streaming"
      );
      return leaders.length === 1 && standbys.length === wanted;
    }, () => this.all.map(({ node }) => node.readLog()));
  }

  /**
   * Runs commands of the page on this machine. `systemctl` starts and stops its processes, and `patronictl`
   * runs with the settings of its Patroni. The addresses and paths of the page become those of the test.
   * `named` tells which machine has a name of the page.
   */
  async run(
    machine: Machine,
    commands: string,
    named: (name: string) => Machine,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const text = commands
      .replace(/https:\/\/(n\d):2379/g, (_, name: string) => `http://${named(name).etcd.client}`)
      .replace(/https:\/\/(n\d):2380/g, (_, name: string) => `http://${named(name).etcd.peer}`)
      .replace(/\bn\d\b/g, (name) => named(name).name)
      .replaceAll("/etc/default/etcd", machine.etcdSettings)
      .replaceAll("/var/lib/etcd/default", machine.etcdData)
      .replaceAll("/var/lib/postgresql/gold", machine.node.data);
    let output = "";
    for (const line of text.trim().split("\n")) {
      const [program, ...words] = line.split(" ");
      if (program === "systemctl") await this.#systemctl(machine, words);
      else if (line.startsWith("patronictl -c /etc/patroni ")) {
        // patronictl asks for a confirmation, unless --force is given.
        output += await machine.node.control(...words.slice(2), ...(words[2] === "list" ? [] : ["--force"]));
      } else {output += execFileSync("bash", ["-euo", "pipefail", "-c", line], {
          cwd: this.#folder,
          encoding: "utf8",
          env: { ...process.env, ...environment },
        });}
    }
    return output;
  }

  async #systemctl(machine: Machine, [verb, ...services]: readonly string[]): Promise<void> {
    for (const service of services) {
      if (service !== "etcd" && service !== "patroni") {
        throw new Error(`The machine has no service ${service}.`);
      }
      if (verb === "stop") await machine.stop(service);
      else if (verb !== "start") throw new Error(`The test cannot ${verb} a service.`);
      else if (service === "patroni") machine.node.start();
      else {
        machine.startEtcd();
        await machine.untilEtcdServes();
      }
    }
  }

  /** Creates the database and its logins. */
  async createDatabase(state: State): Promise<ProofDatabase> {
    await createDatabase(state, this);
    return { postgres: this, urls: await urlsAt(state, ...this.all.map(({ node }) => node.port)) };
  }

  get port(): number {
    return this.leader.node.port;
  }

  get pid(): number {
    return this.leader.node.pid;
  }

  /** The primary's URL. */
  superuserUrl = (database = "postgres"): string =>
    `postgres://postgres:${this.#password}@127.0.0.1:${this.port}/${database}`;

  async stop(): Promise<void> {
    for (const machine of this.all) await machine.lose();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
