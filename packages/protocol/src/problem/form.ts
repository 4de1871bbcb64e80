// Problems of the request's form: its size, media type, headers, body and path.
import { NO_EFFECT, type ProblemFamily } from "./entry.ts";

const MALFORMED = { ...NO_EFFECT, retryable: false } as const;

export const FORM_PROBLEMS = {
  invalid_request: {
    ...MALFORMED,
    status: 400,
    title: "The request is malformed",
    cause:
      "The body, a query parameter or a header does not have the documented form, or a member is unknown or " +
      "appears twice.",
    cure:
      "Read `detail` and `errors`, which name each invalid field. Correct them and send the request again.",
  },
  idempotency_key_missing: {
    ...MALFORMED,
    status: 400,
    title: "The Idempotency-Key header is missing",
    cause: "Every write needs a key, so that a retry after a lost reply can never be executed twice.",
    cure:
      "Send an Idempotency-Key that you choose, one per business operation (such as a UUID), and the same key " +
      "with every retry.",
  },
  idempotency_key_invalid: {
    ...MALFORMED,
    status: 400,
    title: "The Idempotency-Key header is malformed",
    cause: "The key is not 1 to 255 visible ASCII characters without spaces, or the header was sent twice.",
    cure: "Send one header with a valid key; a UUID is always valid.",
  },
  timestamp_invalid: {
    ...MALFORMED,
    status: 400,
    title: "The X-Timestamp header is malformed",
    cause:
      "The timestamp is not ten digits of Unix time in seconds, or the header was sent twice. A common mistake " +
      "is to send milliseconds.",
    cure:
      "Send whole seconds since 1970 as ten digits, without sign, fraction or spaces, and sign exactly that text.",
  },
  nonce_invalid: {
    ...MALFORMED,
    status: 400,
    title: "The X-Nonce header is malformed",
    cause:
      "The nonce is not 16 to 128 visible ASCII characters without commas, or the header was sent twice.",
    cure: "Send one fresh random nonce per request, for example 16 random bytes as 32 hexadecimal digits.",
  },
  path_not_allowed: {
    ...MALFORMED,
    status: 400,
    title: "The path is not in canonical form",
    cause:
      "The path contains a percent-encoded slash or letter, a double slash, a dot segment or a backslash " +
      "(a query may contain them), or the target is an absolute URL. A proxy and the service could " +
      "interpret such a path differently, so it is refused and never rewritten.",
    cure: "Send the path exactly as documented, in origin form (`/v1/orders`), and sign that URL.",
  },
  not_found: {
    ...MALFORMED,
    binds_key: "order_quote_id",
    spends_nonce: "order_quote_id",
    status: 404,
    title: "The path or the id was not found",
    cause:
      "The path is unknown, or the id is malformed, unknown or another partner's. The reply is the same in each " +
      "case, so that nobody can probe for ids.",
    cure:
      "Check the path and the id, and that the id was created in this environment. For an order, request a new " +
      "quote and order it with a new Idempotency-Key.",
  },
  method_not_allowed: {
    ...MALFORMED,
    status: 405,
    title: "The path does not support this method",
    cause: "The path exists, but it does not support the method of this request.",
    cure: "Use one of the methods that the Allow header of this reply lists.",
  },
  request_timeout: {
    ...NO_EFFECT,
    retryable: true,
    status: 408,
    title: "The request did not arrive in time",
    cause: "The connection was open, but the headers or the body were not complete before the deadline.",
    cure:
      "Send the request again without pauses, and check whether one of your proxies delays request bodies.",
  },
  body_too_large: {
    ...MALFORMED,
    status: 413,
    title: "The body is too large",
    cause: "The body is longer than 65,536 bytes; every documented body is far shorter.",
    cure: "Send the documented members only.",
  },
  uri_too_long: {
    ...MALFORMED,
    status: 414,
    title: "The request target is too long",
    cause: "The path and query together exceed what the proxy accepts.",
    cure: "Send the documented query parameters only, and `cursor` exactly as the previous page returned it.",
  },
  unsupported_media_type: {
    ...MALFORMED,
    status: 415,
    title: "The media type is not supported",
    cause:
      "The Content-Type is not the one that this endpoint expects, its charset is not utf-8, or the body has a " +
      "Content-Encoding.",
    cure: "Send the body as plain UTF-8 with the endpoint's Content-Type (application/json; " +
      "application/x-www-form-urlencoded for /oauth/token), uncompressed.",
  },
  header_too_large: {
    ...MALFORMED,
    status: 431,
    title: "The headers are too large",
    cause: "The request's headers together exceed what the proxy accepts.",
    cure:
      "Remove headers that the documentation does not require; the usual causes are cookies and tracing baggage.",
  },
} as const satisfies ProblemFamily;
