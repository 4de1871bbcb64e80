import type { Row as SqlRow } from "postgres";
import type { Command, Row } from "../../command.ts";
import { EXIT, Failure } from "../../failure.ts";
import { instantOf } from "../../output.ts";
import { instantText, oneOf, optional, required, uuidOf, wholeNumber } from "../../values.ts";

const STATUSES = ["pending", "delivered", "parked"] as const;

const list: Command = {
  words: "event list",
  usage: `event list ID [--status ${STATUSES.join("|")}] [--limit N] [--endpoint N]`,
  does:
    "lists a partner's events, newest first, with each delivery attempt and the receiver's answer; --endpoint shows another than the first webhook endpoint",
  options: {
    status: { type: "string" },
    limit: { type: "string", default: "20" },
    endpoint: { type: "string", default: "1" },
  },
  takes: ["ID"],
  async run({ values, query, positionals: [id] }) {
    const given = optional(values, "status");
    const status = given === undefined ? null : oneOf(given, "status", STATUSES);
    const most = wholeNumber(required(values, "limit"), "limit");
    const endpoint = wholeNumber(required(values, "endpoint"), "endpoint");
    const events =
      await query`select * from gold.list_deliveries(${id!}, ${status}, ${most}::int, ${endpoint}::int)`;
    const attempts = await query`
      select * from gold.attempt_overview
      where public_id = ${id!} and number = ${endpoint} and sequence = any (${`{${
      events.map(({ sequence }) => sequence)
    }}`}::text::bigint[])
      order by sequence desc, attempted_at`;
    return { items: events.map(rowOfEvent), lists: { attempts: attempts.map(rowOfAttempt) } };
  },
};

const rowOfEvent = ({ sequence, id, type, status, next_attempt_at, created_at }: SqlRow): Row => ({
  sequence: Number(sequence),
  event_id: `evt_${id}`,
  type,
  status,
  next_attempt_at: instantOf(next_attempt_at),
  created_at: created_at.toISOString(),
});

const rowOfAttempt = (attempt: SqlRow): Row => ({
  sequence: Number(attempt.sequence),
  attempted_at: attempt.attempted_at.toISOString(),
  http_status: attempt.http_status,
  duration_ms: attempt.duration_ms,
  error: attempt.error,
  answer: attempt.answer,
});

const show: Command = {
  words: "event show",
  usage: "event show EVT",
  does: "shows one event of any partner, with its delivery to each webhook endpoint and all attempts",
  takes: ["EVT"],
  async run({ read, positionals: [id] }) {
    const [row] = await read`select gold.trace_event(${uuidOf("event", "evt_", id!)}::uuid) as trace`;
    if (!row!.trace) throw new Failure(EXIT.refused, "not_found", `There is no event ${id}.`);
    const { client_id, name, event, deliveries, attempts } = row!.trace;
    return { object: { client_id, name, ...event }, lists: { deliveries, attempts } };
  },
};

const redeliver: Command = {
  words: "event redeliver",
  usage: "event redeliver EVT",
  does: "sends one event of any partner again at once, with a new set of delivery attempts",
  takes: ["EVT"],
  async run({ query, positionals: [id] }) {
    const [row] = await query`select * from gold.redeliver_event(${uuidOf("event", "evt_", id!)}::uuid)`;
    const { public: clientId, sequence, disabled_at: disabledAt } = row!;
    return {
      ...(disabledAt
        ? {
          title: "An endpoint that gets this event is disabled. It gets the event when it is enabled. " +
            `To find it: gold endpoint list ${clientId}. ` +
            `To enable it: gold endpoint set ${clientId} ENDPOINT --url https://…`,
        }
        : {}),
      object: {
        event_id: id!,
        client_id: clientId,
        sequence: Number(sequence),
        status: "pending",
        webhook_disabled_at: instantOf(disabledAt),
      },
    };
  },
};

const replay: Command = {
  words: "event replay",
  usage: "event replay ID --since INSTANT",
  does:
    "sends every event from INSTANT on again, whether or not it was delivered: first those that wait for a retry, " +
    "then the others in order",
  options: { since: { type: "string" } },
  takes: ["ID"],
  async run({ values, query, confirm, positionals: [id] }) {
    const since = instantText(required(values, "since"), "since");
    const [counted] = await query`select gold.count_events(${id!}, ${since}::text::timestamptz) as events`;
    // If there is no event to send, ask nothing, because the database refuses the call below.
    if (counted!.events !== "0") {
      await confirm(
        `Send ${
          counted!.events
        } event(s) since ${since} to ${id} again? The partner receives delivered events a second time.`,
      );
    }
    const [row] = await query`select gold.replay_events(${id!}, ${since}::text::timestamptz) as events`;
    return { object: { client_id: id!, since, events: Number(row!.events) } };
  },
};

export const EVENT_COMMANDS: readonly Command[] = [list, show, redeliver, replay];
