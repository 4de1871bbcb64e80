import { Buffer } from "node:buffer";
import { openApiDocument, parseWebhookSecret, signWebhook, type WebhookEvent } from "@gold-partner/protocol";

export const NOW_SECONDS = 1_769_851_875;

interface Described {
  readonly webhooks: Readonly<Record<string, { readonly post: { readonly requestBody: unknown } }>>;
}

/** One event of each type, from the examples in the service's OpenAPI document. */
export function describedEvents(): WebhookEvent[] {
  const { webhooks } = openApiDocument({
    baseUrl: "https://api.example.com",
    environment: "sandbox",
  }) as unknown as Described;
  return Object.values(webhooks).map(({ post }) => {
    const body = post.requestBody as {
      content: { "application/json": { examples: { event: { value: WebhookEvent } } } };
    };
    return body.content["application/json"].examples.event.value;
  });
}

export const secretOf = (fill: number): string => `whsec_${Buffer.alloc(32, fill).toString("base64")}`;

/** A delivery as the service sends it, signed with each secret. `body` replaces the event's own JSON. */
export function deliveryOf<Body extends Uint8Array | string = string>(
  event: { readonly id: string; readonly client_id?: string | undefined },
  secrets: readonly string[],
  { timestamp = NOW_SECONDS, body = JSON.stringify(event) as Body }: { timestamp?: number; body?: Body } = {},
): { readonly body: Body; readonly headers: Record<string, string> } {
  const signature = signWebhook({ id: event.id, timestamp, body }, secrets.map(parseWebhookSecret));
  const headers = {
    "webhook-id": event.id,
    "webhook-timestamp": `${timestamp}`,
    "webhook-signature": signature,
  };
  return { body, headers };
}
