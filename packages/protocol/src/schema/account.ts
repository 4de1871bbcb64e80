import { z } from "zod";
import { credentialsReply } from "./credential.ts";
import { limitsReply } from "./limits.ts";
import { endpointNumber, instant, openText } from "./text.ts";

const webhookEndpoint = z.object({
  endpoint: endpointNumber.meta({
    description: "The number of the endpoint, from 1. It never becomes the number of another endpoint.",
  }),
  url: z.string().meta({ description: "Where your events are sent." }),
  types: z.array(z.string()).nullable().meta({
    description: "The types of events that the endpoint gets; null: all. It gets webhook.test in any case.",
  }),
  delivered_to: z.int().min(0).meta({
    description:
      "A sequence number. Of the events up to it that the endpoint gets, each was delivered, is retried on its " +
      "own, or is parked.",
  }),
  status: openText(
    ["working", "failing", "disabled"],
    "working: the last attempt was accepted. failing: the last attempts failed. disabled: your endpoint answered 410; " +
      "request a test event to enable it.",
  ),
  failures: z.int().meta({ description: "How many attempts failed since the last accepted one." }),
  rests_until: instant.nullable().meta({
    description: "Until when nothing is sent after failed attempts; null if events are sent.",
  }),
  disabled_at: instant.nullable().meta({
    description: "When your endpoint was disabled; null if it is not.",
  }),
}).meta({ id: "WebhookEndpoint", description: "An endpoint that gets your events." });

export const accountReply = z.object({
  client_id: z.string().meta({ description: "Your client_id." }),
  name: z.string().meta({ description: "Your name, as it is registered." }),
  environment: openText(["sandbox", "production"], "The environment of the service."),
  status: openText(["active", "suspended"], "A suspended account gets partner_suspended at every request."),
  created_at: instant.meta({ description: "When you were registered." }),
  ip_ranges: z.array(z.string()).meta({
    description: "The addresses from which your requests are accepted, as CIDR.",
  }),
  settlement: z.object({
    iban_masked: z.string().meta({
      description: "The IBAN of your withdrawals, without its middle characters.",
    }),
    payouts_held_until: instant.nullable().meta({
      description: "Until when withdrawals are not paid, because the IBAN has changed; null if they are.",
    }),
  }).meta({ description: "Where your withdrawals are paid." }),
  webhook_endpoints: z.array(webhookEndpoint).meta({
    description: "Where your events are sent, at most five endpoints; empty if nowhere.",
  }),
  credentials: credentialsReply,
  limits: limitsReply,
}).meta({ id: "Account", description: "What is registered for you, and what it may do." });
export type AccountReply = z.infer<typeof accountReply>;
