import { webhookEvent } from "../schema/mod.ts";
import type { Json } from "./endpoint.ts";
import { EVENTS } from "./examples/events.ts";
import type { Schemas } from "./schemas.ts";

const SAYS: Readonly<Record<keyof typeof EVENTS, string>> = {
  "order.executed": "An order was executed.",
  "withdrawal.created": "A withdrawal was asked for; the amount is held.",
  "withdrawal.approved": "The operator has approved a withdrawal.",
  "withdrawal.submitted": "A withdrawal is with the bank.",
  "withdrawal.paid": "A withdrawal was paid; the held amount is gone.",
  "withdrawal.rejected": "The operator has rejected a withdrawal; the amount is available again.",
  "withdrawal.returned": "The bank has returned a withdrawal; the amount is available again.",
  "funding.completed": "Money has come in.",
  "funding.reversed": "Money that had come in was taken back by the bank.",
  "credential.expiring":
    "A credential of yours ends soon: replace it while both work. Told 30, 7 and 1 days ahead.",
  "webhook.test": "You have asked for a test.",
};

const DESCRIPTION =
  "Sent to your endpoint in the form of Standard Webhooks, at least once: decide by `id` whether you have it, order by " +
  "`sequence`, acknowledge types that you do not know. Verify the signature over the raw body before you read it, and refuse a " +
  "timestamp more than 300 seconds away. Tried again with growing pauses for 3 days, then parked; GET /v1/events has them all.";

/** The webhooks that the service sends, by the type of the event. */
export function webhooks(schemas: Schemas): Json {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([type, event]) => [type, {
      post: {
        summary: SAYS[type as keyof typeof EVENTS],
        description: DESCRIPTION,
        security: [],
        parameters: HEADERS,
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { ...schemas.refer(webhookEvent), properties: { type: { const: type } } },
              examples: { event: { value: event } },
            },
          },
        },
        responses: RESPONSES,
      },
    }]),
  );
}

const header = (name: string, description: string, schema: Json, example: Json): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema,
  example,
});

const HEADERS: Json = [
  header(
    "webhook-id",
    "The event's id; the same at every attempt.",
    { type: "string" },
    EVENTS["order.executed"].id,
  ),
  header("webhook-timestamp", "When this attempt was signed: Unix time in seconds.", {
    type: "string",
    pattern: "^[0-9]+$",
  }, "1769851875"),
  header(
    "webhook-signature",
    "`v1,` and the base64 of HMAC-SHA256 over id.timestamp.body; several, separated by spaces, while secrets overlap. One " +
      "that fits is enough.",
    { type: "string" },
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];

const WAITS =
  "It counts as a try, and until the time of your Retry-After, if you send one, nothing is sent to you.";
const RETRY_AFTER: Json = {
  "Retry-After": {
    description: "Seconds, or an HTTP date; an hour is the most.",
    schema: { type: "string" },
    example: "120",
  },
};

const RESPONSES: Json = {
  "2XX": { description: "You have it. Answer within 15 seconds, and work on it afterwards." },
  "410": {
    description:
      "You want no more: your endpoint is disabled until you ask for a test or register another URL.",
  },
  "429": { description: `Not so fast. ${WAITS}`, headers: RETRY_AFTER },
  "503": { description: `Not now. ${WAITS}`, headers: RETRY_AFTER },
  default: { description: "Anything else is tried again." },
};
