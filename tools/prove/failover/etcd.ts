import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { findFreePort } from "@gold-partner/dev/postgres";
import { killProgram } from "../../testing/kill_program.ts";
import { until } from "../../testing/until.ts";
import { startProgram } from "./processes.ts";

export interface Etcd {
  /** HOST:PORT for clients. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts one etcd, which holds the leader's lock. */
export async function startEtcd(folder: string): Promise<Etcd> {
  const program = process.env.ETCD ?? "/usr/bin/etcd";
  if (!existsSync(program)) {
    throw new Error(`${program} does not exist: install etcd-server, or set ETCD to its path.`);
  }
  const [address, peer] = [`127.0.0.1:${await findFreePort()}`, `127.0.0.1:${await findFreePort()}`];
  const options = [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=http://${address}`,
    `--advertise-client-urls=http://${address}`,
    `--listen-peer-urls=http://${peer}`,
    `--initial-advertise-peer-urls=http://${peer}`,
    `--initial-cluster=default=http://${peer}`,
  ];
  const child = startProgram("etcd", [program, ...options], { folder });
  await until(() => fetch(`http://${address}/health`).then(({ ok }) => ok, () => false));
  return { address, stop: () => killProgram(child) };
}
