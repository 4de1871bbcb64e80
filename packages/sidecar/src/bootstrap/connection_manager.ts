import type { SidecarConfig } from "../settings.ts";
import { accessLog, COUNTED_REFUSALS, REQUEST_LOG, requestsToLog } from "./access_log.ts";
import { extension, type Message } from "./any.ts";
import { floodLimit } from "./flood.ts";
import { LIMIT, TIMEOUT } from "./limit.ts";
import { localReplies } from "./local_reply.ts";
import { REFUSALS } from "./pace.ts";
import { BUFFER, routes } from "./routes.ts";

const HTTP = "envoy.extensions.filters.http";

/**
 * Configures how Envoy reads HTTP. It does not change the target, trusts no header about the caller's
 * identity, and limits sizes and times.
 */
export function connectionManager(config: SidecarConfig): Message {
  return extension(
    "envoy.filters.network.http_connection_manager",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    {
      stat_prefix: "partners",
      codec_type: "AUTO",
      route_config: routes(config),
      http_filters: [
        floodLimit(config),
        ...REFUSALS,
        COUNTED_REFUSALS,
        extension(BUFFER, `${HTTP}.buffer.v3.Buffer`, {
          max_request_bytes: LIMIT.bodyBytes,
        }),
        extension("envoy.filters.http.router", `${HTTP}.router.v3.Router`, { suppress_envoy_headers: true }),
      ],
      ...IDENTITY,
      ...PLAIN_PATH,
      ...TIMES,
      ...SIZES,
      server_header_transformation: "PASS_THROUGH",
      local_reply_config: localReplies(config.docsUrl),
      access_log: [accessLog(config, REQUEST_LOG, requestsToLog(config))],
    },
  );
}

/**
 * Settings that remove headers with a claimed identity, because only the connection proves who the caller is.
 */
const IDENTITY: Message = {
  early_header_mutation_extensions: [
    extension(
      "envoy.http.early_header_mutation.header_mutation",
      "envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation",
      {
        mutations: [
          ...["x-envoy-", "x-forwarded-", "x-gold-"].map((prefix) => ({
            remove_on_match: { key_matcher: { prefix } },
          })),
          ...["forwarded", "x-real-ip", "x-client-ip", "x-request-id"].map((
            remove,
          ) => ({
            remove,
          })),
        ],
      },
    ),
  ],
  forward_client_cert_details: "SANITIZE_SET",
  // Forward only the certificate's hash, because quotes and commas in a subject have misled parsers before.
  set_current_client_cert_details: {},
  use_remote_address: true,
  skip_xff_append: true,
  // Treat no client as internal, so that no client's headers can control the proxy.
  internal_address_config: {
    unix_sockets: false,
    cidr_ranges: [{ address_prefix: "255.255.255.255", prefix_len: 32 }],
  },
  // Off, because the service sets the request id of each of its replies. For Envoy's own replies,
  // local_reply.ts sets it.
  generate_request_id: false,
};

/** Settings that keep Envoy from changing the path, because the partner signs the target byte for byte. */
const PLAIN_PATH: Message = {
  normalize_path: false,
  merge_slashes: false,
  path_with_escaped_slashes_action: "REJECT_REQUEST",
  http_protocol_options: { allow_absolute_url: false },
};

const TIMES: Message = {
  request_headers_timeout: TIMEOUT.headers,
  request_timeout: TIMEOUT.request,
  stream_idle_timeout: TIMEOUT.silence,
  http1_safe_max_connection_duration: true,
};

const SIZES: Message = {
  max_request_headers_kb: LIMIT.headersKib,
  common_http_protocol_options: {
    idle_timeout: TIMEOUT.idle,
    max_connection_duration: TIMEOUT.connection,
    max_stream_duration: TIMEOUT.exchange,
    max_headers_count: LIMIT.headers,
    // Refuse underscores, because some servers treat x_nonce and x-nonce as the same header.
    headers_with_underscores_action: "REJECT_REQUEST",
  },
  http2_protocol_options: {
    max_concurrent_streams: LIMIT.streams,
    initial_stream_window_size: LIMIT.streamWindowBytes,
    initial_connection_window_size: LIMIT.connectionWindowBytes,
  },
};
