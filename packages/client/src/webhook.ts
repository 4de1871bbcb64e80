import {
  BODY_MAX_BYTES,
  hostBytes,
  parseWebhookSecret,
  verifyWebhook as verifySignature,
  WebhookError,
  webhookEvent,
  type WebhookSecret,
} from "@gold-partner/protocol";
import type { WebhookEvent } from "./api_types.ts";
import { readValue } from "./wire_value.ts";

/** The package's README explains each code. */
export type WebhookErrorCode =
  | "argument_invalid"
  | "secret_invalid"
  | "header_missing"
  | "header_invalid"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "signature_version_unknown"
  | "signature_mismatch"
  | "client_mismatch"
  | "body_too_long"
  | "event_invalid";

/** A fetch `Headers`, Node's `request.headers`, or any record. Names match in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The only error that verifyWebhook() throws. Branch on `code`, which is stable. `message` says what to do.
 */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  override toString(): string {
    return `${this.name} [${this.code}]: ${this.message}`;
  }
}

export interface WebhookVerificationOptions {
  /** The receiver's clock in Unix seconds. Default: this machine's clock. */
  readonly nowSeconds?: number;
  /** Seconds that the sender's clock may differ from `nowSeconds`, in both directions. Default: 300. */
  readonly toleranceSeconds?: number;
  /**
   * Your client_id. An event that was sent to another partner's endpoint is refused. Without `clientId`, and for events
   * of a service before 0.7.0, only the signature is verified.
   */
  readonly clientId?: string | undefined;
}

export interface VerifiedWebhook {
  /** The event's id. If you have it already, acknowledge the delivery and do nothing. */
  readonly id: string;
  /** When this attempt was signed, in Unix seconds. */
  readonly timestamp: number;
  readonly event: WebhookEvent;
}

/**
 * Verifies a webhook and reads its event. Accepts a delivery that one of `secrets` signed within the
 * tolerance.
 *
 * @param rawBody The body as it was received, before any parser. JSON that was parsed and written again has
 * other bytes.
 * @param headers A `Headers`, Node's `request.headers` or any record. Names match in any case.
 * @param secrets The text of each active secret, `whsec_…`. While a new secret replaces an old one, give
 * both.
 * @param options Your client_id, the clock and the tolerance. The defaults suit a receiver whose clock is right.
 * @returns The event, its id and the time of this attempt.
 * @throws WebhookVerificationError when a header, the time, the signature, the client_id, the body or a secret is
 * not acceptable.
 * @example
 * ```ts
 * import { verifyWebhook, WebhookVerificationError } from "@gold-partner/client";
 *
 * const secrets = process.env.WEBHOOK_SECRETS!.split(" ");
 * const clientId = process.env.CLIENT_ID!;
 *
 * export async function receive(request: Request): Promise<Response> {
 *   const rawBody = await request.text();
 *   try {
 *     const { id, event } = verifyWebhook(rawBody, request.headers, secrets, { clientId });
 *     console.log(id, event.type, event.sequence);
 *     return new Response(null, { status: 204 });
 *   } catch (error) {
 *     if (!(error instanceof WebhookVerificationError)) throw error;
 *     return new Response(error.code, { status: 400 });
 *   }
 * }
 * ```
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: WebhookVerificationOptions = {},
): VerifiedWebhook {
  requireBounded(rawBody);
  try {
    const { id, timestamp } = verifySignature(rawBody, headers, parseSecrets(secrets), {
      nowSeconds: Math.floor(Date.now() / 1000),
      ...options,
    });
    return { id, timestamp, event: readEvent(rawBody, id) };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    throw new WebhookVerificationError(error.reason, error.message, { cause: error });
  }
}

/** Checks the length before any computation over the body, because the sender is not known yet. */
function requireBounded(rawBody: Uint8Array | string): void {
  if (!(rawBody?.length > BODY_MAX_BYTES)) return;
  throw new WebhookVerificationError(
    "body_too_long",
    `The body is longer than ${BODY_MAX_BYTES} bytes, so it is not a delivery of this service; refuse it.`,
  );
}

function parseSecrets(secrets: string | readonly string[]): WebhookSecret[] {
  const texts = typeof secrets === "string" ? [secrets] : secrets;
  if (Array.isArray(texts) && texts.length > 0) return texts.map(parseWebhookSecret);
  throw new WebhookVerificationError(
    "argument_invalid",
    'No secret was given; pass the active secrets, "whsec_…", as the operator showed them.',
  );
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Checks the event's form and id. Returns the event with all members, also those that are added later. */
function readEvent(rawBody: Uint8Array | string, id: string): WebhookEvent {
  const { sent, exact } = readBody(rawBody);
  const { error } = webhookEvent.safeParse(sent);
  if (error) {
    throw eventInvalid(
      "the body is not an event that this version of the package knows: see `cause`",
      error,
    );
  }
  const known = exact as WebhookEvent;
  if (known.id !== id) throw eventInvalid(`the id in the body, ${known.id}, differs from the webhook-id`);
  return known;
}

/** `sent` has plain numbers, as the schema expects. `exact` has Quantity values, as the partner gets them. */
function readBody(rawBody: Uint8Array | string): { readonly sent: unknown; readonly exact: unknown } {
  try {
    const text = typeof rawBody === "string" ? rawBody : utf8.decode(rawBody);
    return { sent: JSON.parse(text), exact: readValue(hostBytes.utf8(text)) };
  } catch (cause) {
    throw eventInvalid("the body is not JSON in UTF-8", cause);
  }
}

function eventInvalid(what: string, cause?: unknown): WebhookVerificationError {
  return new WebhookVerificationError(
    "event_invalid",
    `The signature is correct, but ${what}; update the package, and make sure that nobody else signs with this secret.`,
    { cause },
  );
}
