import { API_VERSION } from "@gold-partner/protocol";
import type { Books } from "./context.ts";
import type { Lookups } from "./lookups.ts";
import { type EventRecords, eventText } from "./reply_text.ts";
import { instantText } from "../values.ts";

/**
 * The state of the delivery at the time of the reply. Later attempts change it, so only its form is checked.
 */
const STATE =
  /"status":"(?:pending|delivered|parked|filtered)","next_attempt_at":(?:null|"[0-9TZ:.-]{24}"),"attempts":\[(?:\{"attempted_at":"[0-9TZ:.-]{24}","http_status":(?:null|\d{3}),"duration_ms":\d+(?:,"cause":(?:null|"[a-z_]+"))?\},?)*\]/
    .source;
/** Replies of versions before 0.7.0 do not have `deliveries`. */
const DELIVERY = new RegExp(
  `^,"delivery":\\{${STATE}\\}(,"deliveries":\\[(\\{"endpoint":\\d+,${STATE}\\},?)*\\])?\\}$`,
);

/** Compares the stored replies of redeliveries and webhook tests with the text of their event. */
export function checkEventReplies(
  { findings, isSandbox }: Books,
  { eventReplies }: Lookups,
  records: EventRecords,
): void {
  const replies = eventReplies.get(records.event.id);
  if (!replies) return;
  eventReplies.delete(records.event.id);
  // Replies of versions before 0.7.0 do not have these members, and neither the last two of a withdrawal nor those of
  // an endpoint after its URL.
  const added = `,"environment":"${
    isSandbox ? "sandbox" : "production"
  }","api_version":"${API_VERSION}","data":`;
  const text = eventText(records);
  const earlier = text.replace(/,"bank_reference":[^,]+,"expected_on":[^}]+/, "")
    .replace(/,"endpoint":\d+,"removed_at":[^,]+(?=,"changed_by":)/, "");
  for (const { client_id, key, body, status, created_at } of replies) {
    const row = `idempotency_key ${client_id} ${key}`;
    findings.expect("reply_is_record", `${row} status`, 201, status);
    if (created_at < records.event.created_at) {
      findings.add(
        "reply_is_record",
        `${row} created_at`,
        "after the event",
        instantText(created_at),
      );
    }
    const bare = body.replace(added, ',"data":');
    const told = bare === body ? earlier : text;
    if (bare.startsWith(told) && DELIVERY.test(bare.slice(told.length))) continue;
    findings.add("reply_is_record", row, `${text},"delivery":{…}}`, body);
  }
}
