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
  | "signature_mismatch"
  | "client_mismatch";

/** The only error that signing and verifying throw. Callers can branch on `reason`, which is stable. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly reason: WebhookErrorReason;

  constructor(reason: WebhookErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A parsed secret. The key itself is not accessible, so neither a log nor JSON can show it. */
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
  /** Seconds that the sender's clock may differ from `nowSeconds`, in both directions. Default: 300. */
  toleranceSeconds?: number;
  /** The receiver's client_id. A body with another one is refused. A body without one is from before 0.7.0. */
  clientId?: string | undefined;
}

/** The id and the time of a valid delivery. Store `id`, and ignore a second delivery with the same id. */
export interface VerifiedWebhook {
  id: string;
  timestamp: number;
}

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = { shortest: 24, issued: 32, longest: 64 };
// An id contains no full stop and no comma. A full stop separates the signed parts, so with a full stop in
// the id, two messages could have the same signature. A comma joins the values of a repeated header.
const MESSAGE_ID = /^[!-+\-/-~]{1,255}$/;
// About 80 signatures fit. The length is limited, because the receiver compares every signature for every
// secret before it knows the sender.
const SIGNATURES = /^.{1,4096}$/s;

/**
 * Reads a webhook secret. It is strict: a secret has exactly one spelling.
 *
 * @param text `whsec_` and the padded base64 of 24 to 64 bytes.
 * @throws WebhookError with the reason `secret_invalid`. The error does not show the text.
 * @example
 * ```ts
 * import { parseWebhookSecret } from "@gold-partner/protocol";
 *
 * const secret = parseWebhookSecret(process.env.WEBHOOK_SECRET!);
 * ```
 */
export function parseWebhookSecret(text: string): WebhookSecret {
  const encoded = typeof text === "string" ? text.slice(SECRET_PREFIX.length) : "";
  const key = Buffer.from(encoded, "base64");
  if (encoded === "" || !text.startsWith(SECRET_PREFIX) || key.toString("base64") !== encoded) {
    throw new WebhookError(
      "secret_invalid",
      `A webhook secret must be "${SECRET_PREFIX}" followed by padded base64, and this text is not; copy the ` +
        "complete secret again.",
    );
  }
  if (key.length < SECRET_BYTES.shortest || key.length > SECRET_BYTES.longest) {
    throw new WebhookError(
      "secret_invalid",
      `A webhook secret must have ${SECRET_BYTES.shortest} to ${SECRET_BYTES.longest} bytes, but this secret has ${key.length}; ` +
        "copy it again, or issue a new secret.",
    );
  }
  return { mac: (content) => createHmac("sha256", key).update(content).digest() };
}

/**
 * Makes the text of a new webhook secret.
 *
 * @param random Returns the requested number of cryptographically random bytes.
 * @throws WebhookError with the reason `argument_invalid` when `random` returns another number of bytes.
 * @example
 * ```ts
 * import { randomBytes } from "node:crypto";
 * import { newWebhookSecret } from "@gold-partner/protocol";
 *
 * const text = newWebhookSecret((length) => randomBytes(length));
 * console.log(text.slice(0, 6)); // whsec_
 * ```
 */
export function newWebhookSecret(random: (length: number) => Uint8Array): string {
  const key = random(SECRET_BYTES.issued);
  if (key.length !== SECRET_BYTES.issued) {
    throw new WebhookError(
      "argument_invalid",
      `The random source returned ${key.length} bytes instead of ${SECRET_BYTES.issued}; pass a source that ` +
        "returns all of them.",
    );
  }
  return SECRET_PREFIX + Buffer.from(key).toString("base64");
}

/**
 * Makes the `webhook-signature` header. It has one signature for each secret, so that a receiver can change
 * its secret at any time.
 *
 * @param message The event's id, the time of this attempt and the body.
 * @param secrets The sender's active secrets, at least one.
 * @throws WebhookError with the reason `argument_invalid` when the id, the time, the body or the secrets are
 * not valid.
 * @example
 * ```ts
 * import { parseWebhookSecret, signWebhook } from "@gold-partner/protocol";
 *
 * const secret = parseWebhookSecret(process.env.WEBHOOK_SECRET!);
 * const message = { id: "evt_1", timestamp: 1_769_851_875, body: "{}" };
 * console.log(signWebhook(message, [secret]).slice(0, 3)); // v1,
 * ```
 */
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
      `The timestamp must be Unix time in whole seconds, ten digits, but is ${timestamp}; pass seconds, not ` +
        "milliseconds.",
    );
  }
  const content = signedContent(message.id, timestamp, message.body);
  return secrets.map((secret) => signature(secret, content)).join(" ");
}

/**
 * Verifies a webhook. Accepts a delivery that any of `secrets` signed within the tolerance.
 *
 * @param rawBody The body as it was received. JSON that was parsed and written again has other bytes.
 * @param headers A `Headers`, Node's `request.headers` or any record. Names match in any case.
 * @param secrets The parsed secrets that are active, at least one.
 * @param options The receiver's clock, how far the sender's clock may differ from it, and the receiver's client_id.
 * @throws WebhookError whose `reason` says which header, time, signature or argument is not acceptable.
 * @example
 * ```ts
 * import { parseWebhookSecret, signWebhook, verifyWebhook } from "@gold-partner/protocol";
 *
 * const secret = parseWebhookSecret(process.env.WEBHOOK_SECRET!);
 * const message = { id: "evt_1", timestamp: 1_769_851_875, body: "{}" };
 * const headers = {
 *   "webhook-id": message.id,
 *   "webhook-timestamp": `${message.timestamp}`,
 *   "webhook-signature": signWebhook(message, [secret]),
 * };
 * const options = { nowSeconds: 1_769_851_900, clientId: "sbx_k2m7q4x9t3v8n5r6b2hd" };
 * const { id } = verifyWebhook(message.body, headers, [secret], options);
 * console.log(id); // evt_1
 * ```
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
      "webhook-signature contains no v1 signature, the only version that this verifier supports; update the " +
        "verifier, or ask the sender.",
    );
  }
  const content = signedContent(id, timestamp, rawBody);
  for (const secret of secrets) {
    const expected = signature(secret, content);
    if (!offered.some((one) => sameText(one, expected))) continue;
    requireClient(rawBody, options.clientId);
    return { id, timestamp: Number(timestamp) };
  }
  throw new WebhookError(
    "signature_mismatch",
    "No signature matches this body and these secrets: the body differs from the bytes that were sent, or " +
      "the secret is wrong; verify the raw body before any parser, with every active secret.",
  );
}

/** Call this only after the signature was verified. */
function requireClient(rawBody: Uint8Array | string, clientId: string | undefined): void {
  if (clientId === undefined) return;
  const named = readClientId(rawBody);
  if (named === undefined || named === clientId) return;
  throw new WebhookError(
    "client_mismatch",
    "The signature is correct, but the event was sent to another partner's endpoint, or clientId is wrong; compare " +
      "clientId with GET /v1/account, and call the operator.",
  );
}

/** Returns undefined for a body that is not a JSON object, too. */
function readClientId(rawBody: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof rawBody === "string" ? rawBody : Buffer.from(rawBody).toString("utf8"))
      ?.client_id;
  } catch {
    return undefined;
  }
}

function signedContent(id: string, timestamp: string, body: Uint8Array | string): Uint8Array {
  if (typeof body === "string") return hostBytes.utf8(`${id}.${timestamp}.${body}`);
  if (body instanceof Uint8Array) return Buffer.concat([hostBytes.utf8(`${id}.${timestamp}.`), body]);
  throw new WebhookError(
    "argument_invalid",
    "The body is neither bytes nor text; pass the raw body as it was received, before any parser.",
  );
}

function signature(secret: WebhookSecret, content: Uint8Array): string {
  return `v1,${Buffer.from(secret.mac(content)).toString("base64")}`;
}

/** Compares two texts in constant time, so that the time does not show where they differ. */
function sameText(left: string, right: string): boolean {
  const [leftBytes, rightBytes] = [hostBytes.utf8(left), hostBytes.utf8(right)];
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}

function requireSecrets(secrets: readonly WebhookSecret[]): void {
  const parsed = Array.isArray(secrets) && secrets.every((secret) => typeof secret?.mac === "function");
  if (parsed && secrets.length > 0) return;
  throw new WebhookError(
    "argument_invalid",
    "The secrets must be a list of at least one parsed secret; pass parseWebhookSecret(text) for each active secret.",
  );
}

function requireFresh(
  timestamp: number,
  nowSeconds: number,
  toleranceSeconds: number = WEBHOOK_TOLERANCE_SECONDS,
): void {
  // Refuse NaN, which would pass every comparison below.
  if (!Number.isFinite(nowSeconds) || !Number.isFinite(toleranceSeconds)) {
    throw new WebhookError(
      "argument_invalid",
      `nowSeconds and toleranceSeconds must be numbers, but are ${nowSeconds} and ${toleranceSeconds}; pass Unix ` +
        "seconds.",
    );
  }
  const ageSeconds = nowSeconds - timestamp;
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookError(
      "timestamp_too_old",
      `webhook-timestamp is ${ageSeconds} s before nowSeconds, more than ${toleranceSeconds} s: a replayed delivery, ` +
        "or a wrong clock; check that nowSeconds is Unix time in seconds, and wait for the next attempt.",
    );
  }
  if (-ageSeconds > toleranceSeconds) {
    throw new WebhookError(
      "timestamp_too_new",
      `webhook-timestamp is ${-ageSeconds} s after nowSeconds, more than ${toleranceSeconds} s: a clock is wrong; ` +
        "check this machine's clock, and wait for the next attempt.",
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
      `${name} is missing, empty or not a string; pass the request's headers, and make sure that no proxy removes it.`,
    );
  }
  if (values.length > 1) {
    throw new WebhookError(
      "header_invalid",
      `${name} was sent ${values.length} times but may be sent only once; make sure that no proxy adds it.`,
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
