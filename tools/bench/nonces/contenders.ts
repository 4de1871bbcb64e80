// The contenders spend nonces in Postgres or in Redis, each in its own process.
import { startProgram } from "../../testing/child_program.ts";
import type { Sample } from "../harness.ts";
import { familyCpuMs, processCpuMs } from "../../testing/process_cpu.ts";
import type { Database, NonceStack } from "./stack.ts";
import { type Persistence, startRedis } from "./redis.ts";
import type { Report, Store, Task } from "./spender.ts";

export interface Load {
  readonly partners: number;
  readonly inFlight: number;
}

export interface Contender {
  takeTurn(load: Load, turnMs: number): Promise<Sample>;
  stop(): void;
}

const WARM_UP_MS = 300;

/** The CPU time of a sample includes the spender and the store. */
async function startSpender(store: Store, storeCpuMs: () => number): Promise<Contender> {
  const { ask, stop } = startProgram(new URL("./spender.ts", import.meta.url));
  const send = <Reply>(task: Task) => ask<Reply>(task);
  await send({ open: store });
  let warm = false;
  return {
    async takeTurn(load, turnMs) {
      if (!warm) await send<Report>({ spend: { ...load, turnMs: WARM_UP_MS } });
      warm = true;
      const startMs = storeCpuMs();
      const { operations, wallMs, cpuMs } = await send<Report>({ spend: { ...load, turnMs } });
      return { operations, wallMs, cpuMs: cpuMs + storeCpuMs() - startMs };
    },
    stop,
  };
}

export const spendInPostgres = (stack: NonceStack, database: Database): Promise<Contender> =>
  startSpender({ postgres: stack.socketOf(database) }, () => familyCpuMs(stack.postgresPid));

export async function spendInRedis(persistence: Persistence, autoPipelining: boolean): Promise<Contender> {
  const { socket, pid, stop } = await startRedis(persistence);
  const spender = await startSpender({ redis: socket, autoPipelining }, () => processCpuMs(pid));
  return { ...spender, stop: () => (spender.stop(), stop()) };
}
