import type { Random } from "../../testing/random.ts";
import type { PatroniCluster } from "./patroni_cluster.ts";

export interface Fault {
  readonly name: string;
  /** The longest time without an order: 5 s after a crash of Postgres, 30 s after any other fault. */
  readonly limitMs: number;
  /** How often a long run does this. A short run does it once, or not at all. */
  readonly rounds: { readonly long: number; readonly short: 0 | 1 };
  /** No order can be executed until the damage is repaired. */
  readonly stopsOrders?: true;
  /** Returns a function that repairs the damage. */
  strike(cluster: PatroniCluster): Promise<() => void>;
}

const PROCESS_MS = 5000;
const HOST_MS = 30_000;

export const FAULTS: readonly Fault[] = [
  {
    name: "Postgres of the leader killed",
    limitMs: PROCESS_MS,
    rounds: { long: 20, short: 1 },
    async strike({ leader }) {
      leader.killPostgres();
      return () => {};
    },
  },
  {
    name: "leader killed with its Patroni",
    limitMs: HOST_MS,
    rounds: { long: 5, short: 1 },
    async strike({ leader }) {
      await leader.killHost();
      return () => leader.start();
    },
  },
  {
    name: "Postgres of a standby killed",
    limitMs: PROCESS_MS,
    rounds: { long: 5, short: 1 },
    async strike({ standbys: [standby] }) {
      standby!.killPostgres();
      return () => {};
    },
  },
  {
    name: "switchover with patronictl",
    limitMs: HOST_MS,
    rounds: { long: 5, short: 1 },
    async strike({ leader, standbys: [standby] }) {
      await leader.control(
        "switchover",
        "--force",
        "--leader",
        leader.name,
        "--candidate",
        standby!.name,
      );
      return () => {};
    },
  },
  {
    name: "both standbys killed with their Patroni",
    limitMs: HOST_MS,
    rounds: { long: 5, short: 1 },
    stopsOrders: true,
    async strike({ standbys }) {
      await Promise.all(standbys.map((standby) => standby.killHost()));
      return () => standbys.forEach((standby) => standby.start());
    },
  },
  {
    name: "leader and a standby killed with their Patroni",
    limitMs: HOST_MS,
    rounds: { long: 5, short: 0 },
    stopsOrders: true,
    async strike({ leader, standbys: [standby] }) {
      const lost = [leader, standby!];
      await Promise.all(lost.map((node) => node.killHost()));
      return () => lost.forEach((node) => node.start());
    },
  },
  {
    name: "leader frozen with SIGSTOP",
    limitMs: HOST_MS,
    rounds: { long: 5, short: 1 },
    async strike({ leader }) {
      leader.freeze();
      return () => leader.thaw();
    },
  },
  {
    name: "a standby frozen with SIGSTOP",
    limitMs: PROCESS_MS,
    rounds: { long: 5, short: 0 },
    async strike({ standbys: [standby] }) {
      standby!.freeze();
      return () => standby!.thaw();
    },
  },
];

/** Returns the rounds of a run in a random order. */
export function drawRounds(scale: "long" | "short", random: Random): Fault[] {
  const rounds = FAULTS.flatMap((fault) => Array<Fault>(fault.rounds[scale]).fill(fault));
  for (let n = rounds.length - 1; n > 0; n--) {
    const other = random(n + 1);
    [rounds[n], rounds[other]] = [rounds[other]!, rounds[n]!];
  }
  return rounds;
}
