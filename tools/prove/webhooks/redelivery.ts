import type { Finding } from "../stage/report.ts";
import type { Trader } from "../stage/trader.ts";
import { untilDelivered } from "../stage/until_delivered.ts";
import { checkArrivals } from "./check_arrivals.ts";
import type { Arrival } from "./receivers_process.ts";
import type { Setup } from "./setup.ts";
import { post } from "./listed_events.ts";

const TIMEOUT_MS = 60_000;

/**
 * Makes all receivers accept again. Then requests redelivery of the parked events, half of them as the
 * operator and half as the partners. Each event is sent to all endpoints that get it.
 */
export async function redeliver(
  setup: Setup,
  arrivals: Arrival[],
  parked: ReadonlyMap<string, Trader>,
): Promise<Finding> {
  const { deployment, service, receivers } = setup;
  await receivers.behave(() => "well");
  for (const [n, [id, owner]] of [...parked].entries()) {
    if (n % 2 === 0) await deployment.operator("event redeliver", id);
    else await post(service.socket, owner, `/v1/events/${id}/redeliver`);
  }
  await untilDelivered(setup.deployment, TIMEOUT_MS);
  const later = await receivers.take();
  arrivals.push(...later);
  const { what, violations, parked: left } = await checkArrivals(setup, arrivals, 0, () => true);
  return {
    what: `${parked.size} redeliveries requested, ${later.length} deliveries arrived; ${what}`,
    violations: left.size === 0 ? violations : [...violations, `${left.size} events are still parked`],
  };
}
