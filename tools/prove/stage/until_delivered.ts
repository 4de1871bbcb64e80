import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "./deployment.ts";

const POLL_MS = 200;

/** Waits until each event is delivered or parked. A parked event is sent again only on request. */
export async function untilDelivered({ sql }: Deployment, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const [left] = await sql`
      select count(*)::int as partners, coalesce(sum(waiting), 0)::int as waiting, coalesce(sum(due), 0)::int as due from (
        select a.event_sequence - coalesce(n.passed, 0) as waiting,
          (select count(*) from gold.retry r where r.client_id = a.client_id and r.due_at is not null) as due
        from gold.account a left join gold.endpoint n on n.bucket = a.bucket and n.client_id = a.client_id
        join gold.partner p on p.id = a.client_id and p.webhook_url is not null
      ) w where waiting > 0 or due > 0`;
    if (left!.partners === 0) return;
    if (performance.now() > deadline) {
      throw new Error(
        `After ${timeoutMs / 1000} s, ${left!.waiting} events are not yet delivered and ${
          left!.due
        } retries are scheduled, for ${left!.partners} partners.`,
      );
    }
    await sleep(POLL_MS);
  }
}
