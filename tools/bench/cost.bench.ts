import { join } from "node:path";
import { openDatabase, type State } from "@gold-partner/dev";
import { connectTraders, Trading } from "../prove/overload/trading.ts";
import { Deployment, type ProofDatabase } from "../prove/stage/deployment.ts";
import { EnvoyFront } from "../prove/stage/envoy_front.ts";
import { familyCpuMs } from "../testing/process_cpu.ts";
import type { Benchmark, Contest, Sample } from "./harness.ts";
import { describePostgres } from "./orders/describe_postgres.ts";
import { openPair } from "./orders/synchronous_pair.ts";

const PARTNERS = 8;
const CONNECTIONS = 3;
const IN_FLIGHT = 64;
const WARM_UP_SECONDS = 5;
/** How long the orders are counted, in turns: 30 s in the full run. */
const TURNS = 300;
const FUNDING_SAR = "10000000";
const MILLION = 1_000_000;

/** The database with a synchronous standby, and where the standby's process is. */
async function openBoth(state: State): Promise<ProofDatabase & { readonly standbyPid: number }> {
  const { urls } = await openDatabase(state);
  const pair = await openPair(state.path("postgres"), join(state.path("postgres"), "..", "standby"), 0);
  return { postgres: pair, urls, standbyPid: pair.standbyPid };
}

function cost(
  deployment: Deployment,
  pids: Readonly<Record<string, () => number>>,
  trading: Trading,
): Contest {
  const remarks: string[] = [];
  const { sql } = deployment;
  const read = async () => {
    const [row] = await sql<{ wal: string; disk: string; orders: string }[]>`
      select pg_current_wal_lsn() - '0/0' as wal, pg_database_size(current_database()) as disk,
        (select count(*) from gold.orders) as orders`;
    const [wal, disk, orders] = [Number(row!.wal), Number(row!.disk), Number(row!.orders)];
    const cpu = Object.fromEntries(
      Object.entries(pids).map(([program, pid]) => [program, familyCpuMs(pid())]),
    );
    return { wal, disk, orders, cpu };
  };
  return {
    name: `an order with its quote, ${IN_FLIGHT} in flight, through Envoy, with a synchronous standby`,
    goals: [],
    async measure({ turnMs }) {
      await trading.saturate(IN_FLIGHT, WARM_UP_SECONDS);
      await deployment.renewTokens();
      const [startMs, before] = [performance.now(), await read()];
      await trading.saturate(IN_FLIGHT, turnMs * TURNS / 1000);
      const [wallMs, after] = [performance.now() - startMs, await read()];
      const operations = after.orders - before.orders;
      const gib = (member: "wal" | "disk") =>
        ((after[member] - before[member]) / operations * MILLION / 2 ** 30).toFixed(2);
      remarks.push(
        "The microseconds of an order are the CPU seconds of a million.",
        `A million orders: ${gib("disk")} GiB in the database, ${gib("wal")} GiB of WAL.`,
        await describePostgres(sql),
      );
      const round = Object.keys(pids).map((program): [string, Sample] => [
        program,
        { operations, wallMs, cpuMs: after.cpu[program]! - before.cpu[program]! },
      ]);
      return [Object.fromEntries(round)];
    },
    remarks: () => remarks,
  };
}

export default {
  about: "what an order costs each program, with its quote, Envoy and a synchronous standby",
  async open() {
    let standbyPid = 0;
    const startDatabase = async (state: State): Promise<ProofDatabase> => {
      const both = await openBoth(state);
      standbyPid = both.standbyPid;
      return both;
    };
    const settings = { HA: "on" };
    const deployment = await Deployment.start({
      servers: 1,
      traders: PARTNERS,
      lanes: 2,
      startDatabase,
      settings,
    });
    try {
      await deployment.fund(FUNDING_SAR);
      const envoy = await EnvoyFront.open(deployment);
      const traders = await connectTraders(deployment, CONNECTIONS);
      const pids = {
        "the service": () => deployment.servers[0]!.pid,
        Postgres: () => deployment.postmasterPid,
        Envoy: () => envoy.pid,
        "the standby": () => standbyPid,
      };
      return {
        contests: [cost(deployment, pids, new Trading(traders))],
        async close() {
          for (const { connections } of traders) for (const connection of connections) connection.close();
          await deployment.stop();
        },
      };
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  },
} satisfies Benchmark;
