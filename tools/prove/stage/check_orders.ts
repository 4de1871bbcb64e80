import type { Deployment } from "./deployment.ts";
import type { Inbox } from "./inboxes.ts";
import { checkInboxes, type Leniency } from "./check_inboxes.ts";
import type { Finding } from "./report.ts";
import { compareIds, findImbalance, readOrders } from "./stage.ts";

/**
 * Checks that exactly the accepted orders were executed, and each only once. Checks that each order's event
 * reached its partner, and that the books balance.
 */
export async function checkOrders(
  deployment: Deployment,
  accepted: readonly string[],
  inboxes: readonly Inbox[],
  leniency?: Leniency,
): Promise<Finding> {
  const arrivals = await checkInboxes(deployment, inboxes, leniency);
  const executed = await readOrders(deployment);
  return {
    what: `${accepted.length} orders accepted, ${executed.length} executed, ${arrivals.what}`,
    violations: [
      ...compareIds("orders", accepted, executed),
      ...arrivals.violations,
      ...await findImbalance(deployment),
      ...await deployment.findDefects(),
    ],
  };
}
