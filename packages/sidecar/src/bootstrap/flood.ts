import type { SidecarConfig } from "../settings.ts";
import { extension, type Message } from "./any.ts";
import { LIMIT } from "./limit.ts";

const CERTIFICATE = "certificate";

/** A bucket each certificate, so that one partner's flood is nobody else's. */
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
      // Envoy's own header with the certificate's hash names the bucket.
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
