import { setTimeout as sleep } from "node:timers/promises";
import { processLives } from "@gold-partner/local-postgres";
import { childrenOf, signal } from "../failover/processes.ts";
import type { Draw } from "./draw.ts";
import { type Fault, nothing } from "./fault.ts";
import type { FaultStage } from "./fault_stage.ts";
import { until } from "../../testing/until.ts";

const SHORT: readonly [number, number] = [300, 2500];
const RESTART_MS: readonly [number, number] = [100, 1000];

/** Longer than the 12 s after which the service gives up a silent connection. */
const LONG: readonly [number, number] = [12_500, 15_000];
const BACKENDS = 5;

const pick = (draw: Draw) => ({ pick: draw.below(1000) });

const BACKEND_FROZEN: Fault = {
  name: "backend frozen",
  weight: 4,
  family: "process",
  lasts: SHORT,
  draw: pick,
  async strike(stage, settings) {
    const backends = await findBackends(stage);
    return freeze(backends.length === 0 ? [] : [backends[chosen(settings.pick!, backends)]!]);
  },
};

const POSTGRES_FROZEN: Fault = {
  name: "Postgres frozen",
  weight: 3,
  family: "process",
  lasts: SHORT,
  draw: () => ({}),
  strike: (stage) => freeze(findPostgres(stage)),
};

export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: "service frozen",
    weight: 4,
    family: "process",
    lasts: SHORT,
    draw: pick,
    strike: ({ deployment: { servers } }, settings) =>
      freeze([servers[chosen(settings.pick!, servers)]!.pid]),
  },
  {
    name: "service killed",
    disturbs: true,
    weight: 2,
    family: "process",
    lasts: RESTART_MS,
    draw: pick,
    async strike({ deployment: { servers } }, settings) {
      const server = servers[chosen(settings.pick!, servers)]!;
      await server.kill();
      // Started by recover(). A process does not start while another fault keeps the database from it.
      return nothing;
    },
  },
  BACKEND_FROZEN,
  { ...BACKEND_FROZEN, name: "backend frozen for long", weight: 1, lasts: LONG },
  {
    // Disturbs no request if Postgres restarts fast enough, because the service settles them on new connections.
    name: "backend killed",
    weight: 3,
    family: "process",
    lasts: RESTART_MS,
    draw: pick,
    async strike(stage, settings) {
      const backends = await findBackends(stage);
      if (backends.length === 0) return nothing;
      const backend = backends[chosen(settings.pick!, backends)]!;
      signal(backend, "SIGKILL");
      await until(() => !processLives(backend));
      return nothing;
    },
  },
  {
    name: "postmaster frozen",
    weight: 2,
    family: "process",
    lasts: SHORT,
    draw: () => ({}),
    strike: ({ deployment }) => freeze([deployment.postmasterPid]),
  },
  POSTGRES_FROZEN,
  { ...POSTGRES_FROZEN, name: "Postgres frozen for long", weight: 1, lasts: LONG, disturbs: true },
  {
    name: "postmaster killed",
    disturbs: true,
    weight: 3,
    family: "process",
    lasts: RESTART_MS,
    draw: () => ({}),
    async strike({ deployment }) {
      deployment.killPostmaster();
      // The other processes end as soon as they notice.
      await sleep(50);
      return nothing;
    },
  },
];

/** All processes of Postgres; none if another fault has just ended them. */
export function findPostgres({ deployment: { postmasterPid } }: FaultStage): number[] {
  return processLives(postmasterPid) ? [postmasterPid, ...childrenOf(postmasterPid)] : [];
}

const chosen = (pick: number | string, among: readonly unknown[]): number => Number(pick) % among.length;

async function freeze(pids: readonly number[]): Promise<() => Promise<void>> {
  for (const pid of pids) signal(pid, "SIGSTOP");
  return async () => {
    for (const pid of pids) signal(pid, "SIGCONT");
  };
}

/**
 * The backends of the service that worked last, because most of the others are idle. Empty while Postgres refuses
 * connections because of another fault.
 */
async function findBackends({ deployment: { sql } }: FaultStage): Promise<number[]> {
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'gold-partner-service'
    order by state_change desc limit ${BACKENDS}`
    .catch(() => []);
  return rows.map(({ pid }) => pid);
}
