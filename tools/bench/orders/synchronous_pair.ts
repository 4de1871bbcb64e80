// A primary and a synchronous standby on this machine, with Toxiproxy between them.
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type RunningPostgres, startPostgres } from "@gold-partner/dev/postgres";
import { Toxiproxy } from "../../testing/toxiproxy.ts";
import { POSTGRES_SETTINGS } from "./postgres_settings.ts";

const NAME = "standby";
/** Two servers share the memory of one machine. */
const SETTINGS = { ...POSTGRES_SETTINGS, shared_buffers: "1GB" };

/**
 * Restarts the Postgres of `dataDir` as the primary, on its port, and starts a standby on a copy of its
 * files. Every commit waits for the standby, which gets the WAL `latencyMs` later. `stop` stops both.
 */
export async function openPair(
  dataDir: string,
  copy: string,
  latencyMs: number,
): Promise<
  Pick<RunningPostgres, "pid" | "port" | "stop" | "superuserUrl"> & { readonly standbyPid: number }
> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0)) await one();
  };
  try {
    let cluster = "";
    const onServer = (_: number, folder: string) => void (cluster = relative(dataDir, folder));
    const single = await startPostgres({ dataDir, onServer });
    await single.stop();
    // The server's account must own the copy, and `cp -a` keeps the owner.
    execFileSync("cp", ["-a", dataDir, copy]);
    const signal = join(copy, cluster, "standby.signal");
    writeFileSync(signal, "");
    chmodSync(signal, 0o666);
    const primary = await startPostgres({
      dataDir,
      port: single.port,
      settings: { ...SETTINGS, synchronous_standby_names: NAME },
    });
    stops.push(() => primary.stop());
    const toxiproxy = await Toxiproxy.start();
    stops.push(() => toxiproxy.stop());
    const wire = new URL(primary.superuserUrl());
    wire.port = `${await toxiproxy.open(NAME, primary.port)}`;
    wire.searchParams.set("application_name", NAME);
    const attributes = { latency: latencyMs, jitter: 0 };
    await toxiproxy.poison(NAME, { type: "latency", stream: "downstream", attributes });
    const standby = await startPostgres({
      dataDir: copy,
      settings: { ...SETTINGS, primary_conninfo: wire.href },
    });
    stops.push(() => standby.stop());
    const { pid, port, superuserUrl } = primary;
    return { pid, port, superuserUrl, stop, standbyPid: standby.pid };
  } catch (error) {
    await stop();
    throw error;
  }
}
