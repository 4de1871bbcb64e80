import { REPLY_HEADER } from "../header.ts";
import { REQUEST_ID_FORM } from "../id.ts";
import type { Json } from "./endpoint.ts";
import { ID } from "./examples/example_values.ts";

const header = (description: string, schema: Json, example?: Json): Json => ({
  description,
  schema,
  ...(example === undefined ? {} : { example }),
});
const TEXT = { type: "string" } as const;

/** Every header that a reply of this service may carry, by name. */
export const REPLY_HEADERS: { readonly [name: string]: Json } = {
  [REPLY_HEADER.requestId]: header(
    "Names this reply in the service's records; give it to the operator when you ask about it.",
    { ...TEXT, pattern: REQUEST_ID_FORM.source },
    ID.request,
  ),
  [REPLY_HEADER.rateLimitPolicy]: header(
    "The limit that counted this request, its burst `q` and the seconds `w` in which it fills up again. `default` counts your " +
      "requests. Others appear on a 429 only: `diagnosis` counts explained probes, `authentication_failures` failed tokens and secrets, `replays` " +
      "retries of known keys; `open_quotes`, `open_grams`, `net_position` and `daily_records` are the limits of " +
      "GET /v1/limits.",
    TEXT,
    '"default";q=200;w=4',
  ),
  [REPLY_HEADER.rateLimit]: header(
    "`r` is the number of requests that you may send now. `t` is the number of seconds until you may send more.",
    TEXT,
    '"default";r=199;t=1',
  ),
  [REPLY_HEADER.idempotentReplayed]: header(
    "This is the first reply under this Idempotency-Key, byte for byte; nothing was executed now.",
    { const: "true" },
    "true",
  ),
  [REPLY_HEADER.preferenceApplied]: header("The preference that was honoured.", TEXT, "handling=strict"),
  [REPLY_HEADER.retryAfter]: header(
    "After how many seconds to send the request again.",
    { type: "integer", minimum: 1 },
    1,
  ),
  [REPLY_HEADER.wwwAuthenticate]: header(
    "How to authenticate (RFC 6750).",
    TEXT,
    'Bearer realm="gold-partner"',
  ),
  [REPLY_HEADER.deprecation]: header(
    "Since when this operation is deprecated (RFC 9745); absent while it is not.",
    TEXT,
    "@1769851800",
  ),
  [REPLY_HEADER.sunset]: header(
    "When this operation will be removed, at least 12 months after the announcement (RFC 8594).",
    TEXT,
    "Sun, 31 Jan 2027 00:00:00 GMT",
  ),
  [REPLY_HEADER.entityTag]: header(
    "Identifies these bytes. Send it as If-None-Match to get the body only if it has changed.",
    TEXT,
    '"5d41402abc4b2a76b9719d911017c592"',
  ),
  Allow: header("The methods that this path supports.", TEXT, "GET, POST"),
  "Cache-Control": header("The reply must not be stored.", { const: "no-store" }, "no-store"),
};

/** References to the named headers. */
export function headersNamed(...names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers that every reply has or may have. */
export const ON_EVERY_REPLY: readonly string[] = [
  REPLY_HEADER.requestId,
  REPLY_HEADER.rateLimitPolicy,
  REPLY_HEADER.rateLimit,
];
