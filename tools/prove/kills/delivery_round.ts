import { setTimeout as sleep } from "node:timers/promises";
import type { DeliveryPoint } from "./delivery_points.ts";
import type { Deployment } from "../stage/deployment.ts";
import { until } from "../../testing/until.ts";
import { reach } from "./holds.ts";
import type { Inbox } from "../stage/inboxes.ts";
import type { Killed } from "./kill_round.ts";
import { ask, type Trader } from "../stage/trader.ts";
import { untilDelivered } from "../stage/until_delivered.ts";
import type { Victim } from "./victims.ts";
import { memberOf, requireReply } from "../stage/wire.ts";

const GRAMS = "0.01";
const TIMEOUT_MS = 30_000;
const QUIET_MS = 100;

/**
 * Holds the delivery of an order's event at one step, kills the victim there, recovers, and counts how often
 * the event arrived.
 */
export async function killDeliveryAt(
  point: DeliveryPoint,
  victim: Victim,
  deployment: Deployment,
  inbox: Inbox,
): Promise<Killed> {
  const [server, other] = deployment.servers;
  await untilQuiet(deployment);
  const held = await point.hold(deployment, inbox);
  try {
    const order = await placeOrder(inbox.trader, other!.socket);
    await victim.kill(deployment, await reach(point, held));
    await sleep(200);
    await held.release();
    await server!.heal();
    await untilDelivered(deployment, TIMEOUT_MS);
    const came = inbox.arrivals.filter(({ orderId }) => orderId === order).length;
    const expected = point.redeliversAfterKill && victim.endsProcess ? 2 : 1;
    return {
      what: `${came}`,
      violations: [
        ...(came === expected ? [] : [`the event arrived ${came} times instead of ${expected}`]),
        ...await deployment.findDefects(),
      ],
      accepted: [order],
    };
  } finally {
    await held.release();
  }
}

/**
 * Waits for the worker's next heartbeat. By then the worker has handled all earlier events, so later
 * observations belong to the next event.
 */
async function untilQuiet({ sql }: Deployment): Promise<void> {
  const [start] = await sql`select clock_timestamp()::text as at`;
  await until(async () => {
    const [beat] = await sql`
      select from gold.delivery_worker where seen_at > ${start!.at}::text::timestamptz`;
    return beat;
  });
  await sleep(QUIET_MS);
}

/**
 * Sends the order to the process that does not deliver, because the proof does not kill or hold that process.
 */
async function placeOrder(trader: Trader, socketPath: string): Promise<string> {
  const quote = requireReply("the quote", await ask(socketPath, trader.quote("buy", GRAMS)));
  const order = await ask(socketPath, await trader.order(memberOf(quote, "quote_id")));
  return memberOf(requireReply("the order", order), "order_id");
}
