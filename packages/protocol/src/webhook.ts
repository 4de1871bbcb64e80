// Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`, version v1.
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { hostBytes } from "./bytes.ts";
import { TIMESTAMP_FORM } from "./header.ts";
import { WEBHOOK_TOLERANCE_SECONDS } from "./limit.ts";

export type WebhookErrorReason =
  | "argument_invalid"
  | "secret_invalid"
  | "header_missing"
  | "header_invalid"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "signature_version_unknown"
  | "signature_mismatch";

/** The only error that signing and verifying throw. `reason` is stable: callers may decide by it. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly reason: WebhookErrorReason;

  constructor(reason: WebhookErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A parsed secret. The key itself is out of reach, so that neither a log nor JSON can show it. */
export interface WebhookSecret {
  mac(content: Uint8Array): Uint8Array;
}

export interface WebhookMessage {
  id: string;
  /** Unix time in whole seconds. */
  timestamp: number;
  body: Uint8Array | string;
}

/** A fetch `Headers`, Node's `request.headers`, or any record; names match in any case. */
export type WebhookHeaders = HeaderLookup | Readonly<Record<string, string | readonly string[] | undefined>>;

interface HeaderLookup {
  get(name: string): string | null;
}

export interface WebhookVerification {
  nowSeconds: number;
  /** How far the sender's clock may lie before or after `nowSeconds`. */
  toleranceSeconds?: number;
}

/** What a valid delivery said of itself: store `id` and ignore a second delivery of it. */
export interface VerifiedWebhook {
  id: string;
  timestamp: number;
}

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = { shortest: 24, issued: 32, longest: 64 };
// No full stop, which separates the signed parts: with one, a signature would fit two messages. No comma, which joins
// a header that came twice.
const MESSAGE_ID = /^[!-+\-/-~]{1,255}$/;
// Some eighty signatures: each one is compared with each secret's, and who sent them is not known yet.
const SIGNATURES = /^.{1,4096}$/s;

/** Reads `whsec_<base64>` strictly: one secret has one spelling. */
export function parseWebhookSecret(text: string): WebhookSecret {
  const encoded = typeof text === "string" ? text.slice(SECRET_PREFIX.length) : "";
  const key = Buffer.from(encoded, "base64");
  if (encoded === "" || !text.startsWith(SECRET_PREFIX) || key.toString("base64") !== encoded) {
    throw new WebhookError(
      "secret_invalid",
      `A webhook secret is "${SECRET_PREFIX}" and padded base64, and this text is not; copy it again, whole.`,
    );
  }
  if (key.length < SECRET_BYTES.shortest || key.length > SECRET_BYTES.longest) {
    throw new WebhookError(
      "secret_invalid",
      `A webhook secret has ${SECRET_BYTES.shortest} to ${SECRET_BYTES.longest} bytes, this one has ${key.length}; ` +
        "copy it again, or issue a new one.",
    );
  }
  return { mac: (content) => createHmac("sha256", key).update(content).digest() };
}

/** A new secret's text, from a source of cryptographically random bytes. */
export function newWebhookSecret(random: (length: number) => Uint8Array): string {
  const key = random(SECRET_BYTES.issued);
  if (key.length !== SECRET_BYTES.issued) {
    throw new WebhookError(
      "argument_invalid",
      `The random source gave ${key.length} bytes where ${SECRET_BYTES.issued} were asked; pass one that fills them.`,
    );
  }
  return SECRET_PREFIX + Buffer.from(key).toString("base64");
}

/** The `webhook-signature` header: one signature for each secret, so that a receiver may change over at any time. */
export function signWebhook(message: WebhookMessage, secrets: readonly WebhookSecret[]): string {
  requireSecrets(secrets);
  const timestamp = String(message?.timestamp);
  if (typeof message?.id !== "string" || !MESSAGE_ID.test(message.id)) {
    throw new WebhookError(
      "argument_invalid",
      "The message id must be 1 to 255 visible ASCII characters without comma and full stop; send an event's own id.",
    );
  }
  if (!TIMESTAMP_FORM.test(timestamp)) {
    throw new WebhookError(
      "argument_invalid",
      `The timestamp must be Unix time in whole seconds, ten digits, and is ${timestamp}; pass seconds, not milliseconds.`,
    );
  }
  const content = signedContent(message.id, timestamp, message.body);
  return secrets.map((secret) => signature(secret, content)).join(" ");
}

/**
 * Accepts a delivery that any of `secrets` signed within the tolerance, or throws a WebhookError. `rawBody` is the
 * body as it was received: JSON that was parsed and written again has other bytes.
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  secrets: readonly WebhookSecret[],
  options: WebhookVerification,
): VerifiedWebhook {
  requireSecrets(secrets);
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature");
  requireForm("webhook-id", id, MESSAGE_ID, "1 to 255 visible ASCII characters without comma and full stop");
  requireForm("webhook-timestamp", timestamp, TIMESTAMP_FORM, "Unix time in seconds, ten digits");
  requireForm("webhook-signature", signatures, SIGNATURES, "at most 4,096 characters long");
  requireFresh(Number(timestamp), options?.nowSeconds, options?.toleranceSeconds);

  const offered = signatures.split(" ").filter((one) => one.startsWith("v1,"));
  if (offered.length === 0) {
    throw new WebhookError(
      "signature_version_unknown",
      "webhook-signature holds no v1 signature, the only version this verifier knows; update it, or ask the sender.",
    );
  }
  const content = signedContent(id, timestamp, rawBody);
  for (const secret of secrets) {
    const expected = signature(secret, content);
    if (offered.some((one) => sameText(one, expected))) return { id, timestamp: Number(timestamp) };
  }
  throw new WebhookError(
    "signature_mismatch",
    "No signature fits this body and these secrets: the body is not the bytes that were sent, or the secret is " +
      "another one; verify the raw body before any parser, with every secret that is active.",
  );
}

function signedContent(id: string, timestamp: string, body: Uint8Array | string): Uint8Array {
  if (typeof body === "string") return hostBytes.utf8(`${id}.${timestamp}.${body}`);
  if (body instanceof Uint8Array) return Buffer.concat([hostBytes.utf8(`${id}.${timestamp}.`), body]);
  throw new WebhookError(
    "argument_invalid",
    "The body is neither bytes nor text; pass the raw body as it is on the wire, before any parser.",
  );
}

function signature(secret: WebhookSecret, content: Uint8Array): string {
  return `v1,${Buffer.from(secret.mac(content)).toString("base64")}`;
}

/** In a time that tells nothing of where two texts differ. */
function sameText(left: string, right: string): boolean {
  const [leftBytes, rightBytes] = [hostBytes.utf8(left), hostBytes.utf8(right)];
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}

function requireSecrets(secrets: readonly WebhookSecret[]): void {
  const parsed = Array.isArray(secrets) && secrets.every((secret) => typeof secret?.mac === "function");
  if (parsed && secrets.length > 0) return;
  throw new WebhookError(
    "argument_invalid",
    "The secrets are no list of at least one parsed secret; pass [parseWebhookSecret(text)] for each active one.",
  );
}

function requireFresh(
  timestamp: number,
  nowSeconds: number,
  toleranceSeconds: number = WEBHOOK_TOLERANCE_SECONDS,
): void {
  // NaN would pass every comparison below.
  if (!Number.isFinite(nowSeconds) || !Number.isFinite(toleranceSeconds)) {
    throw new WebhookError(
      "argument_invalid",
      `nowSeconds and toleranceSeconds must be numbers, and are ${nowSeconds} and ${toleranceSeconds}; pass Unix seconds.`,
    );
  }
  const ageSeconds = nowSeconds - timestamp;
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookError(
      "timestamp_too_old",
      `webhook-timestamp lies ${ageSeconds} s before nowSeconds, more than ${toleranceSeconds} s: a replayed delivery, ` +
        "or a clock that is ahead (or gives milliseconds); check the clock, and wait for the next attempt.",
    );
  }
  if (-ageSeconds > toleranceSeconds) {
    throw new WebhookError(
      "timestamp_too_new",
      `webhook-timestamp lies ${-ageSeconds} s after nowSeconds, more than ${toleranceSeconds} s: a clock is behind; ` +
        "check this machine's, and wait for the next attempt.",
    );
  }
}

const isLookup = (headers: WebhookHeaders): headers is HeaderLookup => typeof headers?.get === "function";

function readHeader(headers: WebhookHeaders, name: string): string {
  const values = isLookup(headers)
    ? [headers.get(name)]
    : Object.entries(headers ?? {}).filter(([key]) => key.toLowerCase() === name).flatMap(([, value]) =>
      value ?? []
    );
  const [value] = values;
  if (typeof value !== "string" || value === "") {
    throw new WebhookError(
      "header_missing",
      `${name} is missing, empty or no text; pass the request's headers, and let no proxy drop it.`,
    );
  }
  if (values.length > 1) {
    throw new WebhookError(
      "header_invalid",
      `${name} came ${values.length} times and may come once; let no proxy add it.`,
    );
  }
  return value;
}

function requireForm(name: string, value: string, form: RegExp, formInWords: string): void {
  if (form.test(value)) return;
  throw new WebhookError(
    "header_invalid",
    `${name} must be ${formInWords}; pass the header as it was received.`,
  );
}
