import type { Deployment } from "../deployment.ts";
import type { Load } from "../load.ts";
import type { Finding } from "../report.ts";
import { findImbalance } from "../stage.ts";

/**
 * Compares the restored books with the replies that partners got. An order that was acknowledged by then must
 * be in the books, and an order that was executed later must not. The commit of an order that was in flight at
 * this instant may be before or after it.
 */
export async function judgeRestored(
  { acknowledged, executedAtMs, observed }: Pick<Load, "acknowledged" | "executedAtMs" | "observed">,
  target: { readonly epochMs: number; readonly monotonicMs: number },
  deployment: Deployment,
): Promise<Finding> {
  const answeredMs = new Map(observed.map(({ orderId, answeredAtMs }) => [orderId, answeredAtMs]));
  const sql = deployment.connectSuperuser(1);
  try {
    const rows = await sql<{ id: string }[]>`select 'ord_' || id::text as id from gold.orders`;
    const restored = new Set(rows.map(({ id }) => id));
    const expected = acknowledged.filter((id) => answeredMs.get(id)! <= target.monotonicMs);
    const later = acknowledged.filter((id) => executedAtMs.get(id)! > target.epochMs);
    const lost = expected.filter((id) => !restored.has(id)).length;
    const tooNew = later.filter((id) => restored.has(id)).length;
    const unknown = rows.filter(({ id }) => !executedAtMs.has(id)).length;
    return {
      what: `${acknowledged.length} orders acknowledged, ${expected.length} before the second, ` +
        `${later.length} executed after it; ${rows.length} restored`,
      violations: [
        ...(expected.length > 0 && later.length > 0 ? [] : ["no orders were in flight at the second"]),
        ...(lost === 0 ? [] : [`${lost} orders that were acknowledged before the second are missing`]),
        ...(tooNew === 0 ? [] : [`${tooNew} orders that were executed after the second are in the books`]),
        ...(unknown === 0 ? [] : [`${unknown} restored orders were never acknowledged`]),
        ...await findImbalance({ sql }),
        ...await deployment.findDefects(),
      ],
    };
  } finally {
    await sql.end({ timeout: 1 });
  }
}
