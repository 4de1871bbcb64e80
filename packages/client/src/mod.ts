/**
 * The client for partners of the Gold Trading Partner Service. GoldClient calls the service. verifyWebhook()
 * verifies the webhooks that the service sends.
 *
 * @module
 */
export type * from "./api_types.ts";
export { chainAnswer, chainHead, chainSalt } from "./chain.ts";
export {
  type ChainBalances,
  type ChainLeg,
  type LineMember,
  lineMembers,
  type RecordLine,
} from "./chain_line.ts";
export type { CredentialsFile } from "./credentials.ts";
export type * from "./error_types.ts";
export { findForeignCredential, type ForeignCredential } from "./foreign_credential.ts";
export { GoldClient, type GoldClientManner } from "./gold_client.ts";
export {
  type ClientErrorCode,
  type FailureFacts,
  GoldError,
  type GoldErrorCode,
  type GoldErrorConstructor,
  type GoldErrorFacts,
  type WriteOutcome,
} from "./gold_error.ts";
export type { CallOptions, GoldClientOptions, TryReport, WriteOptions } from "./options.ts";
export type { PagePromise } from "./page_promise.ts";
export { type Grams, Quantity, type Sar, type SarPerGram, type Unit } from "./quantity.ts";
export { openTransport } from "./runtime_transport.ts";
export type { SignedExchange } from "./signed_exchange.ts";
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
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationOptions,
} from "./webhook.ts";
