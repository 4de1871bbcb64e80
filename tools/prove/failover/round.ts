import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../testing/until.ts";
import type { Deployment } from "../stage/deployment.ts";
import { UNDECIDED } from "../stage/in_flight_orders.ts";
import { Load, type Observed } from "../stage/load.ts";
import type { Finding } from "../stage/report.ts";
import { compareIds, findImbalance, readOrders } from "../stage/stage.ts";
import { countEach, tallyText } from "../stage/wire.ts";
import type { Fault } from "./faults.ts";
import type { PatroniCluster } from "./patroni_cluster.ts";

const IN_FLIGHT = 16;
const ORDERS_BEFORE = 100;
const DOWN_MS = 5000;
/** The reply to an order that a standby has may still be under way when the last standby is gone. */
const LATE_REPLY_MS = 1000;
const SERVED: readonly string[] = ["201", "200 replayed"];

type Executed = Observed & { readonly orderId: string };

interface Round extends Finding {
  readonly acknowledged: readonly string[];
  readonly pauseMs: number;
}

/**
 * Strikes while orders are in flight, waits until orders are executed again, and settles every order. With
 * `limitsPause`, a longer time without an order than the fault allows is a violation.
 */
export async function playRound(
  fault: Fault,
  deployment: Deployment,
  cluster: PatroniCluster,
  limitsPause: boolean,
): Promise<Round> {
  await deployment.renewTokens();
  const load = new Load(deployment, IN_FLIGHT);
  try {
    return await playUnderLoad(load, fault, cluster, limitsPause);
  } finally {
    await load.stop();
  }
}

async function playUnderLoad(
  load: Load,
  fault: Fault,
  cluster: PatroniCluster,
  limitsPause: boolean,
): Promise<Round> {
  const executed = () => load.observed.filter((each): each is Executed => each.orderId !== undefined);
  await until(() => executed().length >= ORDERS_BEFORE);
  const struckMs = performance.now();
  const repair = await fault.strike(cluster);
  let fromMs = performance.now();
  let unsafe = 0;
  if (fault.stopsOrders) {
    await sleep(DOWN_MS);
    unsafe = executed().filter(({ sentAtMs, answeredAtMs, verdict }) =>
      verdict === "201" && sentAtMs > fromMs || answeredAtMs > fromMs + LATE_REPLY_MS
    ).length;
    fromMs = performance.now();
    repair();
  }
  // Only a new order that was sent after the fault shows that orders are executed. A replay may show an older
  // one.
  const isNew = ({ verdict }: Observed) => verdict === "201";
  await until(() => executed().some((each) => isNew(each) && each.sentAtMs > fromMs));
  if (!fault.stopsOrders) repair();
  await cluster.untilWhole();
  await load.stop();
  const pauseMs = longestPause(
    executed().filter(isNew).map(({ answeredAtMs }) => answeredAtMs),
    fault.stopsOrders ? fromMs : struckMs,
  );
  const refused = countEach(
    load.observed.filter(({ orderId, verdict }) => !orderId && !SERVED.includes(verdict)).map(({ verdict }) =>
      verdict
    ),
  );
  const unexpected = [...refused.keys()].filter((verdict) => !UNDECIDED.includes(verdict));
  return {
    acknowledged: load.acknowledged,
    pauseMs,
    what: `${load.acknowledged.length} orders, none for ${seconds(pauseMs)}` +
      (refused.size === 0 ? "" : `, ${tallyText(refused)}`),
    violations: [
      ...(!limitsPause || pauseMs <= fault.limitMs
        ? []
        : [`no order for ${seconds(pauseMs)}; the limit is ${seconds(fault.limitMs)}`]),
      ...(unsafe === 0 ? [] : [`${unsafe} orders were acknowledged although no standby was left`]),
      ...unexpected.map((verdict) => `a request got ${verdict}`),
      ...load.unanswered,
    ],
  };
}

/**
 * Checks on the present leader that exactly the acknowledged orders are executed, and that the books balance.
 */
export function checkBooks(acknowledged: readonly string[], deployment: Deployment): Promise<Finding> {
  return deployment.inNewSession(async (sql) => {
    const executed = await readOrders({ sql });
    return {
      what: `${acknowledged.length} orders acknowledged, ${executed.length} executed`,
      violations: [
        ...compareIds("orders", acknowledged, executed),
        ...await findImbalance({ sql }),
        ...await deployment.findDefects(),
        // An acknowledged record never disappears, so the file of heads never has one that is missing.
        ...(await deployment.servers[0]!.readGauge("gold_records_missing") === 0
          ? []
          : ["the service reports missing records"]),
      ],
    };
  });
}

/** The longest time between two orders after `fromMs`. Without an order, the pause never ended. */
function longestPause(answeredMs: readonly number[], fromMs: number): number {
  const after = answeredMs.filter((atMs) => atMs > fromMs).sort((one, other) => one - other);
  if (after.length === 0) return Infinity;
  return Math.max(...after.map((atMs, n) => atMs - (after[n - 1] ?? fromMs)));
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
