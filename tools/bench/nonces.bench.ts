import process from "node:process";
import { describeWork, noteWork, type Work } from "./database_work.ts";
import { type Benchmark, type Contest, type Goal, rotateLong } from "./harness.ts";
import { type Contender, type Load, spendInPostgres, spendInRedis } from "./nonces/contenders.ts";
import { type Database, type NonceStack, openNonceStack, PARTNERS, prefillNonces } from "./nonces/stack.ts";
import { requireRedis } from "./nonces/redis.ts";
import { describeSize } from "./nonces/table.ts";

/**
 * The goals apply only to 256 requests in flight, which give the service and Redis enough work while requests
 * wait for the disk. With 64 in flight, both mostly wait for the disk, because each request waits for it
 * twice.
 */
const IN_FLIGHT = [64, 256] as const;
const JUDGED = 256;
/**
 * A turn is the measured interval of one contender. It is longer than in a benchmark of a single function,
 * because the contender spends thousands of nonces.
 */
const TURN_FACTOR = 10;
/** LARGE_BUFFERS holds ten million nonces with their index; SMALL_BUFFERS does not. */
const LARGE_BUFFERS = "2GB";
const SMALL_BUFFERS = "32MB";
/**
 * The goals do not apply to fewer rows, because then the result does not show the effect of a growing table.
 */
const JUDGED_ROWS = 10_000_000;
const OURS = `service, ${PARTNERS.toLocaleString("en-US")} partners`;
const REDIS = { "appendfsync always": 2, "no persistence": 0.7 } as const;
type Persistence = keyof typeof REDIS;
const PERSISTENCES = Object.keys(REDIS) as Persistence[];

const isDeno = process.versions["deno"] !== undefined;
const redisName = (persistence: Persistence, autoPipelining: boolean) =>
  `Redis, ${persistence}${autoPipelining ? ", ioredis with enableAutoPipelining" : ""}`;

/** The service must meet the goal against both ways to use ioredis, that is, against the faster one. */
function goalsAgainstRedis(inFlight: number): Goal[] {
  return PERSISTENCES.flatMap((persistence) =>
    [false, true].map((autoPipelining) => ({
      ours: OURS,
      peer: redisName(persistence, autoPipelining),
      atLeast: REDIS[persistence],
      reported: inFlight !== JUDGED || isDeno,
    }))
  );
}

function againstRedis(service: Contender, peers: Record<string, Contender>): Contest[] {
  return IN_FLIGHT.map((inFlight) => {
    const turnOf = (contender: Contender, partners: number) => (turnMs: number) =>
      contender.takeTurn({ partners, inFlight }, turnMs);
    const turns = {
      [OURS]: turnOf(service, PARTNERS),
      "service, 1 partner": turnOf(service, 1),
      ...Object.fromEntries(Object.entries(peers).map(([name, peer]) => [name, turnOf(peer, PARTNERS)])),
    };
    return {
      name: `single-use checks, ${inFlight} in flight`,
      measure: (plan) => rotateLong(turns, plan, TURN_FACTOR),
      goals: goalsAgainstRedis(inFlight),
    };
  });
}

/** Measures the same service alternately on an empty table and on a full table. */
function onFullTable(
  stack: NonceStack,
  empty: Database,
  sharedBuffers: string,
  rows: number,
): Contest {
  const full = `${rows.toLocaleString("en-US")} spent before`;
  const load: Load = { partners: PARTNERS, inFlight: JUDGED };
  const works: Record<string, Work[]> = { empty: [], [full]: [] };
  const sizes: Record<string, string> = {};
  const judged = sharedBuffers === LARGE_BUFFERS && rows >= JUDGED_ROWS && !isDeno;
  return {
    name: `on a full table, ${JUDGED} in flight, shared_buffers ${sharedBuffers}`,
    async measure(plan) {
      await stack.restart(sharedBuffers);
      const contenders = [
        ["empty", empty, await spendInPostgres(stack, empty)],
        [full, "full", await spendInPostgres(stack, "full")],
      ] as const;
      const turns = contenders.map(([name, database, contender]) =>
        [
          name,
          (turnMs: number) =>
            noteWork(works[name]!, stack.sql(database), () => contender.takeTurn(load, turnMs)),
        ] as const
      );
      try {
        return await rotateLong(Object.fromEntries(turns), plan, TURN_FACTOR);
      } finally {
        for (const [name, database, contender] of contenders) {
          contender.stop();
          sizes[name] = await describeSize(stack.sql(database));
        }
      }
    },
    goals: [{ ours: full, peer: "empty", atLeast: 0.8, reported: !judged }],
    remarks: () =>
      Object.entries(works).map(([name, some]) =>
        `${name}: ${sizes[name]}; ${describeWork(some, "a nonce")}`
      ),
  };
}

export default {
  about:
    "durable single-use checks: the service against Redis, and an empty table against a table of millions of rows",
  async open({ rows }) {
    requireRedis();
    const stack = await openNonceStack(LARGE_BUFFERS);
    const started: Contender[] = [];
    const close = async () => {
      for (const contender of started) contender.stop();
      await stack.stop();
    };
    const keep = async (starting: Promise<Contender>): Promise<Contender> => {
      const contender = await starting;
      started.push(contender);
      return contender;
    };
    try {
      await prefillNonces(stack.sql("full"), rows);
      const service = await keep(spendInPostgres(stack, "against_redis"));
      const peers: Record<string, Contender> = {};
      for (const persistence of PERSISTENCES) {
        for (const autoPipelining of [false, true]) {
          peers[redisName(persistence, autoPipelining)] = await keep(
            spendInRedis(persistence, autoPipelining),
          );
        }
      }
      const onFull = [
        onFullTable(stack, "empty", LARGE_BUFFERS, rows),
        onFullTable(stack, "empty_too", SMALL_BUFFERS, rows),
      ];
      return { contests: [...againstRedis(service, peers), ...onFull], close };
    } catch (error) {
      await close();
      throw error;
    }
  },
} satisfies Benchmark;
