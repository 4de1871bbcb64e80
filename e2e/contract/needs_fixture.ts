import {
  BODY_MAX_BYTES,
  type Endpoint,
  ENDPOINTS,
  type OperationId,
  type TokenProblemCode,
} from "@gold-partner/protocol";
import type { Call } from "./caller_fixture.ts";
import type { Form } from "./refusal_fixture.ts";

/** Something that operations need, and how to make a call without it. */
interface Need {
  readonly code: TokenProblemCode;
  /** Selects the operations that need it. If absent, all operations need it. */
  readonly concerns?: (endpoint: Endpoint) => boolean;
  readonly spoil: (operation: OperationId, call: Call, baseUrl: string) => Call;
  readonly form?: Form;
}

const withHeader = (name: string, value: string | null) => (): Call => ({ headers: { [name]: value } });
const withTarget =
  (change: (path: string) => string) => (operation: OperationId, { path = {} }: Call): Call => ({
    target: change(ENDPOINTS[operation].path.replace(/\{([a-z_]+)\}/g, (_, name: string) => path[name]!)),
  });

const takesBody = ({ method }: Endpoint) => method === "POST";
const takesMediaType = ({ request }: Endpoint) => request !== undefined && request.mediaType !== "*/*";
const takesToken = ({ token }: Endpoint) => token !== "none";
const takesKey = ({ idempotent }: Endpoint) => idempotent === true;
const takesSignature = ({ signature }: Endpoint) => signature !== undefined;
/**
 * True if the endpoint refuses unknown query parameters. OAuth ignores them, and the signature probe accepts
 * any URL that was signed.
 */
const takesNoOtherQuery = ({ oauth, signature }: Endpoint) => !oauth && signature !== "diagnosed";

const longAgo = () => `${Math.floor(Date.now() / 1000) - 400}`;

export const NEEDS: readonly Need[] = [
  { code: "certificate_unknown", spoil: () => ({}) },
  { code: "path_not_allowed", spoil: withTarget((path) => `/${path}`), form: "plain" },
  { code: "path_not_allowed", spoil: withTarget((path) => path.replace(/[a-z]/, "%65")), form: "plain" },
  { code: "method_not_allowed", spoil: () => ({ method: "DELETE" }) },
  { code: "uri_too_long", spoil: withTarget((path) => `${path}?${"x".repeat(9000)}`) },
  { code: "header_too_large", spoil: withHeader("X-Baggage", "x".repeat(17_000)), form: "plain" },
  { code: "invalid_request", concerns: takesNoOtherQuery, spoil: withTarget((path) => `${path}?colour=red`) },
  { code: "invalid_request", concerns: takesMediaType, spoil: () => ({ body: "{" }) },
  { code: "body_too_large", concerns: takesBody, spoil: () => ({ body: "x".repeat(BODY_MAX_BYTES + 1) }) },
  {
    code: "unsupported_media_type",
    concerns: takesMediaType,
    spoil: withHeader("Content-Type", "text/plain"),
  },
  { code: "unsupported_media_type", concerns: takesMediaType, spoil: withHeader("Content-Encoding", "gzip") },
  {
    code: "token_missing",
    concerns: ({ token }) => token === "required",
    spoil: withHeader("Authorization", null),
  },
  { code: "token_invalid", concerns: takesToken, spoil: () => ({ token: "nonsense" }) },
  { code: "idempotency_key_missing", concerns: takesKey, spoil: withHeader("Idempotency-Key", null) },
  { code: "idempotency_key_invalid", concerns: takesKey, spoil: () => ({ key: "x".repeat(256) }) },
  { code: "signature_missing", concerns: takesSignature, spoil: withHeader("X-JWS-Signature", null) },
  { code: "signature_missing", concerns: takesSignature, spoil: withHeader("X-Timestamp", null) },
  { code: "signature_missing", concerns: takesSignature, spoil: withHeader("X-Nonce", null) },
  { code: "signature_invalid", concerns: takesSignature, spoil: withHeader("X-JWS-Signature", "nonsense") },
  {
    code: "signature_invalid",
    concerns: takesSignature,
    spoil: (_, __, baseUrl) => ({ signedUrl: `${baseUrl}/v1/else` }),
  },
  { code: "timestamp_invalid", concerns: takesSignature, spoil: withHeader("X-Timestamp", "1") },
  { code: "timestamp_out_of_window", concerns: takesSignature, spoil: () => ({ timestamp: longAgo() }) },
  { code: "nonce_invalid", concerns: takesSignature, spoil: withHeader("X-Nonce", "short") },
];
