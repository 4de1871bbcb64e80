import { z } from "zod";
import {
  balancesQuery,
  balancesReply,
  chainKeyReply,
  emptyRequest,
  eventReply,
  eventsQuery,
  eventsReply,
  eventStreamQuery,
  limitsReply,
  reservesListReply,
  reservesReply,
  statementQuery,
  statementReply,
} from "../../schema/mod.ts";
import { type EndpointFamily, STREAM } from "../endpoint.ts";
import { CHAIN_KEY, LIMITS, RESERVES, RESERVES_LIST, STATEMENT, STATEMENT_CSV } from "../examples/books.ts";
import { EVENT, EVENT_REDELIVERED, EVENTS, WEBHOOK_TEST } from "../examples/events.ts";
import { BALANCES } from "../examples/example_values.ts";

export const BOOKS_ENDPOINTS = {
  getBalances: {
    method: "GET",
    path: "/v1/balances",
    tag: "Books",
    summary: "Your balances, now or at any past instant",
    description:
      "SAR that is available, SAR that is held for withdrawals, and gold. With `at`, the balances at that " +
      "instant; the reply for a given instant never changes. A future instant is refused. `gold.reserves` shows " +
      "your gold as a share of the list of bars in force at that instant.",
    token: "required",
    query: balancesQuery,
    reply: { description: "The balances.", schema: balancesReply, examples: { now: BALANCES.now } },
    refusals: [],
  },
  listEvents: {
    method: "GET",
    path: "/v1/events",
    tag: "Books",
    summary: "Your events, in order",
    description:
      "Every event that is sent by webhook, oldest first, each with the attempts to deliver it to each of your " +
      "endpoints. For the next page, send the page's `next_cursor` as `after`. `sequence` has no gaps.",
    token: "required",
    query: eventsQuery,
    reply: {
      description: "A page of events.",
      schema: eventsReply,
      examples: { last_page: { items: [EVENT], next_cursor: null } },
    },
    refusals: [],
  },
  streamEvents: {
    method: "GET",
    path: "/v1/events/stream",
    tag: "Books",
    summary: "A stream of your events",
    description:
      "Your events as server-sent events, in order and without a gap. Without `after` and without the header " +
      "Last-Event-ID, the stream begins with the next event. A stream does not change what is sent by webhook. " +
      STREAM,
    token: "required",
    query: eventStreamQuery,
    reply: {
      mediaType: "text/event-stream",
      description:
        "Each message's `data` is an event as a webhook has it, without `previous_sequence` and `client_id`; its `id` " +
        "is the event's `sequence`.",
      schema: z.string().meta({ id: "EventStream", description: "Server-sent events with your events." }),
      examples: {
        order_executed: `id: ${EVENTS["order.executed"].sequence}\ndata: ${
          JSON.stringify(EVENTS["order.executed"])
        }\n\n`,
      },
    },
    refusals: [],
  },
  getEvent: {
    method: "GET",
    path: "/v1/events/{event_id}",
    tag: "Books",
    summary: "One event",
    description: "One of your events and the attempts to deliver it to each of your endpoints.",
    token: "required",
    reply: { description: "The event.", schema: eventReply, examples: { order_executed: EVENT } },
    refusals: ["not_found"],
  },
  redeliverEvent: {
    method: "POST",
    path: "/v1/events/{event_id}/redeliver",
    tag: "Books",
    summary: "Send an event to your webhook endpoints again",
    description:
      "Sends one of your events now to each of your endpoints that gets its type, whether it was delivered, is " +
      "parked or is still waiting. It is sent ahead of waiting events and gets all its tries again. It has the " +
      "same id and the same bytes as before, with two exceptions: an upgrade of the service can add members, such " +
      "as `client_id`, and `previous_sequence` becomes null if the types of the endpoint have changed. While an endpoint is disabled, its delivery stays pending without a `next_attempt_at`, and " +
      "the event is sent once the endpoint is enabled again. The body may be omitted.",
    token: "required",
    idempotent: true,
    request: {
      mediaType: "application/json",
      schema: emptyRequest,
      optional: true,
      examples: { order_executed: {} },
    },
    reply: {
      description: "The event, which is now due.",
      schema: eventReply,
      examples: { order_executed: EVENT_REDELIVERED },
    },
    refusals: ["not_found"],
  },
  testWebhook: {
    method: "POST",
    path: "/v1/webhook/test",
    tag: "Books",
    summary: "Send a test event to your webhook endpoints",
    description:
      "Creates a `webhook.test` event with your next sequence number and sends it to each of your endpoints, " +
      "whatever types they get, ahead of all waiting events. It is also sent to a disabled endpoint; once it is " +
      "delivered there, that endpoint is enabled again and receives the waiting events. GET " +
      "/v1/events/{event_id} shows how the delivery went. The body may be omitted.",
    token: "required",
    idempotent: true,
    request: { mediaType: "application/json", schema: emptyRequest, optional: true, examples: { test: {} } },
    reply: {
      description: "The event, which is now due.",
      schema: eventReply,
      examples: { test: WEBHOOK_TEST },
    },
    refusals: [],
  },
  getStatement: {
    method: "GET",
    path: "/v1/statement",
    tag: "Books",
    summary: "Every posting between two days",
    description:
      "Opening and closing balances and every posting between them; they add up. Days begin and end at midnight in Riyadh; both days are included. As " +
      "JSON, or as a table with `Accept: text/csv`. The number of postings has no limit: the reply is sent while it is read. If the " +
      "connection breaks, the JSON has no end and the table no closing balances. Then fetch the statement again.",
    token: "required",
    query: statementQuery,
    reply: {
      description: "The statement.",
      schema: statementReply,
      examples: { one_day: STATEMENT },
      csv: {
        description:
          "A line of names, a line per account with its opening balance, a line per posting, a line per account with its closing " +
          "balance (RFC 4180). A table without its closing balances was truncated.",
        example: STATEMENT_CSV,
      },
    },
    refusals: [],
  },
  getReserves: {
    method: "GET",
    path: "/v1/reserves",
    tag: "Books",
    summary: "The bars that back the gold",
    description:
      "Every bar in the vault, and the gold that is owed to all partners. The gold owed never exceeds the gold " +
      "in the bars. All figures are as of the instant `as_of`. They are published at most once an hour, so that " +
      "nobody can infer other partners' trades. `reserves_list_id` names the list of these bars.",
    token: "required",
    reply: { description: "The reserves.", schema: reservesReply, examples: { one_bar: RESERVES } },
    refusals: [],
  },
  getChainKey: {
    method: "GET",
    path: "/v1/chain-key",
    tag: "Books",
    summary: "The key of your own hash chain",
    description:
      "Every event has a line in your hash chain, and its `chain_head` is the SHA-256 of the previous " +
      "event's `chain_head` and of this line. With this key you compute the lines. It never changes. " +
      "Keep it secret: it would let others test guesses about your orders against your chain.",
    token: "required",
    reply: {
      description: "Your client number and key.",
      schema: chainKeyReply,
      examples: { own: CHAIN_KEY },
    },
    refusals: [],
  },
  getReservesList: {
    method: "GET",
    path: "/v1/reserves/lists/{reserves_list_id}",
    tag: "Books",
    summary: "One list of bars",
    description:
      "The bars in the vault between two changes. Adding or removing a bar starts a new list, and a list never " +
      "changes. Every order, its event and its lines of the statement name the list that was in force. " +
      "`sha256` commits to the bars and to the list before.",
    token: "required",
    fixed: true,
    reply: {
      description: "The list.",
      schema: reservesListReply,
      examples: { one_bar: RESERVES_LIST },
    },
    refusals: ["not_found"],
  },
  getLimits: {
    method: "GET",
    path: "/v1/limits",
    tag: "Books",
    summary: "Your limits",
    description:
      "The smallest step and the bounds of each quantity, your limits on requests, quotes and records, and the " +
      "market hours.",
    token: "required",
    reply: { description: "Your limits.", schema: limitsReply, examples: { limits: LIMITS } },
    refusals: [],
  },
} as const satisfies EndpointFamily;
