import { z } from "zod";
import { API_VERSION } from "../api_version.ts";
import { fundingReply } from "./funding.ts";
import { orderReply } from "./order.ts";
import { integerParam, limitParam, pageOf } from "./page.ts";
import { statementBalance } from "./statement.ts";
import { date, endpointNumber, idText, instant, openText, sha256Hex } from "./text.ts";
import { withdrawalReply } from "./withdrawal.ts";

const chain_head = sha256Hex.meta({
  description:
    "The head of your hash chain at this event. Store it: with it you can prove your history up to this event.",
});

/** The member of `data` that has the subject of an event, by the event's type. */
export const SUBJECTS = {
  "order.executed": "order",
  "withdrawal.created": "withdrawal",
  "withdrawal.approved": "withdrawal",
  "withdrawal.submitted": "withdrawal",
  "withdrawal.paid": "withdrawal",
  "withdrawal.rejected": "withdrawal",
  "withdrawal.returned": "withdrawal",
  "withdrawal.cancelled": "withdrawal",
  "funding.completed": "funding",
  "funding.reversed": "funding",
  "credential.expiring": "credential",
  "credential.added": "credential",
  "credential.ended": "credential",
  "settlement.changed": "settlement",
  "webhook_endpoint.changed": "webhook_endpoint",
  "day.closed": "day",
  "webhook.test": null,
} as const;
export type WebhookEventType = keyof typeof SUBJECTS;
export const WEBHOOK_EVENT_TYPES = Object.keys(SUBJECTS) as [WebhookEventType, ...WebhookEventType[]];

const CHANGED = ["kind", "id", "kid", "valid_from", "valid_until", "changed_by", "approved_by"] as const;
/** The members of the subject that an event of these types has. Other subjects have the same members at each type. */
const SUBJECT_MEMBERS = {
  "credential.expiring": ["kind", "id", "expires_at"],
  "credential.added": CHANGED,
  "credential.ended": CHANGED,
} as const;

const frame = {
  id: idText("evt_"),
  sequence: z.int().min(1).meta({
    description:
      "The number of the event, counted per partner without gaps. An endpoint with a filter does not get every " +
      "number: see previous_sequence.",
  }),
  created_at: instant.meta({ description: "When the event occurred." }),
  environment: openText(
    ["sandbox", "production"],
    "The environment of the service. Not in events from before 0.7.0.",
  ).optional(),
  api_version: z.string().optional().meta({
    description:
      "The version of this API, as info.version of the description. Not in events from before 0.7.0.",
    examples: [API_VERSION],
  }),
};

const logins = {
  changed_by: z.string().nullable().meta({
    description:
      "The operator's login that made the change; null if the change is older than events about changes.",
  }),
  approved_by: z.string().nullable().meta({
    description: "The second login, which approved the change; null if such a change needs no approval.",
  }),
};

const credential = z.object({
  kind: openText(
    ["certificate", "signing_key", "client_secret", "webhook_secret"],
    "What expires, was added or ended.",
  ),
  id: z.string().meta({
    description: "The sha256, thumbprint or secret_id of the credential, as GET /v1/credentials shows it.",
  }),
  expires_at: instant.optional().meta({
    description: "When the service stops accepting the credential. Only in credential.expiring.",
  }),
  kid: z.string().nullable().optional().meta({
    description: "The signing key's registered name, if it has one. Not in credential.expiring.",
  }),
  valid_from: instant.nullable().optional().meta({
    description:
      "From when the service accepts the credential; null if the registered date is unusable, so that the " +
      "service never accepts it. Not in credential.expiring.",
  }),
  valid_until: instant.nullable().optional().meta({
    description:
      "When the service stops accepting the credential, which can be in the future; null if no end is set. Not in " +
      "credential.expiring.",
  }),
  changed_by: logins.changed_by.optional(),
  approved_by: logins.approved_by.optional(),
}).meta({ id: "EventCredential", description: "The credential, in its state right after the event." });

const settlement = z.object({
  iban_masked: z.string().meta({ description: "The new IBAN without its middle characters." }),
  iban_sha256: sha256Hex.meta({
    description: "The SHA-256 of the whole IBAN without spaces. Compare it with your own.",
  }),
  ...logins,
}).meta({ id: "EventSettlement", description: "The IBAN to which later withdrawals are paid." });

const webhookEndpoint = z.object({
  url: z.string().meta({ description: "The URL of the endpoint." }),
  endpoint: endpointNumber.optional().meta({
    description: "The number of the endpoint, as GET /v1/account shows it. Not in events from before 0.7.0.",
  }),
  removed_at: instant.nullable().optional().meta({
    description:
      "When the endpoint was removed; null if events are sent to this URL from now on. Not in events from before " +
      "0.7.0.",
  }),
  ...logins,
}).meta({
  id: "EventWebhookEndpoint",
  description: "An endpoint that was added or removed, or got another URL or other types.",
});

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
}).meta({
  id: "EventDay",
  description: "A summary of one day. After this event, nothing can be added to the day.",
});

const data = z.object({
  order: orderReply.optional(),
  withdrawal: withdrawalReply.optional(),
  funding: fundingReply.optional(),
  credential: credential.optional(),
  settlement: settlement.optional(),
  webhook_endpoint: webhookEndpoint.optional(),
  day: day.optional(),
  chain_head,
});
type Data = z.infer<typeof data>;
const anyData = data.loose().meta({
  id: "EventData",
  description:
    "The subject of the event in its state right after the event, and the head of your hash chain. The type of the " +
    "event says which subject it is.",
});

type Part<T, Type> = Type extends keyof typeof SUBJECT_MEMBERS
  ? { [Name in (typeof SUBJECT_MEMBERS)[Type][number] & keyof T]: Exclude<T[Name], undefined> }
  : T;
/** What an event of each type has. */
type Subject = {
  [Type in WebhookEventType]: {
    type: Type;
    data:
      & { [Name in NonNullable<(typeof SUBJECTS)[Type]>]: Part<NonNullable<Data[Name]>, Type> }
      & Pick<Data, "chain_head">;
  };
}[WebhookEventType];

/**
 * An event. The description has one object for all types, because clients that are generated from a union fail at a
 * type that they do not know. The TypeScript type is a union of the known types, so a check of `type` narrows it.
 *
 * `more` are the members after `data`.
 */
function eventWith<S extends z.core.$ZodLooseShape>(more: S) {
  const type = openText(WEBHOOK_EVENT_TYPES, "What happened.");
  const event = z.object({ type, ...frame, data: anyData, ...more });
  type Event = z.infer<z.ZodObject<typeof frame & S>> & Subject;
  return event.refine(
    (given) => hasSubject(given as unknown as Subject),
    "The subject is missing.",
  ) as unknown as z.ZodType<Event>;
}

function hasSubject({ type, data }: { readonly type: string; readonly data: Data }): boolean {
  const subject = Object.hasOwn(SUBJECTS, type) ? SUBJECTS[type as WebhookEventType] : null;
  if (subject === null) return true;
  const { [type]: members = [] }: Readonly<Record<string, readonly string[]>> = SUBJECT_MEMBERS;
  return data[subject] !== undefined && members.every((name) => name in data[subject]!);
}

/** Lets a generator of types narrow an event by its type. */
const NARROWING = { "x-subjects": SUBJECTS, "x-subject-members": SUBJECT_MEMBERS };

const previous_sequence = z.int().min(1).nullable().optional().meta({
  description:
    "The number of the event before this one among those that this endpoint gets. Process this event after that " +
    "one. Null: process it at once, because there is none before it, or because the types of the endpoint have " +
    "changed since. Without a filter it is sequence - 1. Only in webhooks of 0.7.0 and later, not in the event " +
    "stream nor in GET /v1/events.",
});

const client_id = z.string().optional().meta({
  description:
    "The client_id of the partner whose endpoint this is: yours. Refuse an event that names another one. Only in " +
    "webhooks of 0.7.0 and later, not in the event stream nor in GET /v1/events.",
});

/** A webhook's body. It is delivered at least once, so decide by `id` whether you have it already. */
export const webhookEvent = eventWith({ previous_sequence, client_id })
  .meta({
    id: "WebhookEvent",
    description: "An event. Types may be added; acknowledge types that you do not know.",
    ...NARROWING,
  });
export type WebhookEvent = z.infer<typeof webhookEvent>;

const attempt = z.object({
  attempted_at: instant.meta({ description: "When the attempt began." }),
  http_status: z.int().nullable().meta({
    description: "The status of the HTTP reply; null if no reply arrived.",
  }),
  duration_ms: z.int().meta({ description: "How long the attempt took, in milliseconds." }),
  cause: openText(
    ["dns", "address", "refused", "tls_untrusted", "timeout", "reset", "status", "other"],
    "The cause of the failure.",
  ).nullable().meta({
    description:
      "Why the attempt failed; null if your endpoint accepted the event. dns: your host's name has no address. " +
      "address: the service may not send to its address. refused: no connection. tls_untrusted: TLS failed, for " +
      "example because the certificate is not trusted. timeout: no reply in time. reset: the connection ended, or " +
      "the reply was not HTTP. status: a reply other than 2xx.",
  }),
}).meta({ id: "DeliveryAttempt", description: "One attempt to deliver an event." });

const deliveryMembers = {
  status: openText(
    ["pending", "delivered", "parked", "filtered"],
    "pending: not delivered yet. delivered: your endpoint has accepted it. parked: the service has stopped " +
      "trying; redeliver it by hand. filtered, only in `delivery`: no endpoint gets it.",
  ),
  next_attempt_at: instant.nullable().meta({
    description: "When the event is sent next; null if that is not planned.",
  }),
  attempts: z.array(attempt).meta({ description: "The attempts so far, oldest first." }),
};

const delivery = z.object(deliveryMembers).meta({
  id: "Delivery",
  description:
    "The attempts to deliver an event to the first of the endpoints that get it. `deliveries` has all of them.",
});

const deliveries = z.array(
  z.object({
    endpoint: endpointNumber.meta({
      description: "The number of the endpoint, as GET /v1/account shows it.",
    }),
    ...deliveryMembers,
  }).meta({ id: "EndpointDelivery", description: "The attempts to deliver an event to one endpoint." }),
).optional().meta({
  description:
    "One object for each endpoint that gets the event, by its number. Not in replies from before 0.7.0.",
});

const line = z.string().meta({
  description:
    "The event's line of your hash chain: chain_head is the SHA-256 of the previous chain_head, as bytes, " +
    "and this text. Only GET /v1/events and GET /v1/events/{event_id} have it.",
}).optional();

export const eventReply = eventWith({ delivery, deliveries, line })
  .meta({ id: "Event", description: "An event and the attempts to deliver it.", ...NARROWING });
export type EventReply = z.infer<typeof eventReply>;

export const eventsReply = pageOf(
  "Events",
  eventReply,
  "Oldest first; next_cursor is the `after` of the next page.",
);
export type EventsReply = z.infer<typeof eventsReply>;

const afterParam = integerParam({
  minimum: 0,
  maximum: 999_999_999_999_999,
  description: "Only events after this sequence number.",
}).optional();

export const eventStreamQuery = z.strictObject({ after: afterParam }, {
  error: "This parameter is unknown; this endpoint supports after.",
}).meta({ id: "EventStreamQuery", description: "Where to continue reading." });

export const eventsQuery = z.strictObject({
  after: afterParam,
  limit: limitParam.optional(),
}, { error: "This parameter is unknown; this endpoint supports after and limit." })
  .meta({ id: "EventsQuery", description: "Where to continue reading." });
export type EventsQuery = z.infer<typeof eventsQuery>;
