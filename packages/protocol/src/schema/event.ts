import { z } from "zod";
import { fundingReply } from "./funding.ts";
import { orderReply } from "./order.ts";
import { integerParam, limitParam, pageOf } from "./page.ts";
import { idText, instant, sha256Hex } from "./text.ts";
import { withdrawalReply } from "./withdrawal.ts";

const chain_head = sha256Hex.meta({
  description: "The head of your hash chain at this event. Keep it: it proves the history up to here.",
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

const EVENT_TYPES: readonly string[] = [
  "order.executed",
  ...WITHDRAWAL_EVENTS,
  ...FUNDING_EVENTS,
  "credential.expiring",
  "webhook.test",
];

const TYPE = { description: "What happened." };
const DATA = { description: "What the event is about, as it is right after the event." };

const frame = {
  id: idText("evt_"),
  sequence: z.int().min(1).meta({
    description: "Per partner, without gaps. A missing number is an event that has not arrived yet.",
  }),
  created_at: instant.meta({ description: "When it happened." }),
};

const credential = z.object({
  kind: z.enum(["certificate", "signing_key", "client_secret", "webhook_secret"]).meta({
    description: "What expires.",
  }),
  id: z.string().meta({
    description: "Its sha256, thumbprint or secret_id, as GET /v1/credentials shows it.",
  }),
  expires_at: instant.meta({ description: "When it stops being accepted." }),
}).meta({ description: "The credential that expires." });

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
      "pending: not delivered yet. delivered: your endpoint has accepted it. parked: the service has stopped trying; redeliver it by hand.",
  }),
  next_attempt_at: instant.nullable().meta({ description: "When it is sent next; null: not planned." }),
  attempts: z.array(z.object({
    attempted_at: instant.meta({ description: "When the attempt began." }),
    http_status: z.int().nullable().meta({ description: "null: no HTTP reply arrived." }),
    duration_ms: z.int().meta({ description: "How long the attempt took, in milliseconds." }),
  })).meta({ description: "The attempts so far, oldest first." }),
}).meta({ id: "Delivery", description: "The attempts to deliver an event to your endpoint." });

export const eventReply = eventWith({ delivery })
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
