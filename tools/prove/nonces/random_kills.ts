import { setTimeout as sleep } from "node:timers/promises";
import { type Random, randomFrom } from "../../testing/random.ts";
import type { Deployment } from "../stage/deployment.ts";

interface Target {
  readonly name: string;
  kill(deployment: Deployment, random: Random): Promise<void>;
}

const TARGETS: readonly Target[] = [
  {
    name: "service",
    async kill({ servers }, random) {
      const server = servers[random(servers.length)]!;
      await server.kill();
      await server.start();
    },
  },
  {
    name: "backend",
    async kill(deployment, random) {
      const backends = await deployment.sql<{ pid: number }[]>`
        select pid from pg_stat_activity where application_name like 'gold-partner-%' order by pid`;
      const backend = backends[random(backends.length)];
      if (!backend) throw new Error("No process of the service is connected to Postgres.");
      await deployment.killBackend(backend.pid);
    },
  },
  {
    name: "postmaster",
    async kill(deployment) {
      deployment.killPostmaster();
      await deployment.startPostgres();
      await deployment.untilDatabaseAnswers();
    },
  },
];

/**
 * Kills one target in each time slot, at a random moment. Waits until all targets run again, and returns the
 * number of kills of each.
 */
export async function killAtRandom(
  deployment: Deployment,
  { kills, durationMs, seed }: { kills: number; durationMs: number; seed: number },
): Promise<Map<string, number>> {
  const random = randomFrom(seed);
  const startMs = performance.now();
  const killed = new Map(TARGETS.map(({ name }) => [name, 0]));
  for (let n = 0; n < kills; n++) {
    const atMs = (n + random(1000) / 1000) * durationMs / kills;
    await sleep(Math.max(0, startMs + atMs - performance.now()));
    // Kills every target once, then random targets.
    const { name, kill } = TARGETS[n < TARGETS.length ? n : random(TARGETS.length)]!;
    await kill(deployment, random);
    killed.set(name, killed.get(name)! + 1);
    await Promise.all(deployment.servers.map((server) => server.heal()));
  }
  await sleep(Math.max(0, startMs + durationMs - performance.now()));
  return killed;
}
