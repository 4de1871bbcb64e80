import type { SidecarConfig } from "../settings.ts";
import { extension, type Message } from "./any.ts";
import { LIMIT } from "./limit.ts";

const CERTIFICATE = "certificate";

/** Gives each certificate its own token bucket, so that one partner's flood does not limit other partners. */
export function floodLimit({ floodPerSecond }: SidecarConfig): Message {
  const bucket = { max_tokens: floodPerSecond, tokens_per_fill: floodPerSecond, fill_interval: "1s" };
  const always = { default_value: { numerator: 100, denominator: "HUNDRED" } };
  return extension(
    "envoy.filters.http.local_ratelimit",
    "envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit",
    {
      stat_prefix: "flood",
      filter_enabled: always,
      filter_enforced: always,
      token_bucket: bucket,
      always_consume_default_token_bucket: false,
      // The key of a bucket is the header with the certificate's hash, which only Envoy sets.
      rate_limits: [{
        actions: [{
          request_headers: { header_name: "x-forwarded-client-cert", descriptor_key: CERTIFICATE },
        }],
      }],
      descriptors: [{ entries: [{ key: CERTIFICATE }], token_bucket: bucket }],
      max_dynamic_descriptors: LIMIT.certificates,
    },
  );
}
