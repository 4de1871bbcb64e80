import type { Sql } from "postgres";
import type { LaneItem, Send } from "../lane.ts";
import type { Outcome } from "../outcome.ts";

/** What a partner asks of its deliveries, by a key of its own. */
export interface DeliveryItem extends LaneItem {
  readonly admissionVersion: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly request: string;
}

export interface RedeliveryItem extends DeliveryItem {
  /** The event's uuid; null where the id was none. */
  readonly event: string | null;
}

export interface WebhookTestItem extends DeliveryItem {
  /** That of the event that is made. */
  readonly id: string;
}

/** Asked for by hand, so rare: one item at a time, and always waiting for the account. */
export function sendRedelivery(sql: Sql): Send<RedeliveryItem> {
  return async ([item], { settle }) => {
    const { client, admissionVersion, key, fingerprint, event, request } = item!;
    return await sql<Outcome[]>`
      select outcome, status, body from gold.book_redelivery(${settle}, ${client}::int, ${admissionVersion}::text::bigint, ${key}::text,
        ${`\\x${fingerprint}`}::text::bytea, ${event}::uuid, ${request}::uuid)`;
  };
}

export function sendWebhookTest(sql: Sql): Send<WebhookTestItem> {
  return async ([item], { settle }) => {
    const { client, admissionVersion, key, fingerprint, id, request } = item!;
    return await sql<Outcome[]>`
      select outcome, status, body from gold.book_webhook_test(${settle}, ${client}::int, ${admissionVersion}::text::bigint, ${key}::text,
        ${`\\x${fingerprint}`}::text::bytea, ${id}::uuid, ${request}::uuid)`;
  };
}
