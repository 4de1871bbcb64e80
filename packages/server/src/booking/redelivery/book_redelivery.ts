import type { Query } from "../../database/query.ts";
import type { AdmittedWrite } from "../../admission/admitted_write.ts";
import type { Send } from "../batcher.ts";
import type { Outcome } from "../outcome.ts";

export interface RedeliveryItem extends AdmittedWrite {
  /** The event's uuid; null if the id is malformed. */
  readonly event: string | null;
}

export interface WebhookTestItem extends AdmittedWrite {
  /** The uuid of the test event. */
  readonly id: string;
}

/**
 * Redeliveries are requested by hand and are therefore rare: each is sent alone and always waits for the
 * account's lock.
 */
export function sendRedelivery(sql: Query): Send<RedeliveryItem> {
  return async ([item], { settle }) => {
    const { client, admissionVersion, key, fingerprint, event, requestId } = item!;
    return await sql<Outcome[]>`
      select outcome, status, body from gold.book_redelivery(${settle}, ${client}::int, ${admissionVersion}::text::bigint, ${key}::text,
        ${`\\x${fingerprint}`}::text::bytea, ${event}::uuid, ${requestId}::uuid)`;
  };
}

export function sendWebhookTest(sql: Query): Send<WebhookTestItem> {
  return async ([item], { settle }) => {
    const { client, admissionVersion, key, fingerprint, id, requestId } = item!;
    return await sql<Outcome[]>`
      select outcome, status, body from gold.book_webhook_test(${settle}, ${client}::int, ${admissionVersion}::text::bigint, ${key}::text,
        ${`\\x${fingerprint}`}::text::bytea, ${id}::uuid, ${requestId}::uuid)`;
  };
}
