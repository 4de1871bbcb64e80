import { type WebhookEvent, webhookEvent } from "../schema/mod.ts";
import { parseWebhookSecret, signWebhook } from "../webhook.ts";
import type { Json } from "./endpoint.ts";
import { type EVENTS, WEBHOOKS } from "./examples/events.ts";
import type { Schemas } from "./schemas.ts";

const SUMMARIES: Readonly<Record<keyof typeof EVENTS, string>> = {
  "order.executed": "An order was executed.",
  "withdrawal.created": "A withdrawal was requested; the amount is held.",
  "withdrawal.approved": "The operator has approved a withdrawal.",
  "withdrawal.submitted": "A withdrawal was submitted to the bank.",
  "withdrawal.paid": "A withdrawal was paid; the held amount was deducted.",
  "withdrawal.rejected": "The operator has rejected a withdrawal; the amount is available again.",
  "withdrawal.returned": "The bank has returned a withdrawal; the amount is available again.",
  "withdrawal.cancelled": "You cancelled a withdrawal; the amount is available again.",
  "funding.completed": "A funding has arrived.",
  "funding.reversed": "The bank has taken back a funding.",
  "credential.expiring":
    "One of your credentials expires soon: replace it while the old and the new one both work. Sent 30, 7 and 1 " +
    "days in advance.",
  "credential.added":
    "A credential of yours was added. If a certificate or signing key is not yours, call the operator at once.",
  "credential.ended":
    "The end of one of your credentials was set or moved: it was retired, revoked or replaced.",
  "settlement.changed": "Your withdrawals are paid to another IBAN from now on. Two people changed it.",
  "webhook_endpoint.changed":
    "A webhook endpoint of yours was added or removed, or got another URL or other types.",
  "day.closed": "A day in Riyadh has ended. The event commits to all of its quotes and refusals.",
  "webhook.test": "You have requested a test event.",
};

/** The secret that signs the examples. It belongs to no partner. */
const EXAMPLE_WEBHOOK_SECRET = `whsec_${btoa("the secret of all examples")}`;

const DESCRIPTION =
  "Sent to each of your endpoints that gets this type, in the format of Standard Webhooks, at least once. " +
  "Detect duplicates by `id`, order events by `previous_sequence`, and acknowledge types that you do not know. " +
  "Verify the signature over the raw body before you read the body. Refuse a timestamp that differs from " +
  "your clock by more than 300 seconds, and a `client_id` that is not yours. A failed delivery is retried with increasing delays for 3 days. Then " +
  "the event is parked: it is not sent again unless you request a redelivery. GET /v1/events lists every event. " +
  "The examples are " +
  `signed with the secret \`${EXAMPLE_WEBHOOK_SECRET}\`, which belongs to no partner.`;

/** The webhooks that the service sends, by the type of the event. */
export function webhooks(schemas: Schemas): Json {
  return Object.fromEntries(
    Object.entries(WEBHOOKS).map(([type, event]) => [type, {
      post: {
        operationId: operationIdOf(type),
        summary: SUMMARIES[type as keyof typeof EVENTS],
        description: DESCRIPTION,
        security: [],
        parameters: headersOf(event),
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

/** `order.executed` is `onOrderExecuted`. */
const operationIdOf = (type: string): string =>
  `on${type.split(/[._]/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join("")}`;

const header = (name: string, description: string, schema: Json, example: Json): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema,
  example,
});

/** The headers of a delivery at the instant of the event, as the service signs it. */
function headersOf(event: WebhookEvent): Json {
  const timestamp = Math.floor(Date.parse(event.created_at) / 1000);
  const message = { id: event.id, timestamp, body: JSON.stringify(event) };
  return [
    header(
      "webhook-id",
      "The event's id; the same at every attempt.",
      { type: "string" },
      event.id,
    ),
    header(
      "webhook-timestamp",
      "When this attempt was signed: Unix time in seconds, 10 digits.",
      { type: "string", pattern: "^[0-9]+$" },
      `${timestamp}`,
    ),
    header(
      "webhook-signature",
      "`v1,` and the base64 of HMAC-SHA256 over id.timestamp.body; several values, separated by spaces, " +
        "while secrets overlap. One matching value is enough.",
      { type: "string" },
      signWebhook(message, [parseWebhookSecret(EXAMPLE_WEBHOOK_SECRET)]),
    ),
  ];
}

const WAITS = "This counts as an attempt. If you send Retry-After, nothing is sent to you before that time.";
const RETRY_AFTER: Json = {
  "Retry-After": {
    description: "Seconds or an HTTP date, at most one hour.",
    schema: { type: "string" },
    example: "120",
  },
};

const RESPONSES: Json = {
  "2XX": {
    description: "You have received the event. Reply within 15 seconds, and process the event afterwards.",
  },
  "410": {
    description:
      "You want no more events here. This endpoint is disabled until you request a test event or register another URL.",
  },
  "429": { description: `Too many deliveries. ${WAITS}`, headers: RETRY_AFTER },
  "503": { description: `Temporarily unavailable. ${WAITS}`, headers: RETRY_AFTER },
  default: { description: "Any other reply is retried." },
};
