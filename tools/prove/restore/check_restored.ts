import type { Deployment } from "../stage/deployment.ts";
import type { Load } from "../stage/load.ts";
import type { Finding } from "../stage/report.ts";
import { findImbalance, missingFrom, readOrders } from "../stage/stage.ts";

/**
 * Compares the restored books with the replies that partners got. An order that was acknowledged before the
 * target must be in the books, and an order that was executed after it must not. An order that was in flight
 * at the target may be missing or in the books.
 */
export function checkRestored(
  { acknowledged, executedAtMs, observed }: Pick<Load, "acknowledged" | "executedAtMs" | "observed">,
  target: { readonly epochMs: number; readonly monotonicMs: number },
  deployment: Deployment,
): Promise<Finding> {
  const answeredMs = new Map(observed.map(({ orderId, answeredAtMs }) => [orderId, answeredAtMs]));
  return deployment.inNewSession(async (sql) => {
    const restored = await readOrders({ sql });
    const expected = acknowledged.filter((id) => answeredMs.get(id)! <= target.monotonicMs);
    const later = acknowledged.filter((id) => executedAtMs.get(id)! > target.epochMs);
    const lost = missingFrom(restored, expected).length;
    const tooNew = later.length - missingFrom(restored, later).length;
    const unknown = restored.filter((id) => !executedAtMs.has(id)).length;
    return {
      what: `${acknowledged.length} orders acknowledged, ${expected.length} before the second, ` +
        `${later.length} executed after it; ${restored.length} restored`,
      violations: [
        ...(expected.length > 0 && later.length > 0 ? [] : ["no orders were in flight at the second"]),
        ...(lost === 0 ? [] : [`${lost} orders that were acknowledged before the second are missing`]),
        ...(tooNew === 0 ? [] : [`${tooNew} orders that were executed after the second are in the books`]),
        ...(unknown === 0 ? [] : [`${unknown} restored orders were never acknowledged`]),
        ...await findImbalance({ sql }),
        ...await deployment.findDefects(),
      ],
    };
  });
}
