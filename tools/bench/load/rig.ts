// One process of the service with Postgres, Envoy and HAProxy on one core, and the partners on another one.
import { readFileSync } from "node:fs";
import { findFreePort } from "@gold-partner/dev/postgres";
import { Deployment } from "../../prove/stage/deployment.ts";
import { EnvoyFront } from "../../prove/stage/envoy_front.ts";
import {
  type Identity,
  KeepAlivePool,
  openTlsWire,
  readIdentity,
} from "../../prove/stage/partner_connection.ts";
import { pinApart } from "../../prove/stage/pin.ts";
import type { Trader } from "../../prove/stage/trader.ts";
import { Wire } from "../../prove/stage/wire.ts";
import { familyCpuMs } from "../../testing/process_cpu.ts";

export type Way = "directly" | "through Envoy" | "through HAProxy and Envoy";

const PROGRAMS = ["service", "Postgres", "Envoy", "HAProxy"] as const;
type Program = typeof PROGRAMS[number];

const PARTNERS = 8;
/** Together fewer than Envoy and HAProxy allow for one address. */
const CONNECTIONS = 16;
const FUNDING_SAR = "10000000";

export interface Rig {
  readonly deployment: Deployment;
  readonly partners: readonly Trader[];
  readonly identities: readonly Identity[];
  readonly envoyPort: number;
  /** One pool of open connections for each partner. */
  connect(way: Way): Promise<readonly KeepAlivePool[]>;
  /** Inserts quotes for the partners in turn, and returns their ids. */
  insertQuotes(count: number): Promise<string[]>;
  /** The CPU time of everything but the partners, by program. */
  readCpuMs(): Readonly<Record<Program, number>>;
}

export async function openRig(): Promise<Rig> {
  const deployment = await Deployment.start({ servers: 1, traders: PARTNERS, lanes: 2 });
  try {
    await deployment.fund(FUNDING_SAR);
    const envoy = await EnvoyFront.open(deployment);
    const haproxyPort = await findFreePort();
    const front = await EnvoyFront.open(deployment, { haproxyPort });
    const [server] = deployment.servers;
    const pids = [envoy.pid, front.pid, front.haproxyPid!, server!.pid, deployment.postmasterPid];
    pinApart(pids);
    const schema = new URL("../peers/book_orders_schema.sql", import.meta.url);
    await deployment.sql.unsafe(readFileSync(schema, "utf8"));
    const { traders, port, sql } = deployment;
    const identities = await Promise.all(traders.map(({ credentials }) => readIdentity(credentials)));
    const clients = `{${traders.map(({ client }) => client).join()}}`;
    let runs = 0;
    return {
      ...{ deployment, partners: traders, identities, envoyPort: port },
      async connect(way) {
        const pools = identities.map((identity) =>
          new KeepAlivePool(
            way === "directly"
              ? () => Wire.open(server!.socket)
              : () => openTlsWire(way === "through Envoy" ? port : haproxyPort, identity),
            CONNECTIONS,
          )
        );
        for (const pool of pools) await pool.openAll();
        return pools;
      },
      async insertQuotes(count) {
        const run = `01990000-${`${runs++}`.padStart(4, "0")}`;
        const rows = await sql<{ id: string }[]>`
          insert into gold.quote (bucket, client_id, side, id, grams, price, total, created_at, expires_at)
          select client % 64, client, 'buy', peer.quote_id(${run}, number), 10, 5000000, 50, clock_timestamp(),
            clock_timestamp() + interval '1 day'
          from (
            select number, (${clients}::text::int[])[number % ${PARTNERS} + 1] as client
            from generate_series(0, ${count - 1}::int) number
          ) numbered
          returning id`;
        return rows.map(({ id }) => `qt_${id}`);
      },
      readCpuMs: () => ({
        service: familyCpuMs(server!.pid),
        Postgres: familyCpuMs(deployment.postmasterPid),
        Envoy: familyCpuMs(envoy.pid) + familyCpuMs(front.pid),
        HAProxy: familyCpuMs(front.haproxyPid!),
      }),
    };
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

/** The CPU time between two readings, by program, in µs for each of `operations`. */
export function cpuBetween(
  before: Readonly<Record<Program, number>>,
  after: Readonly<Record<Program, number>>,
  operations: number,
): { readonly totalMs: number; readonly text: string } {
  const spent = PROGRAMS.map((program) => [program, after[program] - before[program]] as const);
  return {
    totalMs: spent.reduce((sum, [, ms]) => sum + ms, 0),
    text: spent.map(([program, ms]) => `${program} ${(ms * 1000 / operations).toFixed(0)} µs`).join(", "),
  };
}
