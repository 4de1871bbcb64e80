import type { SidecarConfig } from "../settings.ts";
import { extension, type Message } from "./any.ts";
import { FLOOD_HEADER } from "./pace.ts";
import { LIMIT } from "./limit.ts";

const CERTIFICATE = "certificate";

/** How often a second a bucket may be filled. If it is filled once, a whole second's flood arrives at once. */
const FILLS = [20, 10, 5, 4, 2, 1];
/**
 * How many requests a bucket holds. Fewer would refuse what a partner may send at once. More would take all of
 * Envoy's connections to a process of the service when a flood begins.
 */
const BURST = 500;

/** Gives each certificate its own token bucket, so that one partner's flood does not limit other partners. */
export function floodLimit({ floodPerSecond }: SidecarConfig): Message {
  // Each fill has a whole number of tokens.
  const fills = FILLS.find((count) => floodPerSecond % count === 0)!;
  const bucket = {
    max_tokens: Math.min(floodPerSecond, BURST),
    tokens_per_fill: floodPerSecond / fills,
    fill_interval: `${1 / fills}s`,
  };
  const share = (numerator: number) => ({ default_value: { numerator, denominator: "HUNDRED" } });
  return extension(
    "envoy.filters.http.local_ratelimit",
    "envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit",
    {
      stat_prefix: "flood",
      filter_enabled: share(100),
      // The filter only marks the excess, which the next filter refuses.
      filter_enforced: share(0),
      request_headers_to_add_when_not_enforced: [{ header: { key: FLOOD_HEADER, value: "1" } }],
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
