import type { SidecarConfig } from "../settings.ts";
import { extension, type Message, typed, watchedFile } from "./any.ts";
import { LIMIT } from "./limit.ts";

const STDOUT = "/dev/stdout";
const LOGGERS = "envoy.extensions.access_loggers";

const CONNECTION = {
  time: "%START_TIME%",
  client_ip: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%",
  certificate_sha256: "%DOWNSTREAM_PEER_FINGERPRINT_256%",
  tls: "%DOWNSTREAM_TLS_VERSION%",
  duration_ms: "%DURATION%",
  flags: "%RESPONSE_FLAGS%",
  connection_id: "%CONNECTION_ID%",
};

/** One line per request. It never contains a header with a secret, a query or a body. */
export const REQUEST_LOG = {
  kind: "request",
  ...CONNECTION,
  request_id: "%RESPONSE_HEADER(X-REQUEST-ID)%",
  method: "%REQUEST_HEADER(:METHOD)%",
  path: "%PATH(NQ):256%",
  protocol: "%PROTOCOL%",
  status: "%RESPONSE_CODE%",
  details: "%RESPONSE_CODE_DETAILS%",
  bytes_received: "%BYTES_RECEIVED%",
  bytes_sent: "%BYTES_SENT%",
  upstream: "%UPSTREAM_HOST%",
  upstream_failure: "%UPSTREAM_TRANSPORT_FAILURE_REASON%",
};

/** One line per connection, because a failed handshake has no request and so no request line. */
export const CONNECTION_LOG = {
  kind: "connection",
  ...CONNECTION,
  cipher: "%DOWNSTREAM_TLS_CIPHER%",
  failure: "%DOWNSTREAM_TRANSPORT_FAILURE_REASON%",
  details: "%CONNECTION_TERMINATION_DETAILS%",
};

export function accessLog({ accessLog: path }: SidecarConfig, members: Message, filter?: Message): Message {
  const log_format = { json_format: members };
  // Do not open /dev/stdout by its path: that fails if standard output is a socket, as under systemd.
  const log = path === STDOUT
    ? extension("envoy.access_loggers.stdout", `${LOGGERS}.stream.v3.StdoutAccessLog`, { log_format })
    : extension("envoy.access_loggers.file", `${LOGGERS}.file.v3.FileAccessLog`, { path, log_format });
  return filter === undefined ? log : { ...log, filter };
}

/** A condition in CEL, for access logs and for local replies. */
export const expression = (expression: string): Message => ({
  extension_filter: extension(
    "envoy.access_loggers.extension_filters.cel",
    `${LOGGERS}.filters.cel.v3.ExpressionFilter`,
    { expression },
  ),
});

/** The service sets this header of a reply if it counted the refusal and logged no line. */
const COUNTED_HEADER = "x-gold-counted";
const METADATA = "gold.access_log";
const GETS_LINE = "gets_line";

/**
 * Moves the header of a counted refusal into metadata. The partner must not get the header, but the access log,
 * which is written later, needs its value.
 */
export const COUNTED_REFUSALS: Message = extension(
  "envoy.filters.http.header_to_metadata",
  "envoy.extensions.filters.http.header_to_metadata.v3.Config",
  {
    response_rules: [{
      header: COUNTED_HEADER,
      on_header_present: { metadata_namespace: METADATA, key: GETS_LINE, value: "no" },
      remove: true,
    }],
  },
);

/**
 * Selects the requests that get a line. A flood of refusals would fill the disk. So a refusal that the service
 * counted gets none, and Envoy's own refusals share a number of lines per second. A request that Envoy sent to
 * the service has an upstream address, and gets its line even if the reply is Envoy's: it may be executed.
 */
export function requestsToLog(config: SidecarConfig): Message {
  // The filter of metadata ignores `invert`. A request without the value gets a line.
  const getsLine = {
    filter: METADATA,
    path: [{ key: GETS_LINE }],
    value: { string_match: { exact: "yes" } },
  };
  const sampled = {
    extension_filter: extension(
      "envoy.access_loggers.extension_filters.process_ratelimit",
      `${LOGGERS}.filters.process_ratelimit.v3.ProcessRateLimitFilter`,
      {
        dynamic_config: {
          resource_name: OWN_REFUSALS,
          config_source: watchedFile(config.configDirectory, OWN_REFUSALS_FILE),
        },
      },
    ),
  };
  return {
    and_filter: {
      filters: [
        { metadata_filter: { matcher: getsLine, match_if_key_not_found: true } },
        { or_filter: { filters: [expression("has(upstream.address)"), sampled] } },
      ],
    },
  };
}

const OWN_REFUSALS = "own_refusals";
const OWN_REFUSALS_FILE = "own_refusals.json";

/** How many of its own refusals Envoy logs. Envoy reads this only from a separate file. */
export function ownRefusals(): [string, Message] {
  const bucket = typed("envoy.type.v3.TokenBucket", {
    max_tokens: LIMIT.ownRefusalLines,
    tokens_per_fill: LIMIT.ownRefusalLines,
    fill_interval: "1s",
  });
  const resource = typed("envoy.service.discovery.v3.Resource", { name: OWN_REFUSALS, resource: bucket });
  return [OWN_REFUSALS_FILE, { resources: [resource] }];
}
