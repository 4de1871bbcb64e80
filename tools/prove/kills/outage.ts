import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "../stage/deployment.ts";
import { UNDECIDED } from "../stage/in_flight_orders.ts";
import { Load, type Observed } from "../stage/load.ts";
import type { Finding } from "../stage/report.ts";
import { findImbalance, missingFrom, readOrders } from "../stage/stage.ts";
import { until } from "../../testing/until.ts";
import { memberOf, requireReply, verdictOf, Wire } from "../stage/wire.ts";
import { median } from "../../testing/statistics.ts";

/** A way to make Postgres unavailable. Postgres is started again afterwards, with the same data. */
interface Outage {
  readonly name: string;
  begin(deployment: Deployment): Promise<void>;
}

export const OUTAGES: readonly Outage[] = [
  { name: "Postgres shut down cleanly under load", begin: (deployment) => deployment.stopPostgres() },
  { name: "Postgres killed under load", begin: (deployment) => deployment.killPostgres() },
];

const BUYERS = 32;
const LOAD_MS = 1000;
/** Maximum time from the database's return to the first request that is served. */
const RECOVERY_MS = 3000;
/**
 * How long the service retries in-flight statements after the database becomes unavailable. Other requests
 * wait behind them during this time.
 */
const GIVE_UP_MS = 3000;
const TIMEOUT_MS = 5000;
/** Half of the requests that are sent after GIVE_UP_MS must be refused within this time. */
const AT_ONCE_MS = 1000;
const SERVED: readonly string[] = ["201", "200 replayed"];

/**
 * Checks that trading partners are refused while the database is unavailable, and served again afterwards
 * without a restart of the service.
 */
export async function checkOutage(outage: Outage, downMs: number, deployment: Deployment): Promise<Finding> {
  const { servers } = deployment;
  const pids = servers.map(({ pid }) => pid);
  const load = new Load(deployment, BUYERS);
  await sleep(LOAD_MS);
  const downAtMs = performance.now();
  await outage.begin(deployment);
  await sleep(downMs);
  const probes = await Promise.all(
    servers.map(async (server) => {
      await until(() => server.isAlive());
      return server.isReady();
    }),
  );
  await deployment.startPostgres();
  await deployment.untilDatabaseAnswers();
  const upAtMs = performance.now();
  await sleep(RECOVERY_MS + LOAD_MS);
  await load.stop();

  const served = load.observed.filter(({ verdict }) => SERVED.includes(verdict));
  const refused = load.observed.filter(({ verdict }) => verdict.startsWith("503"));
  const givenUpMs = Math.max(...refused.map(durationMs));
  const promptMs = median(refused.filter(({ sentAtMs }) => sentAtMs > downAtMs + GIVE_UP_MS).map(durationMs));
  const recoveryMs = Math.min(...served.map((one) => one.answeredAtMs).filter((atMs) => atMs > upAtMs)) -
    upAtMs;
  const rules: readonly (readonly [boolean, string])[] = [
    [
      promptMs <= AT_ONCE_MS,
      `after the first seconds of the outage, the median refusal took more than ${AT_ONCE_MS} ms`,
    ],
    [givenUpMs <= TIMEOUT_MS, `a refusal took more than ${TIMEOUT_MS} ms`],
    [recoveryMs <= RECOVERY_MS, `no request was served within ${RECOVERY_MS} ms of the database's return`],
    [
      probes.every((ready) => !ready),
      "during the outage, a process reported that it was ready",
    ],
    [servers.every(({ pid }, n) => pid === pids[n]), "a process was restarted"],
  ];
  return {
    what:
      `the database was unavailable for ${
        Math.round(upAtMs - downAtMs)
      } ms; ${served.length} requests served, ${refused.length} refused ` +
      `(slowest refusal ${Math.round(givenUpMs)} ms, median after the first seconds ${
        promptMs.toFixed(1)
      } ms); ` +
      `first request served ${Math.round(recoveryMs)} ms after the database's return`,
    violations: [
      ...rules.filter(([holds]) => !holds).map(([, sentence]) => sentence),
      ...findWrong(load.observed),
      ...load.unanswered,
      ...missingFrom(await readOrders(deployment), load.acknowledged).map((id) => `${id} is lost`),
      ...await findImbalance(deployment),
      ...await deployment.findDefects(),
    ],
  };
}

function findWrong(observed: readonly Observed[]): string[] {
  const wrong = observed.filter(({ verdict, retryAfter }) =>
    !SERVED.includes(verdict) && (!UNDECIDED.includes(verdict) || (verdict.startsWith("503") && !retryAfter))
  );
  return [...new Set(wrong.map(({ verdict, retryAfter }) => `${verdict}, Retry-After: ${retryAfter}`))];
}

const durationMs = ({ sentAtMs, answeredAtMs }: Observed): number => answeredAtMs - sentAtMs;

const CUTS = 20;

/** Cuts database connections while no statement is in flight. The next order must still succeed. */
export async function loseIdleConnections(deployment: Deployment): Promise<Finding> {
  const [trader] = deployment.traders;
  const [server] = deployment.servers;
  const wire = await Wire.open(server!.socket);
  // On a slow disk, a commit may have taken so long that the service still refuses writes. Do not wait between
  // the cuts, because no cut may make the service refuse writes.
  await server!.heal();
  const violations: string[] = [];
  for (let cut = 1; cut <= CUTS; cut++) {
    const quote = requireReply("the quote", await wire.send(trader!.quote("buy", "0.01")));
    const order = await trader!.order(memberOf(quote, "quote_id"));
    deployment.relay.cut();
    // In every second round, give the service time to notice the loss before the order arrives.
    if (cut % 2 === 0) await sleep(20);
    const reply = await wire.send(order);
    if (reply?.status !== 201) {
      violations.push(`cut ${cut}: answered ${verdictOf(reply)} ${reply?.body ?? ""}`);
    }
    await sleep(20);
  }
  wire.close();
  return {
    what: `connections cut ${CUTS} times, each time before the next order`,
    violations,
  };
}
