import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "../stage/deployment.ts";
import {
  findViolations,
  type InFlightOrders,
  prepareOrders,
  send,
  type Sent,
} from "../stage/in_flight_orders.ts";
import { until } from "../../testing/until.ts";
import { reach } from "./holds.ts";
import type { KillPoint } from "./kill_points.ts";
import type { Finding } from "../stage/report.ts";
import { findImbalance } from "../stage/stage.ts";
import type { Victim } from "./victims.ts";
import { type Reply, tallyOf, tallyText } from "../stage/wire.ts";

const RETRIES = 3;

export interface Killed extends Finding {
  /** The orders that were answered with success, at first or on a retry. */
  readonly accepted: readonly string[];
}

/** Holds orders at one step, kills the victim there, recovers, and retries with the same keys. */
export async function killAt(point: KillPoint, victim: Victim, deployment: Deployment): Promise<Killed> {
  const orders = await prepareOrders(deployment);
  const [server, other] = deployment.servers;
  const held = await point.hold(deployment, orders);
  try {
    const sent = point.backendless
      ? await send(orders, server!.socket)
      : await sendTogether(point, orders, deployment);
    await victim.kill(deployment, await reach(point, held));
    // Send the retries to the other process now, while the statement that lost its client still runs.
    const early = victim.leavesStatement ? retryAll(orders, other!.socket) : undefined;
    await sleep(200);
    await held.release();
    if (point.unread) { for (const wire of sent.wires) wire.close(); }
    await early;
    const inFlight = await sent.answered;
    const doubts = inFlight.filter((reply) => victim.leavesNoDoubt && reply?.status === 504);
    const { what, violations } = await settle(orders, inFlight, deployment);
    return {
      what,
      violations: [
        ...violations,
        ...doubts.map(() => "an order got 504 although the service and the database survived"),
      ],
      accepted: [orders.first, ...orders.others].flatMap((order) => order.accepted),
    };
  } finally {
    await held.release();
  }
}

/** Retries every key. Each key must now give one result, even if its first replies differed. */
async function settle(
  orders: InFlightOrders,
  inFlight: readonly (Reply | undefined)[],
  deployment: Deployment,
): Promise<Finding> {
  await Promise.all(deployment.servers.map((each) => each.heal()));
  const [server, other] = deployment.servers;
  for (let n = 0; n < RETRIES; n++) await retryAll(orders, (n % 2 === 0 ? other : server)!.socket);
  const found = await Promise.all(
    [orders.first, ...orders.others].map((order) => findViolations(order, RETRIES, deployment.sql)),
  );
  return {
    what: tallyText(tallyOf(inFlight)),
    violations: [...found.flat(), ...await findImbalance(deployment), ...await deployment.findDefects()],
  };
}

/**
 * Withholds the database's answer to the first order. Meanwhile the other orders gather in the batcher, so
 * that they form one batch.
 */
async function sendTogether(
  point: KillPoint,
  orders: InFlightOrders,
  { relay, servers: [server] }: Deployment,
): Promise<Sent> {
  relay.withhold();
  try {
    // Otherwise the first order could wait for the others, whose signatures are being verified.
    const firstIsSent = () => until(() => server!.hasOpenBooking());
    const sent = await send(orders, server!.socket, point.unread === undefined, firstIsSent);
    await until(async () => await server!.countWaiting() === orders.others.length);
    return sent;
  } finally {
    relay.pass();
  }
}

async function retryAll({ first, others }: InFlightOrders, socketPath: string): Promise<void> {
  await Promise.all([first, ...others].map((order) => order.retry(socketPath)));
}
