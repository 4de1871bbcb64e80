import type { AccountEvent } from "@gold-partner/client";
import type { Command, Row } from "../command.ts";
import { newestSequence } from "../newest_sequence.ts";
import { optional, required, wholeNumber } from "../values.ts";

export const EVENTS: Command = {
  name: "events",
  usage: "[--after SEQUENCE] [--limit N]",
  does:
    "lists events with their deliveries, oldest first: the newest N, or the first N after a sequence number",
  options: { after: { type: "string" }, limit: { type: "string", default: "20" } },
  async run({ values, client }) {
    const limit = wholeNumber(required(values, "limit"), "limit", 1);
    const from = optional(values, "after");
    const opened = await client();
    const after = from === undefined
      ? Math.max(0, await newestSequence(opened) - limit)
      : wholeNumber(from, "after", 0);
    const items: AccountEvent[] = [];
    for await (const event of opened.listEvents({ after, limit: Math.min(limit, 200) })) {
      items.push(event);
      if (items.length === limit) break;
    }
    return { reply: { items }, rows: items.map(eventRow) };
  },
};

/** An event as a line of a table, with the last attempt to deliver it. */
export function eventRow({ sequence, type, id, created_at, delivery, data }: AccountEvent): Row {
  const texts = "order" in data ? data.order : "withdrawal" in data ? data.withdrawal : undefined;
  const last = delivery.attempts.at(-1);
  return {
    sequence,
    type,
    event_id: id,
    created_at,
    delivery: delivery.status,
    attempts: delivery.attempts.length,
    last_answer: last === undefined ? null : last.http_status ?? "no answer",
    next_attempt_at: delivery.next_attempt_at,
    reference: texts?.reference ?? null,
    account_label: texts?.account_label ?? null,
  };
}
