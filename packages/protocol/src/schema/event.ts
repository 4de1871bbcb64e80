import { z } from "zod";
import { fundingReply } from "./funding.ts";
import { orderReply } from "./order.ts";
import { integerParam, limitParam, pageOf } from "./page.ts";
import { statementBalance } from "./statement.ts";
import { date, idText, instant, sha256Hex } from "./text.ts";
import { withdrawalReply } from "./withdrawal.ts";

const chain_head = sha256Hex.meta({
  description:
    "The head of your hash chain at this event. Store it: with it you can prove your history up to this event.",
});

const WITHDRAWAL_EVENTS = [
  "withdrawal.created",
  "withdrawal.approved",
  "withdrawal.submitted",
  "withdrawal.paid",
  "withdrawal.rejected",
  "withdrawal.returned",
] as const;

const FUNDING_EVENTS = ["funding.completed", "funding.reversed"] as const;

const CREDENTIAL_EVENTS = ["credential.added", "credential.ended"] as const;

const EVENT_TYPES: readonly string[] = [
  "order.executed",
  ...WITHDRAWAL_EVENTS,
  ...FUNDING_EVENTS,
  "credential.expiring",
  ...CREDENTIAL_EVENTS,
  "settlement.changed",
  "webhook_endpoint.changed",
  "day.closed",
  "webhook.test",
];

const TYPE = { description: "What happened." };
const DATA = {
  description:
    "The order, withdrawal, funding or other subject of the event, in its state right after the event.",
};

const frame = {
  id: idText("evt_"),
  sequence: z.int().min(1).meta({
    description:
      "The number of the event, counted per partner without gaps. A missing number is an event that has not " +
      "arrived yet.",
  }),
  created_at: instant.meta({ description: "When the event occurred." }),
};

const kindOfCredential = (description: string) =>
  z.enum(["certificate", "signing_key", "client_secret", "webhook_secret"]).meta({ description });
const credentialId = z.string().meta({
  description: "The sha256, thumbprint or secret_id of the credential, as GET /v1/credentials shows it.",
});

const credential = z.object({
  kind: kindOfCredential("What expires."),
  id: credentialId,
  expires_at: instant.meta({ description: "When the service stops accepting the credential." }),
}).meta({ description: "The credential that expires." });

const logins = {
  changed_by: z.string().nullable().meta({
    description:
      "The operator's login that made the change; null if the change is older than events about changes.",
  }),
  approved_by: z.string().nullable().meta({
    description: "The second login, which approved the change; null if such a change needs no approval.",
  }),
};

const changedCredential = z.object({
  kind: kindOfCredential("What was added or ended."),
  id: credentialId,
  kid: z.string().nullable().meta({ description: "The signing key's registered name, if it has one." }),
  valid_from: instant.nullable().meta({
    description:
      "From when the service accepts the credential; null if the registered date is unusable, so that the " +
      "service never accepts it.",
  }),
  valid_until: instant.nullable().meta({
    description:
      "When the service stops accepting the credential, which can be in the future; null if no end is set.",
  }),
  ...logins,
}).meta({ description: "The credential, in its state right after the event." });

const settlement = z.object({
  iban_masked: z.string().meta({ description: "The new IBAN without its middle characters." }),
  iban_sha256: sha256Hex.meta({
    description: "The SHA-256 of the whole IBAN without spaces. Compare it with your own.",
  }),
  ...logins,
}).meta({ description: "The IBAN to which later withdrawals are paid." });

const webhookEndpoint = z.object({
  url: z.string().meta({ description: "The new URL." }),
  ...logins,
}).meta({ description: "The URL to which events are sent, beginning with this event." });

const count = z.int().min(0);
const sequenceOfDay = (description: string) => z.int().min(1).nullable().meta({ description });

const day = z.object({
  date: date.meta({ description: "The day in Asia/Riyadh." }),
  first_sequence: sequenceOfDay("The first event of the day; null: the day has none."),
  last_sequence: sequenceOfDay("The last event of the day; null: the day has none."),
  opening_balance: statementBalance.meta({ description: "The balances before the day." }),
  closing_balance: statementBalance.meta({ description: "The balances after the day." }),
  quotes: count.meta({ description: "How many quotes you got." }),
  orders: count.meta({ description: "How many orders were executed." }),
  refusals: count.meta({ description: "How many refusals were bound to an Idempotency-Key." }),
  broken: count.meta({
    description:
      "The refusals of orders that you sent in time: insufficient_inventory, and quote_expired although " +
      "X-Timestamp is before the end of the quote.",
  }),
  quotes_sha256: sha256Hex.meta({ description: "A hash over every quote of the day and its reply." }),
  refusals_sha256: sha256Hex.meta({ description: "A hash over every binding refusal of the day." }),
  epoch: z.object({
    number: z.int().min(1).meta({ description: "The number of the epoch, counted from 1." }),
    timeline: z.int().min(1).meta({ description: "The timeline of the operator's database." }),
    began_at: instant.meta({ description: "When the operator's service noticed the epoch." }),
  }).meta({
    description:
      "The epoch of the operator's database. A failover, or a restore to an earlier instant, begins a new epoch.",
  }),
  quotes_executed: count.optional().meta({
    description: "How many of these quotes were executed. Not in events from before 0.7.0.",
  }),
  quotes_expired: count.optional().meta({
    description: "How many of these quotes ended without an order. Not in events from before 0.7.0.",
  }),
}).meta({ description: "A summary of one day. After this event, nothing can be added to the day." });

function eventWith<S extends z.core.$ZodLooseShape>(more: S) {
  const event = { ...frame, ...more };
  const known = z.discriminatedUnion("type", [
    z.object({
      type: z.literal("order.executed").meta(TYPE),
      ...event,
      data: z.object({ order: orderReply, chain_head }).meta(DATA),
    }),
    z.object({
      type: z.enum(WITHDRAWAL_EVENTS).meta(TYPE),
      ...event,
      data: z.object({ withdrawal: withdrawalReply, chain_head }).meta(DATA),
    }),
    z.object({
      type: z.enum(FUNDING_EVENTS).meta(TYPE),
      ...event,
      data: z.object({ funding: fundingReply, chain_head }).meta(DATA),
    }),
    z.object({
      type: z.literal("credential.expiring").meta(TYPE),
      ...event,
      data: z.object({ credential, chain_head }).meta(DATA),
    }),
    z.object({
      type: z.enum(CREDENTIAL_EVENTS).meta(TYPE),
      ...event,
      data: z.object({ credential: changedCredential, chain_head }).meta(DATA),
    }),
    z.object({
      type: z.literal("settlement.changed").meta(TYPE),
      ...event,
      data: z.object({ settlement, chain_head }).meta(DATA),
    }),
    z.object({
      type: z.literal("webhook_endpoint.changed").meta(TYPE),
      ...event,
      data: z.object({ webhook_endpoint: webhookEndpoint, chain_head }).meta(DATA),
    }),
    z.object({
      type: z.literal("day.closed").meta(TYPE),
      ...event,
      data: z.object({ day, chain_head }).meta(DATA),
    }),
    z.object({
      type: z.literal("webhook.test").meta(TYPE),
      ...event,
      data: z.object({ chain_head }).meta(DATA),
    }),
  ]);
  const addedLater = z.object({
    type: z.string().refine((type) => !EVENT_TYPES.includes(type)).meta({
      ...TYPE,
      not: { enum: [...EVENT_TYPES] },
    }),
    ...event,
    data: z.looseObject({ chain_head }).meta(DATA),
  });
  // Give an event that is added later the TypeScript type `never`. So a check of `type` still narrows the
  // event to one known type. A program ignores events of all other types.
  return z.union([known, addedLater as unknown as z.ZodType<never>]);
}

/** A webhook's body. It is delivered at least once, so decide by `id` whether you have it already. */
export const webhookEvent = eventWith({})
  .meta({
    id: "WebhookEvent",
    description: "An event. Types may be added; acknowledge types that you do not know.",
  });
export type WebhookEvent = z.infer<typeof webhookEvent>;
export type WebhookEventType = WebhookEvent["type"];

const delivery = z.object({
  status: z.enum(["pending", "delivered", "parked"]).meta({
    description:
      "pending: not delivered yet. delivered: your endpoint has accepted it. parked: the service has stopped " +
      "trying; redeliver it by hand.",
  }),
  next_attempt_at: instant.nullable().meta({
    description: "When the event is sent next; null if that is not planned.",
  }),
  attempts: z.array(z.object({
    attempted_at: instant.meta({ description: "When the attempt began." }),
    http_status: z.int().nullable().meta({
      description: "The status of the HTTP reply; null if no reply arrived.",
    }),
    duration_ms: z.int().meta({ description: "How long the attempt took, in milliseconds." }),
  })).meta({ description: "The attempts so far, oldest first." }),
}).meta({ id: "Delivery", description: "The attempts to deliver an event to your endpoint." });

const line = z.string().meta({
  description:
    "The event's line of your hash chain: chain_head is the SHA-256 of the previous chain_head, as bytes, " +
    "and this text. Only GET /v1/events and GET /v1/events/{event_id} have it.",
}).optional();

export const eventReply = eventWith({ delivery, line })
  .meta({ id: "Event", description: "An event and the attempts to deliver it." });
export type EventReply = z.infer<typeof eventReply>;

export const eventsReply = pageOf(
  "Events",
  eventReply,
  "Oldest first; next_cursor is the `after` of the next page.",
);
export type EventsReply = z.infer<typeof eventsReply>;

export const eventsQuery = z.strictObject({
  after: integerParam({
    minimum: 0,
    maximum: 999_999_999_999_999,
    description: "Only events after this sequence number.",
  }).optional(),
  limit: limitParam.optional(),
}, { error: "This parameter is unknown; this endpoint supports after and limit." })
  .meta({ id: "EventsQuery", description: "Where to continue reading." });
export type EventsQuery = z.infer<typeof eventsQuery>;
