import { setTimeout as sleep } from "node:timers/promises";
import { processLives } from "@gold-partner/dev/postgres";
import { childrenOf } from "../../testing/process_cpu.ts";
import { sendSignal } from "../../testing/send_signal.ts";
import type { Draw } from "./draw.ts";
import { type Fault, nothing, type Repair } from "./fault.ts";
import type { FaultStage } from "./fault_stage.ts";
import { until } from "../../testing/until.ts";

const SHORT: readonly [number, number] = [300, 2500];
const RESTART_MS: readonly [number, number] = [100, 1000];

/** Longer than the 12 s after which the service gives up a silent connection. */
const LONG: readonly [number, number] = [12_500, 15_000];
/** How long to look for a backend that executes orders. */
const BUSY_WITHIN_MS = 2000;
/** A statement that takes longer waits for the frozen backend. */
const ANSWER_MS = 500;

const pick = (draw: Draw) => ({ pick: draw.below(1000) });

const BACKEND_FROZEN: Fault = {
  name: "backend frozen",
  delays: true,
  weight: 4,
  family: "process",
  lasts: SHORT,
  draw: () => ({}),
  async strike(stage) {
    const backend = await freezeBusyBackend(stage);
    return backend === undefined ? undefined : async () => void sendSignal(backend, "SIGCONT");
  },
};

const POSTGRES_FROZEN: Fault = {
  name: "Postgres frozen",
  delays: true,
  weight: 3,
  family: "process",
  lasts: SHORT,
  draw: () => ({}),
  strike: (stage) => freeze(findPostgres(stage)),
};

export const PROCESS_FAULTS: readonly Fault[] = [
  {
    name: "service frozen",
    delays: true,
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
    // If Postgres restarts fast enough, no request fails: the service settles each write on a new connection.
    name: "backend killed",
    weight: 3,
    family: "process",
    lasts: RESTART_MS,
    draw: () => ({}),
    async strike(stage) {
      const backend = await freezeBusyBackend(stage);
      if (backend === undefined) return undefined;
      sendSignal(backend, "SIGKILL");
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

async function freeze(pids: readonly number[]): Promise<Repair | undefined> {
  if (pids.length === 0) return undefined;
  for (const pid of pids) sendSignal(pid, "SIGSTOP");
  return async () => {
    for (const pid of pids) sendSignal(pid, "SIGCONT");
  };
}

/**
 * Freezes a backend of the service while it executes orders, because nobody waits for an idle one. Undefined
 * if there is none, for example while another fault keeps the service from Postgres.
 */
async function freezeBusyBackend(stage: FaultStage): Promise<number | undefined> {
  const untilMs = performance.now() + BUSY_WITHIN_MS;
  while (performance.now() < untilMs) {
    const [backend] = await stage.findBusyBackends().catch(() => []);
    if (backend === undefined) continue;
    sendSignal(backend, "SIGSTOP");
    // It may have finished before the signal arrived. No answer means that it holds a lock of Postgres
    // itself.
    const busy = stage.findBusyBackends().catch((): number[] => []);
    if ((await Promise.race([busy, sleep(ANSWER_MS, [backend])])).includes(backend)) return backend;
    sendSignal(backend, "SIGCONT");
  }
  return undefined;
}
