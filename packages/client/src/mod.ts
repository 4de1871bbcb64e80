/**
 * The client for partners of the Gold Trading Partner Service. GoldClient calls the service. verifyWebhook()
 * verifies the webhooks that the service sends.
 *
 * @module
 */
export type { FieldError, ProbeMistake, TokenProblemCode, WebhookHeaders } from "@gold-partner/protocol";
export type { CredentialsFile } from "./credentials.ts";
export { GoldClient, type GoldClientManner } from "./gold_client.ts";
export { type ClientErrorCode, GoldError, type GoldErrorCode, type GoldErrorFacts } from "./gold_error.ts";
export { type Grams, Quantity, type Sar, type SarPerGram, type Unit } from "./quantity.ts";
export type * from "./reply.ts";
export type * from "./request.ts";
export { openTransport } from "./runtime_transport.ts";
export type { GoldClientOptions, TryReport } from "./settings.ts";
export {
  type TlsIdentity,
  type Transport,
  TransportError,
  type TransportReply,
  type TransportRequest,
} from "./transport.ts";
export {
  type VerifiedWebhook,
  verifyWebhook,
  type WebhookErrorCode,
  WebhookVerificationError,
  type WebhookVerificationOptions,
} from "./webhook.ts";
export type { AccountEvent, WebhookEvent } from "./webhook_event.ts";
