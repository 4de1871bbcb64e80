// Compares the deliveries to partners' further webhook endpoints with the attempts. The pass over the clients
// (records.ts) does so for the first endpoints.
import type { Row } from "../snapshot.ts";
import type { Books } from "./context.ts";
import { FURTHER_ENDPOINTS } from "./range.ts";
import { instantText } from "../values.ts";

/** Whether the endpoint takes the event, and has had its present types since before it. */
export const takes = ({ types, typed_after }: Row, { type, sequence }: Row): boolean =>
  sequence > typed_after &&
  (types === null || type === "webhook.test" || types.slice(1, -1).split(",").includes(type));

/** Rows of another kind than the event's, or older than the event. */
const FOREIGN = {
  retry: {
    where: "(e.type = 'webhook.test') <> r.is_test",
    found: "an event of another kind",
  },
  attempt: {
    where: "r.attempted_at < e.created_at - interval '1 minute'",
    found: "an attempt from before the event",
  },
};

export async function checkEndpoints({ sql, findings, attemptsKeptSince }: Books): Promise<void> {
  for (const table of ["retry", "attempt"] as const) {
    const rows = await sql.unsafe(`
      select r.client_id, r.sequence, r.bucket <> r.client_id % 64 as misplaced, e.sequence is null as missing
      from gold.${table} r
      left join gold.receiver o on o.id = r.client_id
      left join gold.event e on e.bucket = o.partner_id % 64 and e.client_id = o.partner_id and e.sequence = r.sequence
      where r.client_id >= ${FURTHER_ENDPOINTS}
        and (r.bucket <> r.client_id % 64 or e.sequence is null or ${FOREIGN[table].where})`);
    for (const { client_id, sequence, misplaced, missing } of rows) {
      findings.add(
        "delivery_has_event",
        `${table} ${client_id} ${sequence}`,
        "an event of its partner, in its bucket",
        misplaced ? "a row in another bucket" : missing ? "none" : FOREIGN[table].found,
      );
    }
  }
  const states = await sql.unsafe(`
    select n.client_id, n.bucket, n.passed, o.id, a.event_sequence from gold.endpoint n
    left join gold.receiver o on o.id = n.client_id
    left join gold.account a on a.bucket = o.partner_id % 64 and a.client_id = o.partner_id
    where n.client_id >= ${FURTHER_ENDPOINTS}`);
  for (const { client_id, bucket, passed, id, event_sequence } of states) {
    if (id === null || bucket !== client_id % 64) {
      findings.add(
        "row_has_client",
        `endpoint ${client_id}`,
        "a registered endpoint in its bucket",
        `bucket ${bucket}`,
      );
    } else if (passed > event_sequence) {
      findings.add("event_is_delivered", `endpoint ${client_id}`, `at most ${event_sequence}`, passed);
    }
  }
  const unproven = await sql.unsafe(`
    select o.number, e.client_id, e.sequence, e.created_at
    from gold.receiver o
    join gold.endpoint n on n.bucket = o.id % 64 and n.client_id = o.id
    join gold.event e on e.bucket = o.partner_id % 64 and e.client_id = o.partner_id and e.sequence > o.typed_after
    left join gold.retry r on r.bucket = n.bucket and r.client_id = n.client_id and r.sequence = e.sequence
    where o.id >= ${FURTHER_ENDPOINTS}
      and (o.types is null or e.type = 'webhook.test' or e.type = any (o.types))
      and e.created_at >= '${
    instantText(attemptsKeptSince)
  }' and (e.sequence <= n.passed or r.sequence is not null)
      and r.due_at is null and r.parked_at is null and not exists (
        select from gold.attempt a where a.bucket = n.bucket and a.client_id = n.client_id and a.sequence = e.sequence
          and a.http_status between 200 and 299)`);
  for (const row of unproven) {
    const name = `client ${row.client_id} sequence ${row.sequence} endpoint ${row.number}`;
    findings.add(
      "event_is_delivered",
      name,
      "an attempt that was answered with 2xx",
      `none, although the event is from ${instantText(row.created_at)}`,
    );
  }
}
