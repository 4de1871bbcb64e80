import type { Sql } from "postgres";
import type { Outcome } from "../outcome.ts";
import { stamp } from "../../admission/ticket.ts";
import { newUuid, newWrite } from "../fixture.ts";
import {
  type RedeliveryItem,
  sendRedelivery,
  sendWebhookTest,
  type WebhookTestItem,
} from "./book_redelivery.ts";
import { columnOf } from "../../../testing/rows.ts";

export const redeliveryItem = (
  client: number,
  event: string | null,
  given: Partial<RedeliveryItem> = {},
): RedeliveryItem => stamp<RedeliveryItem>({ ...newWrite(client), event, ...given });

export const webhookTestItem = (client: number, given: Partial<WebhookTestItem> = {}): WebhookTestItem =>
  stamp<WebhookTestItem>({ ...newWrite(client), id: newUuid(), ...given });

export async function redeliver(sql: Sql, item: RedeliveryItem, settle = false): Promise<Outcome> {
  const [outcome] = await sendRedelivery(sql)([item], { wait: true, settle });
  return outcome!;
}

export async function testWebhook(sql: Sql, item: WebhookTestItem, settle = false): Promise<Outcome> {
  const [outcome] = await sendWebhookTest(sql)([item], { wait: true, settle });
  return outcome!;
}

/**
 * The client's rows in retry: sequence number, tries, and "due", "later", "parked" or "delivered". The row of
 * a delivered event stays only until the endpoint's mark passes the event.
 */
export async function readRetries(sql: Sql, client: number): Promise<string[]> {
  return await columnOf(sql`
    select concat_ws(' ', sequence, tries, case when parked_at is not null then 'parked' when due_at <= clock_timestamp() then 'due'
      when due_at is not null then 'later' else 'delivered' end) as line
    from gold.retry where client_id = ${client} order by sequence`);
}

/** Inserts a row in retry, as a worker writes it after an attempt. */
export async function plantRetry(
  sql: Sql,
  client: number,
  sequence: number,
  { tries = 1, state }: { readonly tries?: number; readonly state: "due" | "later" | "parked" | "delivered" },
): Promise<void> {
  const at = sql`clock_timestamp() + ${state === "later" ? 20 : -1} * interval '1 second'`;
  await sql`
    insert into gold.retry (bucket, client_id, sequence, tries, due_at, parked_at)
    values (${client % 64}, ${client}, ${sequence}, ${tries}, ${
    state === "due" || state === "later" ? at : null
  }, ${state === "parked" ? at : null})`;
}

/** Sets the state of a client's endpoint. Creates the endpoint if it does not exist. */
export async function plantEndpoint(
  sql: Sql,
  client: number,
  { passed, disabled = false, failures = 0 }: {
    readonly passed: number;
    readonly disabled?: boolean;
    readonly failures?: number;
  },
): Promise<void> {
  await sql`
    insert into gold.endpoint (bucket, client_id, passed, worker, failures, rests_until, disabled_at)
    values (${client % 64}, ${client}, ${passed}, ${newUuid()}::uuid, ${failures},
      case when ${failures} > 0 then clock_timestamp() + interval '1 minute' end, case when ${disabled} then clock_timestamp() end)
    on conflict (bucket, client_id) do update set passed = excluded.passed, worker = excluded.worker,
      failures = excluded.failures, rests_until = excluded.rests_until, disabled_at = excluded.disabled_at`;
}

/** A client's endpoint as one line: the mark, "held" or "free", the failures, and "rests" or "disabled". */
export async function readEndpoint(sql: Sql, client: number): Promise<string> {
  const [row] = await sql<{ line: string }[]>`
    select concat_ws(' ', passed, case when worker is null then 'free' else 'held' end, failures,
      case when rests_until > clock_timestamp() then 'rests' end, case when disabled_at is not null then 'disabled' end) as line
    from gold.endpoint where client_id = ${client}`;
  return row?.line ?? "none";
}
