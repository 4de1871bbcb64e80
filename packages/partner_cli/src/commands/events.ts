import { type AccountEvent, type EndpointDelivery, findForeignCredential } from "@gold-partner/client";
import type { Command, Row } from "../command.ts";
import { deliveriesOf } from "../deliveries.ts";
import { newestSequence } from "../newest_sequence.ts";
import { optional, required, wholeNumber } from "../values.ts";

export const EVENTS: Command = {
  name: "events",
  usage: "[--after SEQUENCE] [--limit N]",
  does:
    "lists events with their deliveries, oldest first: the newest N, or the first N after a sequence number",
  help:
    "An event about a new certificate or signing key that your credentials file does not know has the note " +
    "foreign_credential. If it is not yours, stop trading and call the operator. If it is yours, add its id to " +
    "the list known_thumbprints in the file.",
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
    const rows = items.map((event) => ({ ...eventRow(event), ...noteOf(event, opened.knownThumbprints) }));
    return { reply: { items }, rows };
  },
};

/** The last cell of an event that reports a foreign credential. Other tables lack the column. */
function noteOf(event: AccountEvent, knownThumbprints: readonly string[]): Row {
  const foreign = findForeignCredential(event, knownThumbprints);
  if (!foreign) return {};
  const { code, kind, id, changed_by } = foreign;
  return { note: `${code}: ${kind} ${id}${changed_by === null ? "" : ` by ${changed_by}`}` };
}

/**
 * An event as a line of a table, with the last attempt to deliver it. If several endpoints get it, each value of a
 * delivery follows the number of its endpoint: `1: delivered, 2: parked`.
 */
export function eventRow(event: AccountEvent): Row {
  const { sequence, type, id, created_at, data } = event;
  const texts = "order" in data ? data.order : "withdrawal" in data ? data.withdrawal : undefined;
  const deliveries = deliveriesOf(event);
  const shown = (value: (delivery: EndpointDelivery) => number | string | null) =>
    deliveries.length > 1
      ? deliveries.map((delivery) => `${delivery.endpoint}: ${value(delivery) ?? "-"}`).join(", ")
      : deliveries.map(value)[0] ?? null;
  return {
    sequence,
    type,
    event_id: id,
    created_at,
    delivery: shown(({ status }) => status),
    attempts: shown(({ attempts }) => attempts.length),
    last_answer: shown(({ attempts }) => {
      const last = attempts.at(-1);
      return last === undefined ? null : last.http_status ?? last.cause ?? "no answer";
    }),
    next_attempt_at: shown(({ next_attempt_at }) => next_attempt_at),
    reference: texts?.reference ?? null,
    account_label: texts?.account_label ?? null,
  };
}
