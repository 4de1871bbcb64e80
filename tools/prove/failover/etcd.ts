import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { findFreePort } from "@gold-partner/dev/postgres";
import { killProgram } from "../../testing/kill_program.ts";
import { until } from "../../testing/until.ts";
import { startProgram } from "./processes.ts";

/** One etcd, which holds the leader's lock. */
export class Etcd {
  /** HOST:PORT for clients. */
  readonly address: string;
  readonly #process: ChildProcess;

  private constructor(address: string, child: ChildProcess) {
    this.address = address;
    this.#process = child;
  }

  static async start(folder: string): Promise<Etcd> {
    const program = process.env.ETCD ?? "/usr/bin/etcd";
    if (!existsSync(program)) {
      throw new Error(`${program} does not exist: install etcd-server, or set ETCD to its path.`);
    }
    const [client, peer] = [`127.0.0.1:${await findFreePort()}`, `127.0.0.1:${await findFreePort()}`];
    const options = [
      `--data-dir=${join(folder, "etcd")}`,
      `--listen-client-urls=http://${client}`,
      `--advertise-client-urls=http://${client}`,
      `--listen-peer-urls=http://${peer}`,
      `--initial-advertise-peer-urls=http://${peer}`,
      `--initial-cluster=default=http://${peer}`,
    ];
    const etcd = new Etcd(client, startProgram("etcd", [program, ...options], { folder }));
    await until(() => fetch(`http://${client}/health`).then(({ ok }) => ok, () => false));
    return etcd;
  }

  stop(): Promise<void> {
    return killProgram(this.#process);
  }
}
