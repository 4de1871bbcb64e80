import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "./deployment.ts";

const POLL_MS = 200;

/** Waits until each event is delivered or parked. A parked event is sent again only on request. */
export async function untilDelivered({ sql }: Deployment, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const [left] = await sql`
      select count(*)::int as endpoints, coalesce(sum(waiting), 0)::int as waiting,
        coalesce(sum(due), 0)::int as due from (
        select a.event_sequence - coalesce(n.passed, o.added_after) as waiting,
          (select count(*) from gold.retry r where r.client_id = o.id and r.due_at is not null) as due
        from gold.receiver o join gold.account a on a.client_id = o.partner_id
        left join gold.endpoint n on n.client_id = o.id
        where o.removed_at is null
      ) w where waiting > 0 or due > 0`;
    if (left!.endpoints === 0) return;
    if (performance.now() > deadline) {
      throw new Error(
        `After ${timeoutMs / 1000} s, ${left!.waiting} events are not yet delivered and ${
          left!.due
        } retries are scheduled, for ${left!.endpoints} endpoints.`,
      );
    }
    await sleep(POLL_MS);
  }
}
