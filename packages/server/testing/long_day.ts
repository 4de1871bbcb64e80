import type { Sql } from "postgres";
import { withoutTriggers } from "./rows.ts";

/** Books fundings of 0.01 SAR for a client, now, in one statement for each table. */
export async function bookManyFundings(sql: Sql, client: number, count: number): Promise<void> {
  await withoutTriggers(sql, async (tx) => {
    await tx`
      create temp table booked on commit drop as
      select a.bucket, a.client_id, a.event_sequence + n as sequence, a.sar_available + n as available, a.sar_held as held,
        a.gold, gen_random_uuid() as subject, date_trunc('milliseconds', clock_timestamp()) as at
      from gold.account a, generate_series(1, ${count}::int) n where a.client_id = ${client}`;
    await tx`
      insert into gold.event (bucket, client_id, sequence, id, subject, created_at, type)
      select bucket, client_id, sequence, gen_random_uuid(), subject, at, 'funding.completed' from booked`;
    await tx`
      insert into gold.transfer (bucket, client_id, leg, sequence, debit, credit, asset, amount, sar_available_after,
        sar_held_after, gold_after, posted_at)
      select bucket, client_id, 0, sequence, 'bank', 'available', 'SAR', 1, available, held, gold, at from booked`;
    await tx`
      update gold.account set event_sequence = event_sequence + ${count}::int, sar_available = sar_available + ${count}::int,
        last_posted_at = (select max(at) from booked)
      where client_id = ${client}`;
  });
}
